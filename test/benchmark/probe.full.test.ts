import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { probe } from "../../src/benchmark/probe.js";
import { createRandom } from "../../src/random.js";

/** Written by test/oracles/ppdb_probe.py with PyTorch: the same pairs, first weights and batches. */
const oracle = JSON.parse(readFileSync(new URL("../oracles/ppdb_probe.json", import.meta.url), "utf8"));

function pairs(count: number, dimension: number, seed: number) {
  const random = createRandom(seed);
  const features: number[] = [];
  const positive: boolean[] = [];
  for (let pair = 0; pair < count; pair++) {
    const first = Array.from({ length: dimension }, () => 2 * random() - 1);
    const same = random() < 0.5;
    const second = first.map((x, i) => x * (same || i % 2 === 1 ? 1 : -1) + 1.6 * (random() - 0.5));
    features.push(...first, ...second);
    positive.push(same);
  }
  return { features: Float32Array.from(features), positive };
}
const { features, positive } = pairs(oracle.count, oracle.dimension, oracle.seed);

describe("the probe of PPDB", () => {
  it.each(oracle.cases as { seed: number; learningRate: number; protocol: "fair" | "published" }[])(
    "ends at PyTorch's accuracy: seed $seed, rate $learningRate, $protocol",
    async ({ seed, learningRate, protocol, ...expected }) => {
      const { accuracy, ...rest } = await probe(features, positive, { seed, learningRate, protocol });
      const right = expected as { accuracy: number; epochs: number; tested: number };
      expect(rest).toEqual({ epochs: right.epochs, tested: right.tested });
      // one test pair near the boundary may fall to the other side by rounding
      expect(Math.abs(accuracy - right.accuracy)).toBeLessThan(1.5 / right.tested);
    },
  );

  it("stops when asked to", async () => {
    const signal = AbortSignal.abort();
    const options = { seed: 0, protocol: "fair", signal } as const;
    await expect(probe(features, positive, options)).rejects.toHaveProperty("name", "AbortError");
  });
});
