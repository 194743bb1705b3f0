/** The axes keep as much as the true directions of synthetic vectors. Where axes would save nothing, there are none. */
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { keptShare, principalAxes, project } from "../../src/search/principal-axes.js";
import { dotRows, unitRows } from "../../src/search/vectors.js";

const dimension = 96;
const rows = 3000;
const random = createRandom(5);

/** Orthogonal directions: reflections of the unit vectors (Householder). */
const mirror = unitRows(
  Float32Array.from({ length: dimension }, () => random() - 0.5),
  dimension,
);
const directionOf = (axis: number): Float32Array =>
  mirror.map((value, index) => (index === axis ? 1 : 0) - 2 * mirror[axis] * value);

/** Rows whose part along direction `axis` is `weights[axis]` times a number from -1 to 1. */
function rowsOf(weights: readonly number[]): Float32Array {
  const vectors = new Float32Array(rows * dimension);
  const directions = weights.map((_, axis) => directionOf(axis));
  for (let start = 0; start < vectors.length; start += dimension) {
    weights.forEach((weight, axis) => {
      const part = weight * (2 * random() - 1);
      for (let index = 0; index < dimension; index++)
        vectors[start + index] += part * directions[axis][index];
    });
  }
  return vectors;
}

describe("principalAxes", () => {
  it("keeps as much of the squares as the 32 strongest directions do, along orthogonal axes", async () => {
    const weights = Array.from({ length: dimension }, (_, axis) => 0.95 ** axis);
    const vectors = rowsOf(weights);
    const found = (await principalAxes(vectors, { dimension, kept: 0.9 }))!;
    expect(found.width).toBe(32);
    const strongest = Float32Array.from(
      Array.from({ length: 32 }, (_, axis) => [...directionOf(axis)]).flat(),
    );
    const best = await keptShare(vectors, { width: 32, dimension, axes: strongest });
    expect(best).toBeGreaterThan(0.95);
    expect(await keptShare(vectors, found)).toBeGreaterThan(best - 0.001);
    for (let a = 0; a < 32; a++) {
      for (let b = 0; b <= a; b++) {
        expect(dotRows(found.axes, a, found.axes, b, dimension)).toBeCloseTo(a === b ? 1 : 0, 4);
      }
    }
  });

  it("loses nothing of vectors that lie in twenty directions, and gives the same axes again", async () => {
    const vectors = rowsOf(Array.from({ length: 20 }, () => 1));
    const found = await principalAxes(vectors, { dimension, kept: 0.85 });
    expect(found?.width).toBe(32);
    expect(await keptShare(vectors, found!)).toBeCloseTo(1, 5);
    expect(await principalAxes(vectors, { dimension, kept: 0.85 })).toEqual(found);
  });

  it("gives none for vectors that fill their dimension, for few numbers, and for no vectors", async () => {
    const full = rowsOf(Array.from({ length: dimension }, () => 1));
    expect(await principalAxes(full, { dimension, kept: 0.85 })).toBeUndefined();
    expect(await principalAxes(full, { dimension: 48, kept: 0.1 })).toBeUndefined();
    expect(await principalAxes(new Float32Array(0), { dimension, kept: 0.1 })).toBeUndefined();
  });

  it("accepts zero vectors", async () => {
    const found = (await principalAxes(new Float32Array(5 * dimension), { dimension, kept: 0.85 }))!;
    expect(await project(new Float32Array(dimension).fill(1), found)).toHaveLength(found.width);
    expect(await keptShare(new Float32Array(dimension), found)).toBe(1);
  });
});

describe("project", () => {
  it("gives a vector the same coordinates alone and among thousands", async () => {
    const vectors = rowsOf(Array.from({ length: dimension }, (_, axis) => 0.9 ** axis));
    const axes = (await principalAxes(vectors, { dimension, kept: 0.85 }))!;
    const all = await project(vectors, axes);
    const one = await project(vectors.slice(7 * dimension, 8 * dimension), axes);
    one.forEach((value, axis) => {
      expect(value).toBeCloseTo(all[7 * axes.width + axis], 5);
      expect(value).toBeCloseTo(dotRows(vectors, 7, axes.axes, axis, dimension), 5);
    });
  });
});
