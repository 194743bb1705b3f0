/** Compiles src to dist before the tests: worker threads and the command line run the compiled files. */
import { execFileSync } from "node:child_process";

export default function build(): void {
  // The type check is a command of its own: a test run does not wait for it.
  execFileSync(process.execPath, ["scripts/build.mjs", "--no-check"], { stdio: "inherit" });
}
