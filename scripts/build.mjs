/** Builds dist, also after `npm ci`; without the development dependencies it fetches the compiler for this one run. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";

const local = "node_modules/typescript/bin/tsc";
if (existsSync(local)) {
  execFileSync(process.execPath, [local, "-p", "tsconfig.build.json"], { stdio: "inherit" });
} else {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const compiler = `typescript@${devDependencies.typescript}`;
  // Type packages are development dependencies too: this run only translates.
  const build = ["tsc", "-p", "tsconfig.build.json", "--noCheck", "--types", ""];
  execFileSync("npm", ["exec", "--yes", `--package=${compiler}`, "--", ...build], { stdio: "inherit" });
}

// npm sets this bit only when it first links the command.
chmodSync("dist/cli/main.js", 0o755);
