/** Numbered names: only phrases with the same numbers are compared, and the result is that of comparing all. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { cluster } from "../../src/group/cluster.js";
import { numberedPhrases } from "../../src/group/one-column/distinct-phrases.js";

const part = (number: number): string => `Part ${String(number).padStart(6, "0")}`;
const parts = (count: number): string[] => Array.from({ length: count }, (_, number) => part(number + 1));

describe("numberedPhrases", () => {
  it("finds names that many rows have with other numbers, and sets aside those whose numbers no other row has", () => {
    const phrases = [...parts(1000), "PART #7", "Part 8 (2)", "Bolt 9", "Part", "Part 5000 (old)"];
    const { isNumbered, isAlone, numbers } = numberedPhrases(phrases);
    expect([...isNumbered.slice(1000)]).toEqual([1, 0, 0, 0, 0]);
    const compared = phrases.filter((_, row) => isAlone[row] === 0);
    expect(compared).toEqual([
      part(7),
      part(8),
      part(9),
      "PART #7",
      "Part 8 (2)",
      "Bolt 9",
      "Part",
      "Part 5000 (old)",
    ]);
    expect(numbers[1000]).toBe(numbers[6]);
  });

  it("leaves tables with few rows of each wording as they are", () => {
    expect(numberedPhrases(parts(999)).isNumbered.includes(1)).toBe(false);
  });
});

describe("cluster on numbered names", () => {
  let encoder: PhraseEncoder;
  beforeAll(async () => {
    encoder = await PhraseEncoder.load(undefined, { threads: 1 });
  });
  afterAll(() => encoder.dispose());

  it("groups spellings with the same number and keeps 6,000 numbers apart", async () => {
    const phrases = [...parts(6000), "part-001234", "Parts 004321", "Part"];
    const { groups, similarityOf, groupOf } = await cluster(phrases, { encoder, threshold: 0.6 });
    const together = groups.filter(({ rows }) => rows.length > 1).map(({ rows }) => rows);
    expect(together).toEqual([
      [1233, 6000],
      [4320, 6001],
    ]);
    expect(groups).toHaveLength(phrases.length - 2);
    expect(groups.map(({ rows }) => rows[0])).toEqual([...phrases.keys()].slice(0, 6000).concat(6002));
    expect(groupOf[6002]).toBe(6000);
    // Rows that were never compared have a similarity too.
    for (const [a, b] of [
      [5998, 5999],
      [0, 5999],
      [5999, 6002],
    ])
      expect(similarityOf(a, b)).toBeLessThanOrEqual(0.5);
  });
});
