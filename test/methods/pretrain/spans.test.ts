/** Spans and the words around them. */
import { describe, expect, it } from "vitest";
import type { Featurizer } from "../../../src/architectures/architecture.js";
import { CONTEXT, PUNCTUATION } from "../../../src/architectures/contexts.js";
import { numberedText } from "../../../src/methods/pretrain/numbered-text.js";
import {
  contextsOf,
  createContextBatches,
  groupsOf,
  spanSampler,
} from "../../../src/methods/pretrain/spans.js";
import { createRandom } from "../../../src/random.js";

/** Two texts: words 1 to 5, a comma, words 6 to 9; then 10 to 12. */
const text = Int32Array.of(1, 2, 3, 4, 5, -1, 6, 7, 8, 9, 0, 10, 11, 12, 0);
const word = (rank: number) => PUNCTUATION + rank;

describe("spans", () => {
  it("never reach over punctuation or the end of a text", () => {
    const draw = spanSampler({ counts: new Int32Array(12).fill(1) });
    const random = createRandom(1);
    for (let i = 0; i < 50; i++) {
      const { starts, length } = draw(text, 20, random);
      for (const start of starts)
        expect(
          Math.min(...text.subarray(start, start + length)),
          `at ${start}, ${length} words`,
        ).toBeGreaterThan(0);
    }
  });

  it("are shorter ones where the text has none of the drawn length", () => {
    const lines = Int32Array.from({ length: 80 }, (_, i) => (i % 4 === 3 ? 0 : 1 + i));
    const draw = spanSampler({ counts: new Int32Array(80).fill(1) });
    const random = createRandom(3);
    const lengths = new Set<number>();
    for (let i = 0; i < 100; i++) {
      const { starts, length } = draw(lines, 5, random);
      expect(starts.length).toBe(5);
      lengths.add(length);
    }
    expect([...lengths].sort()).toEqual([1, 2, 3]);
  });

  it("are none where the text is shorter than a span", () => {
    const { starts } = spanSampler({ counts: Int32Array.of(1) })(Int32Array.of(1), 5, createRandom(1), 3);
    expect(starts).toHaveLength(0);
  });

  it("of frequent words are drawn less often than spans of rare ones", () => {
    const numbers = Int32Array.from({ length: 20_000 }, (_, i) => (i % 2 === 0 ? 1 : 2 + (i % 9_999)));
    const counts = new Int32Array(10_001).fill(1);
    counts[0] = 10_000;
    const { starts } = spanSampler({ counts })(numbers, 2000, createRandom(2), 1);
    const frequent = [...starts].filter((start) => numbers[start] === 1).length;
    expect(starts.length).toBe(2000);
    expect(frequent).toBeLessThan(100);
  });

  it("have the words before and after as context, nearest first, punctuation only among the nearest", () => {
    const { bag, near } = contextsOf(text, { starts: Int32Array.of(4, 11), length: 1 }, 100);
    expect([...bag.subarray(0, CONTEXT.words)].filter((row) => row > 0)).toEqual(
      [4, 3, 2, 1, 6, 7, 8, 9].map(word),
    );
    expect([...near.subarray(0, CONTEXT.near)]).toEqual([word(4), word(3), word(2), 1, word(6), word(7)]);
    // the second text begins with its span: nothing comes before
    expect([...near.subarray(CONTEXT.near)]).toEqual([0, 0, 0, word(11), word(12), 0]);
  });

  it("treat all words outside the vocabulary as one", () => {
    const { near } = contextsOf(text, { starts: Int32Array.of(4), length: 1 }, 3);
    expect([...near]).toEqual([PUNCTUATION, word(3), word(2), 1, PUNCTUATION, PUNCTUATION]);
  });

  it("are of one group where their words are equal", () => {
    const twice = Int32Array.of(1, 2, 0, 1, 2, 0, 2, 1, 0);
    expect([...groupsOf(twice, { starts: Int32Array.of(0, 3, 6), length: 2 })]).toEqual([0, 0, 1]);
  });

  it("are others in each batch, also with a seed as large as a time in milliseconds", async () => {
    async function* lines() {
      for (let i = 0; i < 400; i++)
        yield `w${i}a w${i}b w${i}c`.replaceAll(/\d/g, (digit) => "abcdefghij"[+digit]);
    }
    const numbered = await numberedText(lines());
    const drawn = new Set<string>();
    const featurizer = {
      read(phrases: readonly string[]) {
        drawn.add(phrases.join());
        return { rows: phrases, truncated: 0 };
      },
      fill: () => {},
    } as unknown as Featurizer;
    const reading = { words: numbered.words, featurizer, vocabulary: numbered.words.length };
    const data = createContextBatches(numbered, reading, { batchSize: 8, seed: 1_732_780_000_000 });
    for (const index of [0, 1, 2]) await data.batch(index);
    expect(drawn.size).toBe(3);
  });
});
