/** The completion scripts in the shells themselves; zsh and fish where they are installed. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-completion-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = (shell: string): string => join(folder, `pearl.${shell}`);
const has = (shell: string): boolean => spawnSync(shell, ["-c", "true"]).status === 0;

beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await pearl(["completion", shell]);
    expect(code).toBe(0);
    writeFileSync(script(shell), stdout);
  }
  for (const name of ["names.csv", "two words.csv"]) writeFileSync(join(folder, name), "name\nAcme\n");
});

/** What a shell offers for a command line; the last word is the one to complete. */
const offers: Record<string, (line: string) => string[]> = {
  bash: (line) => {
    const words = line.split(" ");
    const program =
      `source ${script("bash")}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pearl; ` +
      `printf "%s\\n" "\${COMPREPLY[@]}"`;
    return outputOf("bash", ["--norc", "-c", program, "bash", ...words]);
  },
  zsh: (line) => {
    // The emulation in which zsh calls such functions.
    const program =
      `compdef() { }; source ${script("zsh")}; emulate sh; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pearl; ` +
      `printf "%s\\n" "\${COMPREPLY[@]}"`;
    const words = line.split(" ");
    // zsh itself keeps the words that begin as the last one does.
    const begun = words[words.length - 1];
    return outputOf("zsh", ["-f", "-c", program, "zsh", ...words]).filter((word) => word.startsWith(begun));
  },
  fish: (line) =>
    outputOf("fish", [
      "--no-config",
      "-c",
      `source ${script("fish")}; complete -C ${JSON.stringify(line)}`,
    ]).map((offer) => offer.split("\t")[0]),
};

function outputOf(shell: string, parameters: string[]): string[] {
  const { stdout, stderr, status } = spawnSync(shell, parameters, { cwd: folder, encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.split("\n").filter((line) => line !== "");
}

describe.each(["bash", "zsh", "fish"])("completion in %s", (shell) => {
  const offered = (line: string): string[] => offers[shell](line);

  it.skipIf(!has(shell))("offers commands, and the commands of a group", () => {
    expect(offered("pearl ")).toEqual(expect.arrayContaining(["encode", "join", "dedupe", "completion"]));
    expect(offered("pearl index ").sort()).toEqual(["add", "build", "check", "delete", "info", "rebuild"]);
  });

  it.skipIf(!has(shell))("offers the options of a command, of all its groups", () => {
    expect(offered("pearl dedupe --")).toEqual(expect.arrayContaining(["--precision", "--groups", "--help"]));
    expect(offered("pearl index build x.csv --")).toEqual(expect.arrayContaining(["--key", "--output"]));
    expect(offered("pearl join --")).not.toContain("--groups");
    expect(offered("pearl models --")).toContain("--json");
    expect(offered("pearl classify x.csv --")).toContain("--with");
  });

  it.skipIf(!has(shell))("takes a file named as a command for a file", () => {
    const options = offered("pearl encode dedupe --");
    expect(options).toEqual(expect.arrayContaining(["--format", "--truncate-dim"]));
    expect(options).not.toContain("--groups");
    expect(offered("pearl index build join --")).not.toContain("--on");
    expect(offered("pearl encode -o join --")).not.toContain("--on");
  });

  it.skipIf(!has(shell))("offers the choices of an option, and only these", () => {
    expect(offered("pearl join --kind ").sort()).toEqual(["many-to-many", "many-to-one", "one-to-one"]);
    expect(offered("pearl encode -o x --format ").sort()).toEqual(["csv", "jsonl", "npy", "parquet", "tsv"]);
  });

  it.skipIf(!has(shell))("leaves other words to the completion of file names", () => {
    // bash and zsh complete names of files themselves where nothing is offered
    const expected = shell === "fish" ? ["names.csv"] : [];
    expect(offered("pearl encode na")).toEqual(expected);
    // a group that is a command by itself
    expect(offered("pearl classify na")).toEqual(["names.csv"]);
    expect(offered("pearl classify ")).toEqual(
      expect.arrayContaining(["train", "names.csv", "two words.csv"]),
    );
    expect(offered("pearl index ")).not.toContain("names.csv");
  });
});

it.skipIf(!has("zsh"))("is loaded by zsh from a folder of completions, or sourced", () => {
  const completed = (source: string) =>
    outputOf("zsh", ["-f", "-c", `autoload -U compinit; compinit -D -u; ${source}; print "$_comps[pearl]"`]);
  expect(completed(`source ${script("zsh")}`)).toEqual(["_bash_complete -o default -F _pearl"]);
  copyFileSync(script("zsh"), join(folder, "_pearl"));
  // zsh finds the file by its first line; when it loads it, the file completes at once, by _bash_complete
  const loaded = `fpath=(${folder} $fpath); compinit -D -u; autoload() { }; bashcompinit() { }; complete() { }; _bash_complete() { print -- "$@" }; _pearl`;
  expect(completed(`fpath=(${folder} $fpath); compinit -D -u`)).toEqual(["_pearl"]);
  expect(completed(loaded)[0]).toBe("-o default -F _pearl");
});

describe("pearl completion", () => {
  it("names the shells that it knows", async () => {
    const { code, stderr } = await pearl(["completion", "tcsh"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'pearl: "tcsh" is not a shell that pearl knows: use bash, zsh or fish\n',
    });
  });
});
