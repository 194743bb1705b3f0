/** A case of a message with a cure: it is provoked, and the cure that it names is applied and works. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { entry, run } from "../../cli/run-cli.js";

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

// Each command has threads of its own.
vi.setConfig({ maxConcurrency: 2 });

const shell = (lines: string, cwd: string) =>
  run("bash", ["-c", `pearl() { "$NODE" "$ENTRY" "$@"; }; set -e; ${lines}`], {
    cwd,
    environment: { NODE: process.execPath, ENTRY: entry },
  });

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
    it.concurrent.each(Object.entries(cases))("of %s works", async (_, { wrong, says, cured, ...before }) => {
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
