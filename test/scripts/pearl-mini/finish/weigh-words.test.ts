/** Weights of words in the sums of spelling and of meaning. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { markedWords } from "../../../../src/architectures/pearl-mini/marked-words.js";
import { PhraseEncoder } from "../../../../src/index.js";
import { readModel } from "../../../../src/onnx/io/file.js";
import { testFolder } from "../../../table/folder.js";
import { partOf, smallWordModel } from "./small-word-model.js";

const script = new URL("../../../../scripts/pearl-mini/finish/weigh-words.mjs", import.meta.url).href;
const { averageWithRarity, weighBrackets, weighSum, weighYears } = (await import(script)) as {
  averageWithRarity: (folder: string, rarity: { text: number; names: number }, names: string[]) => void;
  weighBrackets: (folder: string, addend: number) => void;
  weighSum: (folder: string, factor: number) => void;
  weighYears: (folder: string, factor: number) => void;
};
const { path } = testFolder();

it("multiplies the weights of years and changes no other weight", async () => {
  const words = ["series", "ashes", "1987", "2005", "3000", "42"];
  const plain = await smallWordModel(join(path, "plain"), 5, { words });
  const weighed = join(path, "weighed");
  cpSync(plain, weighed, { recursive: true });
  weighYears(weighed, 3);
  const [before, after] = [await weights(plain), await weights(weighed)];
  for (const phrase of ["ashes 2005", "ashes 1987", "unknown 2005"])
    expect(after(phrase) / before(phrase)).toBeCloseTo(3, 4);
  for (const phrase of ["ashes 3000", "ashes 42", "ashes series", "ashes 1988"])
    expect(after(phrase) / before(phrase)).toBeCloseTo(1, 4);
});

describe("the average of a word's weight and its rarity", () => {
  const words = ["series", "ashes", "1987", "2005", "3000", "42"];
  /** 7 names: "ashes" is in 3 of them, "series" in 1. */
  const names = ["Ashes 2005", "The Ashes", "Ashes series", "Lord's", "Perth", "Adelaide", "Sydney"];
  const averaged = async (
    name: string,
    rarity: { text: number; names: number },
    order: readonly string[] = words,
  ) => {
    const folder = await smallWordModel(join(path, name), 5, { words: order });
    averageWithRarity(folder, rarity, names);
    return folder;
  };
  // (0.12 + 0.88 log(1 + rank) / log(1 + words))^2 for six words
  const ofRank = (rank: number) => (0.12 + (0.88 * Math.log(1 + rank)) / Math.log(7)) ** 2;

  it("is the weight by rank if the fraction of the rarity in texts is 1", async () => {
    // the lengths of the word vectors cancel between two orders of the vocabulary
    const given = await averaged("given", { text: 1, names: 0 });
    const turned = await averaged("turned", { text: 1, names: 0 }, [...words].reverse());
    const [a, b] = [await weights(given), await weights(turned)];
    expect(a("ashes series") / b("ashes series")).toBeCloseTo(
      ofRank(1) / ofRank(2) / (ofRank(6) / ofRank(5)),
      4,
    );
    expect(a("ashes 2005") / b("ashes 2005")).toBeCloseTo(ofRank(4) / ofRank(2) / (ofRank(3) / ofRank(5)), 4);
    expect(softplus(numbers(given, "sum_weight.weight")[2])).toBeCloseTo(ofRank(2), 5);
  });

  it("is the rarity in names if its fraction is 1, except in the sum of meaning", async () => {
    const ranked = await averaged("ranked", { text: 1, names: 0 });
    const named = await averaged("named", { text: 0, names: 1 });
    const [a, b] = [await weights(named), await weights(ranked)];
    const inNames = (count: number) => Math.log(8 / (count + 1)) / Math.log(8);
    const wanted = inNames(1) / inNames(3) / (ofRank(1) / ofRank(2));
    expect(a("ashes series") / b("ashes series")).toBeCloseTo(wanted, 4);
    expect(numbers(named, "sum_weight.weight")).toEqual(numbers(ranked, "sum_weight.weight"));
  });

  it("is the trained weight if both fractions are 0, and lies between both otherwise", async () => {
    const trained = await smallWordModel(join(path, "trained"), 5, { words });
    const [unchanged, none, half, all] = await Promise.all([
      weights(trained),
      weights(await averaged("none", { text: 0, names: 0 })),
      weights(await averaged("half", { text: 0.5, names: 0 })),
      weights(await averaged("all", { text: 1, names: 0 })),
    ]);
    for (const phrase of ["ashes series", "ashes 2005"]) {
      expect(none(phrase)).toBeCloseTo(unchanged(phrase), 4);
      const [least, most] = [unchanged(phrase), all(phrase)].sort((a, b) => a - b);
      expect(half(phrase)).toBeGreaterThan(least);
      expect(half(phrase)).toBeLessThan(most);
    }
  });
});

it("changes only the weights of the marks of brackets", async () => {
  const folder = await smallWordModel(join(path, "brackets"), 5);
  const before = numbers(folder, "char_flag.weight");
  weighBrackets(folder, -0.4);
  const after = numbers(folder, "char_flag.weight");
  const marks = ["a (b)", "A (B)", "A (BC)"].map((phrase) => markedWords(phrase)[1].mark);
  expect(marks.toSorted()).toEqual([2, 5, 8]);
  after.forEach((value, mark) => {
    expect(value - before[mark]).toBeCloseTo(marks.includes(mark) ? -0.4 : 0, 5);
  });
});

it("multiplies the sum of words in meaning", async () => {
  const plain = await smallWordModel(join(path, "sum"), 5);
  const before = ["weight", "bias"].map((part) => numbers(plain, `sum_to_phrase.${part}`));
  weighSum(plain, 1.5);
  for (const [i, part] of ["weight", "bias"].entries())
    numbers(plain, `sum_to_phrase.${part}`).forEach((value, at) => {
      expect(value).toBeCloseTo(1.5 * before[i][at], 5);
    });
});

const softplus = (x: number) => Math.log1p(Math.exp(x));
const numbers = (folder: string, name: string) =>
  Array.from(readModel(join(folder, "onnx/model.onnx")).graph.initializers.get(name)?.data ?? [], Number);

/** The weight of the second word of a phrase relative to the first. */
async function weights(folder: string): Promise<(phrase: string) => number> {
  const encoder = await PhraseEncoder.load(folder);
  const texts = ["ashes", "unknown", "2005", "1987", "3000", "42", "series", "1988"];
  const phrases = [
    "ashes 2005",
    "ashes 1987",
    "unknown 2005",
    "ashes 3000",
    "ashes 42",
    "ashes series",
    "ashes 1988",
  ];
  const rows = await encoder.encode([...texts, ...phrases]);
  await encoder.dispose();
  const vector = new Map(
    [...texts, ...phrases].map((text, i) => [text, unit(partOf(rows[i], "characters"))]),
  );
  const get = (text: string) => vector.get(text) as number[];
  return (phrase) => {
    const [first, second] = phrase.split(" ").map(get);
    const sum = get(phrase);
    // solve sum = a first + b second by least squares
    const between = dot(first, second);
    const [p, q] = [dot(sum, first), dot(sum, second)];
    return (q - between * p) / (p - between * q);
  };
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * b[i], 0);
const unit = (row: readonly number[]) => row.map((value) => value / Math.sqrt(dot(row, row)));
