/** pearl as a new user has it: the packed tarball, installed in an empty folder and home, without a network. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { expect } from "vitest";
import { type Outcome, run } from "../cli/run-cli.js";

/** What a step of a user left behind. */
export interface Step extends Outcome {
  /** Files that the step made, by their paths in the project. */
  readonly made: readonly string[];
}

/** A user's project with the samples, in which lines of a shell are run. */
export interface Project {
  readonly folder: string;
  /** Runs lines of bash; fails if they leave something in the home or among the temporary files, or print a stack. */
  shell(lines: string): Promise<Step>;
}

/** Packs this checkout's build and unpacks it beside the dependencies of users. @returns a maker of projects */
export async function installTarball(): Promise<() => Project> {
  const folder = mkdtempSync(join(tmpdir(), "pearl-installed-"));
  const packed = await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]);
  expect(packed).toMatchObject({ code: 0 });
  const modules = join(folder, "node_modules");
  const tarball = join(folder, packed.stdout.trim().split("\n").at(-1) ?? "");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  expect(await run("tar", ["-xzf", tarball, "-C", modules])).toMatchObject({ code: 0 });
  await run("mv", [join(modules, "package"), join(modules, "pearl-embeddings")]);
  linkDependencies(modules);
  symlinkSync("../pearl-embeddings/dist/cli/main.js", join(modules, ".bin", "pearl"));
  const alone = await withoutNetwork();
  return () => newProject(modules, alone);
}

/** Links what `npm install` gives a user: the packages of the lock file that are not for development. */
function linkDependencies(modules: string): void {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    if (dev || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) || !existsSync(path)) continue;
    const target = join(dirname(modules), path);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(resolve(path), target);
  }
}

/** The words before a command that close the network to it, where the kernel lets this user; else only settings do. */
async function withoutNetwork(): Promise<readonly string[]> {
  const namespace = ["unshare", "--net", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"])];
  const works = await run(namespace[0], [...namespace.slice(1), "true"]).catch(() => undefined);
  const closed = "http://127.0.0.1:9";
  return works?.code === 0 ? namespace : ["env", `HF_ENDPOINT=${closed}`, `PEARL_DATA_ENDPOINT=${closed}`];
}

function newProject(modules: string, alone: readonly string[]): Project {
  const work = mkdtempSync(join(tmpdir(), "pearl-user-"));
  const [folder, home, temporary] = ["project", "home", "tmp"].map((name) => join(work, name));
  for (const made of [folder, home, temporary]) mkdirSync(made);
  symlinkSync(modules, join(folder, "node_modules"));
  cpSync(join(modules, "pearl-embeddings", "data"), join(folder, "data"), { recursive: true });
  const path = `${join(modules, ".bin")}:${dirname(process.execPath)}:${process.env.PATH}`;
  const environment = [`PATH=${path}`, `HOME=${home}`, `TMPDIR=${temporary}`, "LANG=C.UTF-8"];
  const shell = async (lines: string): Promise<Step> => {
    const before = new Set(filesOf(folder));
    // npx would look for the command that is on the path anyway.
    const script = `npx() { "$@"; }\n${lines}`;
    const outcome = await run("env", ["-i", ...environment, ...alone, "bash", "-c", script], { cwd: folder });
    expect(filesOf(temporary), `temporary files of ${lines}`).toEqual([]);
    expect(filesOf(home), `files in the home after ${lines}`).toEqual([]);
    expect(outcome.stderr, lines).not.toMatch(/^\s+at .*:\d+|\(unexpected|Warning:/m);
    return { ...outcome, made: filesOf(folder).filter((file) => !before.has(file)) };
  };
  return { folder, shell };
}

/** Files below a folder, sorted, without those of installed packages. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
