/** `pearl corpus` as users run it: the compiled program in a folder of its own. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-corpus-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const cwd = folder;
const text =
  "Mr. Smith signed the new contract in Trieste in 1999. The new contract was signed by Mr. Smith.\n";

describe("pearl corpus", () => {
  it("builds a corpus from standard input, shows it, and does not write over it", async () => {
    const built = await pearl(["corpus", "build", "-", "-o", "corpus"], { cwd, input: text });
    expect(built).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wrote corpus: 2 phrases, 4 occurrences, 2 with a type/),
    });
    expect(built.stderr).toMatch(/words read; \d+ rare phrases? dropped \(--min-count\)/);
    expect(readFileSync(join(folder, "corpus", "phrases.tsv"), "utf8")).toBe(
      "phrase\tclass\ttype\tcount\nMr. Smith\tNP\tPERSON\t2\nthe new contract\tNP\tOTHER\t2\n",
    );
    const shown = await pearl(["corpus", "stats", "corpus"], { cwd });
    expect(shown.stdout).toMatch(/2 phrases, 4 occurrences/);
    expect(shown.stdout).toMatch(/PERSON +1 +50\.0 % +Mr\. Smith/);
    const json = JSON.parse((await pearl(["corpus", "stats", "corpus", "--json"], { cwd })).stdout);
    expect(json).toMatchObject({
      format: 1,
      counts: { phrases: 2, byClass: { NP: 2 } },
      byWords: [0, 1, 1, 0, 0, 0, 0, 0],
    });
    const again = await pearl(["corpus", "build", "-", "-o", "corpus"], { cwd, input: text });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/corpus is not empty/) });
  }, 120_000);

  it("reports trouble in one line and leaves nothing behind", async () => {
    const before = readdirSync(folder);
    const missing = await pearl(["corpus", "build", "nowhere.txt", "-o", "c2"], { cwd });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringMatching(/nowhere\.txt/) });
    for (const words of [["corpus", "build"], ["pretrain"]]) {
      const column = await pearl([...words, "nowhere.txt", "-o", "c2", "--column", "text"], { cwd });
      expect(column).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--column is for tables of text/),
      });
    }
    const noOutput = await pearl(["corpus", "build", "nowhere.txt"], { cwd });
    expect(noOutput.code).toBe(2);
    const noCorpus = await pearl(["corpus", "stats", "nowhere"], { cwd });
    expect(noCorpus).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not a corpus folder/) });
    const chinese = await pearl(["corpus", "build", "-", "-o", "c3", "-q"], {
      cwd,
      input: "東京 大阪 京都\n",
    });
    expect(chinese).toMatchObject({ code: 1, stderr: expect.stringMatching(/not in Latin letters/) });
    writeFileSync(join(folder, "types.tsv"), "Smith\tWIZARD\n");
    const label = await pearl(["corpus", "build", "-", "-o", "c4", "--types", "types.tsv"], {
      cwd,
      input: text,
    });
    expect(label).toMatchObject({ code: 1, stderr: expect.stringMatching(/types\.tsv, line 1.*WIZARD/) });
    expect(readdirSync(folder)).toEqual([...before, "types.tsv"]);
  }, 120_000);

  it("explains itself", async () => {
    const help = await pearl(["corpus", "build", "--help"]);
    expect(help.stdout).toMatch(/Examples:/);
    expect(help.stdout).toMatch(/--min-count/);
  });
});
