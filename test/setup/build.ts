/** Compiles src to dist before the tests: worker threads and the command line run the compiled files. */
import { execFileSync } from "node:child_process";

export default function build(): void {
  // Types are the type-check's business: a test run must not wait for them.
  const compile = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noCheck"];
  execFileSync(process.execPath, compile, { stdio: "inherit" });
}
