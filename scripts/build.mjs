/**
 * Builds dist from src; also runs after `npm ci` and before `npm pack`. Without the development dependencies
 * it fetches the compiler for this run only. `--no-check` skips type checks.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const local = "node_modules/typescript/bin/tsc";
const project = ["-p", "tsconfig.build.json"];
if (existsSync(local)) {
  const noCheck = process.argv.includes("--no-check") ? ["--noCheck"] : [];
  execFileSync(process.execPath, [local, ...project, ...noCheck], { stdio: "inherit" });
} else {
  const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const compiler = `typescript@${devDependencies.typescript}`;
  // Type packages are development dependencies too: this run only compiles.
  const build = ["tsc", ...project, "--noCheck", "--types", ""];
  execFileSync("npm", ["exec", "--yes", `--package=${compiler}`, "--", ...build], { stdio: "inherit" });
}

// Outputs of deleted or renamed sources must not be packed.
for (const file of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
  const source = /^(.*?)(?:\.d\.ts|\.js|\.d\.cts|\.cjs)$/.exec(file)?.[1];
  const isOurs = [".ts", ".cts"].some((ending) => existsSync(join("src", `${source}${ending}`)));
  if (!isOurs && !existsSync(join("src", file))) rmSync(join("dist", file), { recursive: true, force: true });
}

// The page has no build step: the browser gets the files of src.
cpSync("src/serve/review/page", "dist/serve/review/page", { recursive: true });

// The browser's bundle needs a development dependency, too.
if (existsSync("node_modules/esbuild")) await (await import("./build-web.mjs")).buildWeb();
else console.error("dist/web is left out: esbuild is not installed");

// `pearl --help` lists commands without loading them.
const { loadCommands, overviewOf } = await import("../dist/cli/commands.js");
writeFileSync("dist/cli/overview.json", JSON.stringify(overviewOf(await loadCommands())));

// npm sets this bit only when it first links the command.
chmodSync("dist/cli/main.js", 0o755);
