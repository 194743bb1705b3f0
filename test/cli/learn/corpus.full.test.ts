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

  it("is not needed by a pretraining, which reads standard input too", async () => {
    const small = "--steps 1 --layers 1 --hidden 8 --heads 2 --batch-size 8 -q";
    const words = `pretrain - -o reader ${small}`.split(" ");
    const { code, stdout } = await pearl(words, { cwd, input: text.repeat(20) });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^wrote reader: 1 step, loss /),
    });
    const { data } = JSON.parse(readFileSync(join(folder, "reader", "training.json"), "utf8"));
    // 22 words and marks in a line, and its end
    expect(data).toMatchObject({ texts: ["standard input"], tokens: 20 * 23 });
    const card = readFileSync(join(folder, "reader", "README.md"), "utf8");
    expect(card).toContain("- text: standard input; 460 words and marks");
  }, 120_000);

  it.each([
    "pretrain - - -o twice",
    "pretrain - --vectors v.txt --also-words - -o twice",
    "train --corpus corpus --context - --pairs - -o twice",
    "train --corpus corpus --context - - -o twice",
  ])("does not read standard input twice: %s", async (line) => {
    const { code, stderr } = await pearl([...line.split(" "), "-q"], { cwd, input: text });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'pearl: standard input ("-") can be read only once. Save one of the inputs to a file and name it.\n',
    });
  });

  it("reads a table of phrases from standard input, and records what it held", async () => {
    const prints = new Set<string>();
    for (const name of ["Acme", "Toyota"]) {
      const input = `phrase,type\n${name},ORG\n`;
      const built = await pearl(["corpus", "build", "--phrases", "-", "-o", name, "-q"], { cwd, input });
      expect(built).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wrote \w+: 1 phrase, /) });
      const { sources } = JSON.parse(readFileSync(join(folder, name, "corpus.json"), "utf8"));
      expect(sources).toMatchObject([{ name: "standard input", kind: "phrases" }]);
      prints.add(sources[0].fingerprint);
    }
    expect(prints.size).toBe(2);
  }, 120_000);

  it("reports trouble in one line and leaves nothing behind", async () => {
    const before = readdirSync(folder);
    writeFileSync(join(folder, "types.tsv"), "Smith\tWIZARD\n");
    const cases: [string, string, number, RegExp][] = [
      ["corpus build nowhere.txt -o c2", "", 1, /nowhere\.txt/],
      ["corpus build nowhere.txt -o c2 --column text", "", 2, /--column is for tables of text/],
      ["pretrain nowhere.txt -o c2 --column text", "", 2, /--column is for tables of text/],
      ["corpus build nowhere.txt", "", 2, /-o, --output/],
      [
        "corpus build --phrases - -o c5",
        "phrase,count\na,1e20\n",
        1,
        /count "1e20" must be a whole number from 1/,
      ],
      ["corpus build - --phrases - -o c7", text, 1, /can be read only once\. Save one of the inputs/],
      ["corpus stats nowhere", "", 1, /is not a corpus folder/],
      ["corpus build - -o c3 -q", "東京 大阪 京都\n", 1, /not in Latin letters/],
      ["corpus build - -o c4 --types types.tsv", text, 1, /types\.tsv, line 1.*WIZARD/],
    ];
    for (const [words, input, code, message] of cases) {
      const outcome = await pearl(words.split(" "), { cwd, input });
      expect(outcome, words).toMatchObject({ code, stderr: expect.stringMatching(message) });
    }
    expect(readdirSync(folder)).toEqual([...before, "types.tsv"]);
  }, 120_000);

  it("explains itself", async () => {
    const help = await pearl(["corpus", "build", "--help"]);
    expect(help.stdout).toMatch(/Examples:/);
    expect(help.stdout).toMatch(/--min-count/);
  });
});
