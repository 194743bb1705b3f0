import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { levenshteinBaseline } from "../../../src/benchmark/models.js";
import { misspellings, splitMisspellings } from "../../../src/benchmark/tasks/strings.js";
import { run } from "./run-task.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-misspellings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
function write(pairs: readonly string[], words: readonly string[]): string {
  for (const name of ["misspellings", "words"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "misspellings/misspellings.tsv"), `${pairs.join("\n")}\n`);
  writeFileSync(join(folder, "words/words.txt"), `${words.join("\n")}\n`);
  return folder;
}

describe("misspellings", () => {
  it("asks for the word among all words, and counts a tie of two as a half", async () => {
    // "recieve" is nearest to receive alone; "caat" is one letter from both cat and coat
    const pairs = ["recieve\treceive\ta source", "caat\tcat", "abcense\tabsence of a list"];
    const data = write(pairs, ["receive", "deceive", "Cat", "coat", "cat"]);
    const { scores } = await run(misspellings, levenshteinBaseline(), { folder: data });
    const details = { dictionary: 4 };
    expect(scores).toMatchObject([
      { metric: "precision@1", score: 0.75, n: 2, details },
      { metric: "precision@1, no other form known", score: 0.75, n: 2, details },
    ]);
  });

  it("scores queries apart whose word has no other form among the known pairs", () => {
    const words = Array.from({ length: 3000 }, (_, i) => `${i}word`);
    const pairs = words.map((word) => [`${word}z`, word] as const);
    const isEven = (text: string) => Number.parseInt(text, 10) % 2 === 0;
    // an odd one's other form is misspelled in another way
    const forms = words.map((word) => [isEven(word) ? `${word}zed` : `x${word}`, `${word}ed`] as const);
    const { queries, hasOtherForm } = splitMisspellings([...pairs, ...forms], words);
    expect(queries.filter((_, query) => hasOtherForm[query])).toEqual(queries.filter(isEven));
    expect(new Set(hasOtherForm).size).toBe(2);
  });

  it("says what a line must hold", async () => {
    const data = write(["recieve receive"], ["receive"]);
    const asked = run(misspellings, levenshteinBaseline(), { folder: data });
    await expect(asked).rejects.toThrow(
      /misspellings\.tsv, line 1: expected a misspelling, a tab and a word/,
    );
    expect(() => splitMisspellings([["recieve", "receive"]], ["table"])).toThrow(
      /no word of the misspellings/,
    );
  });

  it("holds the same words out of any table, with all of their misspellings", () => {
    const words = Array.from({ length: 3000 }, (_, i) => `word${i}`);
    const pairs = words.flatMap((word) => [[`${word}x`, word] as const, [`x${word}`, word] as const]);
    const { heldOut, queries, expected, training } = splitMisspellings(pairs, words);
    expect(heldOut.size).toBe(2000);
    expect(queries).toHaveLength(2000);
    expect(training).toHaveLength(2000);
    expect(training.some(([, right]) => heldOut.has(right))).toBe(false);
    expect(expected.every((word) => heldOut.has(word))).toBe(true);
    const again = splitMisspellings([...pairs].reverse(), words);
    expect([...again.heldOut].sort()).toEqual([...heldOut].sort());
    expect(again.queries).toEqual(queries);
  });
});
