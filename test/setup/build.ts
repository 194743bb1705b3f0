/** Compiles src to dist before the tests: worker threads and the command line run the compiled files. */
import { execFileSync } from "node:child_process";

export default function build(): void {
  execFileSync(process.execPath, ["scripts/build.mjs"], {
    stdio: "inherit",
  });
}
