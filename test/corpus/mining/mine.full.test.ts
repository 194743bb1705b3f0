/** Mining gives the list of a brute-force search with any number of threads; a stopped run writes nothing. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHardNegatives, writeCorpus } from "../../../src/corpus/corpus-folder.js";
import { type MineOptions, type MiningEncoder, mineCorpus } from "../../../src/corpus/mining/mine.js";
import { editRatio } from "../../../src/pearl/hard-negatives/edit-ratio.js";
import { createRandom } from "../../../src/random.js";
import { mergedRun } from "../../files/shards/merged.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-mining-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function corpus(phrases: readonly string[]): Promise<string> {
  const path = await mkdtemp(join(folder, "corpus-"));
  await writeCorpus(path, {
    phrases: phrases.map((phrase) => ({ phrase, lexicalClass: "NP" as const, count: 2 })),
  });
  return path;
}

function manyNames(count: number): string[] {
  const random = createRandom(11);
  const parts = ["mar", "tin", "ber", "lo", "ka", "ster", "dam", "ville", "ro", "sen", "burg", "al"];
  const part = (): string => parts[Math.floor(random() * parts.length)];
  const names = new Set<string>();
  while (names.size < count) names.add(`${part()}${part()}${part()} ${part()}${part()}`);
  return [...names];
}

/** A vector that depends only on the phrase. Its numbers are small integers: rounding to bytes loses almost nothing. */
function vectorOf(phrase: string): Float32Array {
  let seed = 7;
  for (const unit of phrase) seed = (seed * 31 + (unit.codePointAt(0) as number)) | 0;
  const random = createRandom(seed);
  const vector = Float32Array.from({ length: 16 }, () => Math.floor(random() * 255) - 100);
  vector[0] = 127;
  return vector.map((value) => Math.max(-127, Math.min(127, value)));
}

function encoder(): MiningEncoder {
  return {
    dimension: 16,
    fingerprint: async () => "test",
    async encodeMatrix(phrases) {
      const data = new Float32Array(phrases.length * 16);
      phrases.forEach((phrase, row) => {
        data.set(vectorOf(phrase), 16 * row);
      });
      return { data };
    },
  };
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array): number =>
    x.reduce((sum, value, i) => sum + value * y[i], 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe("mineCorpus", () => {
  it("lists the negatives of the definition, checked pair by pair", async () => {
    const phrases = manyNames(400);
    const path = await corpus(phrases);
    const report = await mineCorpus(path, { encoder: encoder(), threads: 2, nearest: 400 });
    const mined = await readHardNegatives(path);
    let listed = 0;
    for (const phrase of phrases) {
      const near = phrases
        .map((other) => ({
          other,
          ratio: editRatio(phrase, other),
          cosine: cosine(vectorOf(phrase), vectorOf(other)),
        }))
        .filter(({ other, ratio }) => other !== phrase && ratio > 0.7);
      const lowest = Math.min(...near.map((one) => one.cosine), near.length < 5 ? report.floor : 1);
      const margins = near
        .map((one) => one.ratio - (one.cosine - lowest) / (1 - lowest))
        .filter((margin) => margin > 0.3)
        .sort((a, b) => b - a)
        .slice(0, 12);
      const found = (mined.get(phrase) ?? []).map((one) => one.ratio - one.cosine);
      expect(found.length).toBe(margins.length);
      found.forEach((margin, place) => {
        expect(margin).toBeCloseTo(margins[place], 3);
      });
      listed += found.length;
    }
    expect(report.negatives).toBe(listed);
    expect(listed).toBeGreaterThan(500);
  });

  it("writes nothing when it is stopped, and the next run gives the same list on another number of threads", async () => {
    const path = await corpus(manyNames(9000));
    const list = (): Promise<string> => readFile(join(path, "hard-negatives.tsv"), "utf8");
    const controller = new AbortController();
    const stopAfterAShard: Partial<MineOptions> = {
      signal: controller.signal,
      onProgress: ({ step, done }) => {
        if (step === "mining" && done >= 4096) controller.abort();
      },
    };
    const before = await readdir(path);
    const notes: string[] = [];
    const onNote = (note: string) => void notes.push(note);
    const stopped = mineCorpus(path, { encoder: encoder(), threads: 1, onNote, ...stopAfterAShard });
    await expect(stopped).rejects.toHaveProperty("name", "AbortError");
    expect(notes.join()).toMatch(
      /mining was stopped: [\d,]+ of 9,000 phrases were mined; nothing was written/,
    );
    expect(await readdir(path)).toEqual(before);

    const report = await mineCorpus(path, { encoder: encoder(), threads: 2 });
    expect(report.phrases).toBe(9000);
    const expected = await list();
    await mineCorpus(path, { encoder: encoder(), threads: 1 });
    expect(await list()).toBe(expected);
  });

  it("gives the files and the report of one run where it is done in shards", async () => {
    const path = await corpus([...manyNames(5000), "x".repeat(300)]);
    const files = () =>
      Promise.all(["hard-negatives.tsv", "mining.json"].map((name) => readFile(join(path, name), "utf8")));
    const mine = (sharing?: MineOptions["sharing"]) =>
      mineCorpus(path, { encoder: encoder(), threads: 2, listed: 5, sharing });
    const report = await mine();
    const expected = await files();
    for (const count of [1, 3, 40]) {
      await rm(join(path, "hard-negatives.tsv"));
      expect(await mergedRun(count, mine)).toEqual(report);
      expect(await files()).toEqual(expected);
    }
  });
});
