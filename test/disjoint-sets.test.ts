import { describe, expect, it } from "vitest";
import { disjointSets } from "../src/disjoint-sets.js";
import { createRandom } from "../src/random.js";

/** The numbers that links lead to from a start, by walking. */
function reached(start: number, links: readonly (readonly [number, number])[]): Set<number> {
  const seen = new Set([start]);
  for (const at of seen)
    for (const link of links) if (link.includes(at)) for (const end of link) seen.add(end);
  return seen;
}

describe("disjointSets", () => {
  it("puts into one set exactly what chains of united pairs join", () => {
    const random = createRandom(3);
    for (let round = 0; round < 20; round++) {
      const below = () => Math.floor(random() * 30) - 5;
      const links = Array.from({ length: 3 * round }, () => [below(), below()] as const);
      const sets = disjointSets();
      for (const [one, other] of links) sets.unite(one, other);
      for (let a = -5; a < 25; a++) {
        const joined = reached(a, links);
        for (let b = -5; b < 25; b++) expect(sets.setOf(a) === sets.setOf(b)).toBe(joined.has(b));
      }
    }
  });
});
