/**
 * Soft whitening of spelling, folded into the weights: layers that read spelling get the same inputs as
 * before.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PhraseEncoder } from "../../../../src/index.js";
import { createRandom } from "../../../../src/random.js";
import { testFolder } from "../../../table/folder.js";
import { partOf, smallWordModel } from "./small-word-model.js";

const script = new URL("../../../../scripts/pearl-mini/finish/whiten.mjs", import.meta.url).href;
const { whitenCharacters } = (await import(script)) as {
  whitenCharacters: (folder: string, phrases: string[], power: number) => Promise<void>;
};

const { path } = testFolder();
const random = createRandom(3);
const letters = (count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(random() * 26))).join("");
const phrases = Array.from({ length: 300 }, (_, i) => `word${i % 40} ${letters(5)} ${letters(3)}`);

async function embeddings(folder: string): Promise<number[][]> {
  const encoder = await PhraseEncoder.load(folder);
  try {
    return (await encoder.encode(phrases)).map((row) => Array.from(row));
  } finally {
    await encoder.dispose();
  }
}

const unit = (row: readonly number[]) => row.map((value) => value / Math.hypot(...row));
/** Effective number of directions, from 1 to the dimension: tr(C)^2 / tr(C^2) of the covariance C. */
function directions(rows: readonly number[][]): number {
  const width = rows[0].length;
  const mean = rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
  const covariance = (i: number, j: number) =>
    rows.reduce((sum, row) => sum + (row[i] - mean[i]) * (row[j] - mean[j]), 0) / rows.length;
  const all = Array.from({ length: width }, (_, i) =>
    Array.from({ length: width }, (_, j) => covariance(i, j)),
  );
  const trace = all.reduce((sum, row, i) => sum + row[i], 0);
  return trace ** 2 / all.flat().reduce((sum, value) => sum + value ** 2, 0);
}

const part = (rows: readonly number[][], name: "characters" | "meaning") =>
  rows.map((row) => unit(partOf(row, name)));

it("spreads spelling over more directions and does not change meaning and types", async () => {
  const plain = await smallWordModel(join(path, "before"), 7);
  const output = join(path, "after");
  cpSync(plain, output, { recursive: true });
  await whitenCharacters(output, phrases, 0.8);
  const [before, after] = [await embeddings(plain), await embeddings(output)];
  const [was, is] = [part(before, "meaning"), part(after, "meaning")];
  is.forEach((row, i) => {
    row.forEach((value, j) => {
      expect(value).toBeCloseTo(was[i][j], 4);
    });
    expect(Math.hypot(...partOf(after[i], "types"))).toBeCloseTo(
      Math.hypot(...partOf(before[i], "types")),
      4,
    );
  });
  const [narrow, wide] = [before, after].map((rows) => directions(part(rows, "characters")));
  expect(wide).toBeGreaterThan(narrow * 1.02);
  expect(wide).toBeGreaterThan(7);
});
