/** The weight of years in the spelling's part. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PhraseEncoder } from "../../src/index.js";
import { testFolder } from "../table/folder.js";
import { partOf, smallWordModel } from "./small-word-model.js";

const script = new URL("../../scripts/pearl-mini/weigh-years.mjs", import.meta.url).href;
const { weighYears } = (await import(script)) as { weighYears: (folder: string, factor: number) => void };
const { path } = testFolder();

it("multiplies what a year counts beside a word, and changes no other weight", async () => {
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

/** Of a phrase of two words: how often the second's direction is in the sum for once the first's. */
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
    // sum = a first + b second: least squares in two dimensions
    const between = dot(first, second);
    const [p, q] = [dot(sum, first), dot(sum, second)];
    return (q - between * p) / (p - between * q);
  };
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * b[i], 0);
const unit = (row: readonly number[]) => row.map((value) => value / Math.sqrt(dot(row, row)));
