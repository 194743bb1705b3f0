/** K-means against scikit-learn's on synthetic points (test/oracles/k_means.py). */
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { kMeans } from "../../src/search/k-means.js";
import oracle from "../oracles/k_means.json" with { type: "json" };

describe.each(oracle.cases)("k-means on points: $name", (example) => {
  const points = Float32Array.from(example.points);
  const { dimension, clusters } = example;

  it("reaches scikit-learn's result from the same first centres", () => {
    const initialCentres = Float32Array.from(example.start);
    const result = kMeans(points, { dimension, clusters, initialCentres });
    expect([...result.labels]).toEqual(example.labels);
    expect(result.inertia / example.inertia).toBeCloseTo(1, 4);
  });

  it("comes within 2 % of scikit-learn's best of 50 starts with its own 10", () => {
    for (const seed of [0, 1, 2]) {
      const { inertia } = kMeans(points, { dimension, clusters, seed });
      expect(inertia).toBeLessThan(example.bestInertia * 1.02);
    }
  });

  it("returns the means of the clusters it returns", () => {
    const { labels, centres } = kMeans(points, { dimension, clusters, tolerance: 0 });
    for (let cluster = 0; cluster < clusters; cluster++) {
      const rows = [...labels.keys()].filter((row) => labels[row] === cluster);
      for (let column = 0; column < dimension; column++) {
        const mean = rows.reduce((sum, row) => sum + points[row * dimension + column], 0) / rows.length;
        expect(centres[cluster * dimension + column]).toBeCloseTo(mean, 3);
      }
    }
  });
});

describe("k-means", () => {
  const random = createRandom(3);
  const points = Float32Array.from({ length: 1200 }, () => random());

  it("gives the same clustering for the same seed", () => {
    const run = (seed: number): Int32Array =>
      kMeans(points, { dimension: 4, clusters: 6, starts: 1, seed }).labels;
    expect(run(5)).toEqual(run(5));
    expect([1, 2, 3].some((seed) => run(seed).join() !== run(5).join())).toBe(true);
  });

  it("survives fewer distinct points than clusters", () => {
    const { inertia } = kMeans(new Float32Array(20).fill(1), { dimension: 2, clusters: 3 });
    expect(inertia).toBe(0);
  });

  it("refuses more clusters than points", () => {
    expect(() => kMeans(points, { dimension: 4, clusters: 301 })).toThrow(
      "cannot make 301 clusters of 300 points",
    );
  });
});
