import { expect, it } from "vitest";
import { TextNumbers } from "../../../src/match/columns/texts.js";
import { buckets, countGrams, gramCosine, gramSets, gramsOf } from "../../../src/match/spelling/gram-sets.js";

const given = [
  "",
  "a",
  "ab",
  "banana",
  "bandana",
  "x y z",
  "the quick brown fox jumps over the lazy dog",
  "fox",
];
const numbers = new TextNumbers();
for (const text of given) numbers.numberOf(text);
const rowsWith = given.map((_, text) => text + 1);
const sets = gramSets(numbers.texts(), rowsWith);
const grams = given.map((_, text) => gramsOf(sets.grams, text));

it("keeps the different grams of each text, ascending", () => {
  for (const [text, own] of grams.entries()) {
    const padded = ` ${given[text]} `;
    const different = new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
    expect(own.length).toBe(different.size);
    expect(own).toEqual([...new Set(own)].sort((a, b) => a - b));
    for (const gram of own) expect(gram >= 0 && gram < buckets).toBe(true);
  }
  // Steps of more than 16 bits are among them.
  expect(grams.some((own) => own.some((gram, at) => gram - (own[at - 1] ?? 0) > 2 ** 16))).toBe(true);
});

it("counts the rows with each gram", () => {
  const counts = countGrams(sets.grams, rowsWith);
  const expected = new Map<number, number>();
  for (const [text, own] of grams.entries())
    for (const gram of own) expected.set(gram, (expected.get(gram) ?? 0) + rowsWith[text]);
  expect(new Map([...counts.entries()].filter(([, count]) => count > 0))).toEqual(
    new Map([...expected].sort(([a], [b]) => a - b)),
  );
});

it("gives the cosine of weighted sets", () => {
  const cosineOf = gramCosine(sets);
  const length = (own: readonly number[]): number =>
    Math.sqrt(own.reduce((sum, gram) => sum + sets.weights[gram], 0));
  for (const [a, own] of grams.entries())
    for (const [b, others] of grams.entries()) {
      const common = own.filter((gram) => others.includes(gram));
      const cosine = length(common) ** 2 / Math.max(1e-9, length(own) * length(others));
      expect(cosineOf(a, b)).toBeCloseTo(cosine, 5);
    }
});
