import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { type Cells, makeCells, nearestInCells } from "../../src/search/cells.js";
import { exactNeighbours } from "../../src/search/exact.js";
import { dotRows, unitRows } from "../../src/search/vectors.js";

const dimension = 16;
const rows = 900;
const random = createRandom(3);
const numbers = (count: number): Float32Array =>
  Float32Array.from({ length: count * dimension }, () => random() - 0.5);
/** Rows around thirty points, as phrases are around their topics. */
const points = numbers(30);
const vectors = unitRows(
  numbers(rows).map((value, index) => points[index % points.length] + 0.5 * value),
  dimension,
);
const queries = unitRows(
  vectors.slice(0, 200 * dimension).map((value) => value + 0.05 * (random() - 0.5)),
  dimension,
);
const exact = await exactNeighbours(queries, vectors, { dimension, k: 5, metric: "inner-product" });
const cells = await makeCells(vectors, { dimension });

const membersOf = ({ starts, rows: members }: Cells, cell: number): Uint32Array =>
  members.subarray(starts[cell], starts[cell + 1]);

describe("makeCells", () => {
  it("puts each row into one cell, that of the nearest centre", () => {
    const count = cells.starts.length - 1;
    expect(count).toBe(30);
    expect([...cells.rows].sort((a, b) => a - b)).toEqual([...vectors.keys()].slice(0, rows));
    for (let cell = 0; cell < count; cell++) {
      for (const row of membersOf(cells, cell)) {
        const products = Array.from({ length: count }, (_, centre) =>
          dotRows(cells.centres, centre, vectors, row, dimension),
        );
        expect(products[cell]).toBeCloseTo(Math.max(...products), 5);
      }
    }
  });

  it("gives the same cells again", async () => {
    expect((await makeCells(vectors, { dimension })).rows).toEqual(cells.rows);
  });

  it("makes no more cells than there are rows, and takes zero vectors", async () => {
    const few = await makeCells(new Float32Array(3 * dimension), { dimension, cells: 8 });
    expect(few.starts.length - 1).toBe(3);
    expect(await nearestInCells(few, queries.subarray(0, dimension), { k: 3, probes: 3 })).toEqual(
      Int32Array.of(0, 1, 2),
    );
  });
});

describe("nearestInCells", () => {
  it("finds what an exact search finds where every cell is looked into", async () => {
    const found = await nearestInCells(cells, queries, { k: 5, probes: 30 });
    expect(found).toEqual(exact.indices);
  });

  it("finds nearly all of it in a fifth of the cells", async () => {
    const found = await nearestInCells(cells, queries, { k: 5, probes: 6 });
    const share = found.filter((row, place) => exact.indices[place] === row).length / found.length;
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThanOrEqual(1);
  });

  it("leaves places empty where the cells hold too few rows", async () => {
    const single = await makeCells(vectors.subarray(0, 4 * dimension), { dimension, cells: 4 });
    const found = await nearestInCells(single, vectors.subarray(0, dimension), { k: 3, probes: 1 });
    expect(found[0]).toBe(0);
    expect(found[2]).toBe(-1);
  });
});
