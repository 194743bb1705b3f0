import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { exactNeighbours } from "../../src/search/exact.js";
import { type IvfLists, makeIvfLists, nearestInLists } from "../../src/search/ivf-lists.js";
import { dotRows, unitRows } from "../../src/search/vectors.js";

const dimension = 16;
const rows = 900;
const random = createRandom(3);
const numbers = (count: number): Float32Array =>
  Float32Array.from({ length: count * dimension }, () => random() - 0.5);
/** Rows near thirty points, like phrases of thirty topics. */
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
const lists = await makeIvfLists(vectors, { dimension });

const membersOf = ({ starts, rows: members }: IvfLists, list: number): Uint32Array =>
  members.subarray(starts[list], starts[list + 1]);

describe("makeIvfLists", () => {
  it("puts each row into one list, that of the nearest centre", () => {
    const count = lists.starts.length - 1;
    expect(count).toBe(30);
    expect([...lists.rows].sort((a, b) => a - b)).toEqual([...vectors.keys()].slice(0, rows));
    for (let list = 0; list < count; list++) {
      for (const row of membersOf(lists, list)) {
        const products = Array.from({ length: count }, (_, centre) =>
          dotRows(lists.centres, centre, vectors, row, dimension),
        );
        expect(products[list]).toBeCloseTo(Math.max(...products), 5);
      }
    }
  });

  it("gives the same lists again", async () => {
    expect((await makeIvfLists(vectors, { dimension })).rows).toEqual(lists.rows);
  });

  it("makes at most one list per row, and accepts zero vectors", async () => {
    const few = await makeIvfLists(new Float32Array(3 * dimension), { dimension, lists: 8 });
    expect(few.starts.length - 1).toBe(3);
    expect(await nearestInLists(few, queries.subarray(0, dimension), { k: 3, probes: 3 })).toEqual(
      Int32Array.of(0, 1, 2),
    );
  });
});

describe("nearestInLists", () => {
  it("finds what an exact search finds if it searches every list", async () => {
    const found = await nearestInLists(lists, queries, { k: 5, probes: 30 });
    expect(found).toEqual(exact.indices);
  });

  it("finds over 90 % of it in a fifth of the lists", async () => {
    const found = await nearestInLists(lists, queries, { k: 5, probes: 6 });
    const share = found.filter((row, place) => exact.indices[place] === row).length / found.length;
    expect(share).toBeGreaterThan(0.9);
    expect(share).toBeLessThanOrEqual(1);
  });

  it("leaves places empty if the lists hold too few rows", async () => {
    const single = await makeIvfLists(vectors.subarray(0, 4 * dimension), { dimension, lists: 4 });
    const found = await nearestInLists(single, vectors.subarray(0, dimension), { k: 3, probes: 1 });
    expect(found[0]).toBe(0);
    expect(found[2]).toBe(-1);
  });
});
