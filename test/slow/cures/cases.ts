/** A case of a message with a cure: it is provoked, and the cure that it names is applied and works. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entry, type Outcome, run } from "../../cli/run-cli.js";
import { pearl } from "../../cli/run-here.js";

export interface Case {
  /** Files by name, written before. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Commands of a shell that must succeed before. */
  readonly before?: string;
  /** The command that fails. */
  readonly wrong: string;
  /** The cure, as the message words it. */
  readonly says: string;
  /** The cure, as a user applies it: commands of a shell that must succeed. */
  readonly cured: string;
}

/** One word of a shell without expansions, or `&&`: parts without quotes, in single or in double quotes. */
const word = /(?:[^\s'"\\$`|&;<>(){}[\]*?#!~]|'[^']*'|"[^"\\$`!]*")+|&&/y;

/** The commands of a line such as `pearl encode 'a b.csv' && pearl search`, or nothing where it takes a shell to run it. */
function pearlCommands(line: string): string[][] | undefined {
  const commands: string[][] = [[]];
  const text = line.trim();
  for (let at = 0; at < text.length; at += /\s*/y.exec(text.slice(at))![0].length) {
    word.lastIndex = at;
    const [found] = word.exec(text) ?? [];
    if (found === undefined) return undefined;
    at += found.length;
    if (found === "&&") commands.push([]);
    else commands.at(-1)!.push(found.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  }
  return commands.every(([program]) => program === "pearl") ? commands : undefined;
}

/** Runs commands of pearl in this process, which saves the start of a process for each, and other lines in a shell. */
async function shell(line: string, cwd: string): Promise<Outcome> {
  const commands = pearlCommands(line);
  if (commands === undefined)
    return run("bash", ["-c", `pearl() { "$NODE" "$ENTRY" "$@"; }; set -e; ${line}`], {
      cwd,
      environment: { NODE: process.execPath, ENTRY: entry },
    });
  let [stdout, stderr] = ["", ""];
  for (const [, ...parameters] of commands) {
    const outcome = await pearl(parameters, { cwd });
    stdout += outcome.stdout;
    stderr += outcome.stderr;
    if (outcome.code !== 0) return { ...outcome, stdout, stderr };
  }
  return { code: 0, signal: null, stdout, stderr };
}

/** @param shared files and commands that all cases begin with */
export function claimCures(
  cases: Readonly<Record<string, Case>>,
  shared: Pick<Case, "files" | "before"> = { files: {} },
): void {
  const folder = mkdtempSync(join(tmpdir(), "pearl-cures-"));
  const start = join(folder, "start");
  beforeAll(async () => {
    mkdirSync(start);
    await prepare(shared, start);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  describe("the cure in a message", () => {
    it.each(Object.entries(cases))("of %s works", async (_, { wrong, says, cured, ...before }) => {
      const cwd = mkdtempSync(join(folder, "case-"));
      cpSync(start, cwd, { recursive: true });
      await prepare(before, cwd);
      const failed = await shell(wrong, cwd);
      expect(failed.stderr).toContain(says);
      expect([1, 2]).toContain(failed.code);
      const works = await shell(cured, cwd);
      expect(works, works.stderr).toMatchObject({ code: 0 });
    });
  });
}

async function prepare({ files, before }: Pick<Case, "files" | "before">, cwd: string): Promise<void> {
  for (const [file, content] of Object.entries(files)) writeFileSync(join(cwd, file), content);
  if (before !== undefined) expect(await shell(before, cwd)).toMatchObject({ code: 0 });
}
