/** Links of a list, by similarity and by row, and the representative of a group. */
import { describe, expect, it } from "vitest";
import { type Links, linkTable, representative } from "../../src/group/links.js";
import { createRandom } from "../../src/random.js";

/** Links and similarity of points on a line: the similarity is 1 minus a tenth of the distance. */
function line(points: readonly number[]): { links: Links; similarity: (a: number, b: number) => number } {
  const similarity = (a: number, b: number): number => Math.max(0, 1 - Math.abs(points[a] - points[b]) / 10);
  const [left, right, scores]: number[][] = [[], [], []];
  points.forEach((_, a) => {
    for (let b = a + 1; b < points.length; b++) {
      left.push(a);
      right.push(b);
      scores.push(similarity(a, b));
    }
  });
  const links = {
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    scores: Float32Array.from(scores),
  };
  return { links, similarity };
}

describe("links", () => {
  it("finds links by similarity and by row", () => {
    const random = createRandom(9);
    const points = Array.from({ length: 40 }, () => Math.floor(30 * random()) / 4);
    const { links } = line(points);
    const { scores, strongest, ofRow } = linkTable(40, links);
    const order = [...scores.keys()].sort((a, b) => scores[b] - scores[a] || a - b);
    expect(new Set(scores).size).toBeLessThan(scores.length);
    expect([...strongest]).toEqual(order);
    for (const row of points.keys()) {
      const own = [...scores.keys()].filter((link) => links.left[link] === row || links.right[link] === row);
      expect([...ofRow(row)]).toEqual(own);
    }
  });

  it("represents a group by its medoid; of two, the more frequent, then the longer, then the first", () => {
    const { similarity } = line([0, 1, 5]);
    const phrases = ["a", "bb", "cc"];
    const choose = (members: number[], counts: number[]) =>
      representative(members, { similarity, counts, phrases });
    expect(choose([0, 1, 2], [1, 1, 1])).toBe(1);
    expect(choose([0, 1, 2], [1, 1, 9])).toBe(2);
    expect(choose([0, 1], [5, 1, 1])).toBe(0);
    expect(choose([0, 1], [1, 1, 1])).toBe(1);
    expect(choose([1, 2], [1, 1, 1])).toBe(1);
  });
});
