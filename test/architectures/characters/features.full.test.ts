/** Phrases through character encoders: the same vector alone and among others, case kept, long input cut. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { encoders, writeCharacterModel } from "./sample.js";

const root = mkdtempSync(join(tmpdir(), "pearl-characters-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const phrases = [
  "The New York Times",
  "a",
  "…",
  "times",
  "New York",
  "O'Neil & Sons (Yorkshire) Ltd.",
  "Ünïcode 東京 𝒳",
];
const largest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

describe.each(Object.keys(encoders) as (keyof typeof encoders)[])("the character encoder %s", (kind) => {
  const folder = join(root, kind);
  writeCharacterModel(folder, kind);

  it("gives a phrase the same vector alone and in a batch with longer ones", async () => {
    const encoder = await PhraseEncoder.load(folder, { threads: 1 });
    const together = await encoder.encode(phrases, { normalize: false });
    for (const [i, phrase] of phrases.entries()) {
      const [alone] = await encoder.encode([phrase], { normalize: false });
      expect(largest(alone, together[i])).toBeLessThan(1e-5);
      expect(alone.some((value) => value !== 0)).toBe(true);
    }
    await encoder.dispose();
  });

  it("distinguishes capitals from small letters", async () => {
    const encoder = await PhraseEncoder.load(folder, { threads: 1 });
    const [plain, capital] = await encoder.encode(["new york", "New York"], { normalize: false });
    expect(largest(plain, capital)).toBeGreaterThan(1e-3);
    await encoder.dispose();
  });

  it("reports words and phrases that are longer than it reads", async () => {
    const encoder = await PhraseEncoder.load(folder, { threads: 1 });
    const { truncated } = await encoder.encodeMatrix(["x".repeat(100), "a b c d e f g", "fits"]);
    expect(truncated).toBe(2);
    await encoder.dispose();
  });
});
