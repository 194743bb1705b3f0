import { describe, expect, it } from "vitest";
import { disjointSets, numbered } from "../src/disjoint-sets.js";
import { createRandom } from "../src/random.js";

/** The numbers that links lead to from a start, by walking. */
function reached(start: number, links: readonly (readonly [number, number])[]): Set<number> {
  const seen = new Set([start]);
  for (const at of seen)
    for (const link of links) if (link.includes(at)) for (const end of link) seen.add(end);
  return seen;
}

describe("disjointSets", () => {
  it("gives all numbers that chains of united pairs join the smallest of them as their root", () => {
    const random = createRandom(3);
    for (let round = 0; round < 20; round++) {
      const below = () => Math.floor(random() * 30);
      const links = Array.from({ length: 3 * round }, () => [below(), below()] as const);
      const sets = disjointSets(30);
      for (const [one, other] of links) sets.unite(one, other);
      const smallest = Array.from({ length: 30 }, (_, item) => Math.min(...reached(item, links)));
      expect([...sets.roots()]).toEqual(smallest);
    }
  });
});

it("numbered counts labels by first occurrence", () => {
  expect([...numbered([7, 2, 7, 9, 2])]).toEqual([0, 1, 0, 2, 1]);
  expect([...numbered(["b", "a", "b"])]).toEqual([0, 1, 0]);
});
