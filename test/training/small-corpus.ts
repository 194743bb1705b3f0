/** A small corpus folder with types, synonyms and hard negatives, and settings that train on it in a second. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { writeCorpus, writeHardNegatives } from "../../src/corpus/corpus-folder.js";
import type { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { type MethodSettings, presets } from "../../src/methods/settings/method-settings.js";

const places = ["Paris", "Vienna", "Lagos", "Quito", "Oslo", "Hanoi", "Dakar", "Lima", "Cairo", "Kyoto"];
const bodies = ["Chess Club", "Water Company", "Opera House", "Football Association"];

/** Forty organisations, ten places, and twenty phrases without a type. */
export const corpusPhrases = [
  ...places.flatMap((place) => bodies.map((body) => ({ phrase: `${place} ${body}`, type: "ORG" as const }))),
  ...places.map((place) => ({ phrase: place, type: "GPE" as const })),
  ...places.flatMap((place) => [
    { phrase: `the river near ${place}`, type: undefined },
    { phrase: `old ${place} maps`, type: undefined },
  ]),
];

export async function smallCorpus(options: { hardNegatives?: "mined" | "missing" } = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pearl-corpus-"));
  await writeCorpus(folder, {
    phrases: corpusPhrases.map((entry, i) => ({ ...entry, lexicalClass: "NP" as const, count: 100 - i })),
    synonyms: places.map((place) => ({
      phrase: `${place} Chess Club`,
      synonym: `${place} Chess Society`,
      source: "names",
    })),
  });
  if (options.hardNegatives !== "missing")
    await writeHardNegatives(
      folder,
      places.flatMap((place, i) =>
        ["Water Company", "Opera House", "Football Association"].map((body) => ({
          phrase: `${place} ${body}`,
          negative: `${places[(i + 1) % places.length]} ${body}`,
          ratio: 0.8,
          cosine: 0.3,
        })),
      ),
    );
  return folder;
}

/** The whole method, small: a transformer of one layer, n-grams, types, hard negatives, synonyms. */
export const smallSettings: MethodSettings = {
  ...presets["from-scratch"],
  shape: { hidden: 16, layers: 1, heads: 2, vocabulary: 260, maximumLength: 16 },
  characters: { from: "ngrams", width: 8, buckets: 512 },
  anchors: 12,
  hardNegatives: 1,
  synonyms: 4,
  run: 2,
  augmentation: { preset: "house", wordNet: "off" },
  learningRate: 5e-3,
};

/** A trained model scores a misspelt twin above another phrase, and predicts the types of most of the corpus. */
export async function claimLearned(encoder: PhraseEncoder): Promise<void> {
  const scores = await encoder.similarity(["Paris Opera House"], ["Paris Opera Hause", "Lagos"]);
  expect(scores[0][0]).toBeGreaterThan(scores[0][1]);
  const typed = corpusPhrases.filter(({ type }) => type !== undefined);
  const predicted = await encoder.types(
    typed.map(({ phrase }) => phrase),
    { top: 1 },
  );
  const right = typed.filter(({ type }, i) => predicted[i][0].type === `NP-${type}`).length;
  expect(right / typed.length).toBeGreaterThan(0.75);
}
