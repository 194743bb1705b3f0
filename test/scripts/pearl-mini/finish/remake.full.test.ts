/** A model rebuilt with the same weights and another temperature of the types within an embedding. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { WordEncoderSizes } from "../../../../src/architectures/pearl-mini/sizes.js";
import { PhraseEncoder } from "../../../../src/index.js";
import { testFolder } from "../../../table/folder.js";
import { partOf, smallWordModel } from "./small-word-model.js";

const script = new URL("../../../../scripts/pearl-mini/finish/remake.mjs", import.meta.url).href;
const { remakeModel } = (await import(script)) as {
  remakeModel: (folder: string, sizes: Partial<WordEncoderSizes>) => void;
};
const { path } = testFolder();
const phrases = ["word1 word2", "xyzzy", "Word9 word4 xyzzy", "nothing that is known"];

it("flattens the type part of the embedding, but not the other parts and the predicted types", async () => {
  const plain = await smallWordModel(join(path, "plain"), 7);
  const tempered = join(path, "tempered");
  cpSync(plain, tempered, { recursive: true });
  remakeModel(tempered, { typeTemperature: 2 });
  const [before, after] = await Promise.all([plain, tempered].map(embeddings));
  expect(after.types).toEqual(before.types);
  for (const [i, row] of after.rows.entries()) {
    for (const part of ["characters", "meaning"] as const)
      partOf(row, part).forEach((value, j) => {
        expect(value).toBeCloseTo(partOf(before.rows[i], part)[j], 6);
      });
    // the part holds roots of probabilities; temperature 2 takes the root of each, and normalises
    const expected = unit(partOf(before.rows[i], "types").map(Math.sqrt));
    unit(partOf(row, "types")).forEach((value, j) => {
      expect(value).toBeCloseTo(expected[j], 5);
    });
    expect(Math.max(...unit(partOf(row, "types")))).toBeLessThan(
      Math.max(...unit(partOf(before.rows[i], "types"))),
    );
  }
});

it("replaces the gate layer by constant gates", async () => {
  const gates = {
    withCapital: { characters: 0.5, meaning: 0.3, types: 0.2 },
    word: { characters: 0.4, meaning: 0.5, types: 0.1 },
    phrase: { characters: 0.1, meaning: 0.8, types: 0.1 },
  };
  const writings = ["phrase", "word", "withCapital", "phrase"] as const;
  const plain = await smallWordModel(join(path, "layer"), 8);
  const gated = join(path, "gated");
  cpSync(plain, gated, { recursive: true });
  remakeModel(gated, { gates });
  const [before, after] = await Promise.all([plain, gated].map(embeddings));
  for (const [i, row] of after.rows.entries())
    for (const part of ["characters", "meaning", "types"] as const) {
      const own = partOf(row, part);
      const expected = gates[writings[i]][part];
      expect(own.reduce((sum, value) => sum + value ** 2, 0)).toBeCloseTo(expected, 5);
      const direction = unit(partOf(before.rows[i], part));
      unit(own).forEach((value, j) => {
        expect(value).toBeCloseTo(direction[j], 5);
      });
    }
});

async function embeddings(folder: string) {
  const encoder = await PhraseEncoder.load(folder);
  try {
    const rows = (await encoder.encode(phrases)).map((row) => Array.from(row));
    return { rows, types: await encoder.types(phrases) };
  } finally {
    await encoder.dispose();
  }
}

const unit = (row: readonly number[]) => row.map((value) => value / Math.hypot(...row));
