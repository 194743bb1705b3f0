import { describe, expect, it } from "vitest";
import { indexTerms, type SparseRows } from "../../../src/match/candidates/grams.js";
import { TermSearch } from "../../../src/match/candidates/term-search.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(8);
const [rows, terms] = [600, 60];

/** Rows of terms from rare to common: the last ones are in most rows. */
function drawRows(count: number): SparseRows {
  const starts = [0];
  const columns: number[] = [];
  const weights: number[] = [];
  for (let row = 0; row < count; row++) {
    for (let term = 0; term < terms; term++) {
      if (random() > (term / terms) ** 2 * 0.8 + 0.005) continue;
      columns.push(term);
      weights.push((0.2 + random()) / (1 + term));
    }
    starts.push(columns.length);
  }
  return {
    starts: Uint32Array.from(starts),
    columns: Uint32Array.from(columns),
    weights: Float32Array.from(weights),
  };
}

const entries = ({ starts, columns, weights }: SparseRows, row: number): Map<number, number> =>
  new Map(
    Array.from(columns.subarray(starts[row], starts[row + 1]), (term, place) => [
      term,
      weights[starts[row] + place],
    ]),
  );

/** The product of two rows, without terms beyond the postings that may be visited. */
function product(query: Map<number, number>, row: Map<number, number>, allowed: ReadonlySet<number>): number {
  return [...query].reduce(
    (sum, [term, weight]) => sum + (allowed.has(term) ? weight * (row.get(term) ?? 0) : 0),
    0,
  );
}

describe("the search by terms", () => {
  it.each([Infinity, 900, 50])(
    "finds what comparing with every row finds, within %d postings",
    (postings) => {
      const [base, queries] = [drawRows(rows), drawRows(40)];
      const index = indexTerms(base, terms);
      const search = new TermSearch(index, base);
      const all = Array.from({ length: rows }, (_, row) => entries(base, row));
      const length = (term: number): number => index.starts[term + 1] - index.starts[term];
      for (let query = 0; query < 40; query++) {
        const asked = entries(queries, query);
        const rarest = [...asked.keys()]
          .filter((term) => length(term) > 0)
          .sort((a, b) => length(a) - length(b) || a - b);
        let visited = 0;
        const allowed = rarest.filter((term, place) => {
          visited += length(term);
          return place === 0 || visited <= postings;
        });
        const accept = query % 2 === 0 ? (row: number): boolean => row % 3 !== 0 : undefined;
        const expected = all
          .map((row, number) => ({ row: number, score: product(asked, row, new Set(allowed)) }))
          .filter(({ row, score }) => score > 0 && (accept?.(row) ?? true))
          .sort((a, b) => b.score - a.score)
          .slice(0, 4);
        const found = search.find(queries, query, { k: 4, postings, accept });
        expect(found.length).toBe(expected.length);
        found.forEach(({ row, score }, place) => {
          expect(score).toBeCloseTo(expected[place].score, 5);
          expect(score).toBeCloseTo(product(asked, all[row], new Set(allowed)), 5);
        });
      }
    },
  );

  it("finds nothing for a query of common terms alone, where these are left out", () => {
    const [base, queries] = [drawRows(rows), drawRows(40)];
    const index = indexTerms(base, terms);
    const search = new TermSearch(index, base);
    const length = (term: number): number => index.starts[term + 1] - index.starts[term];
    const mostOfRarest = 30;
    let left = 0;
    for (let query = 0; query < 40; query++) {
      const rarest = Math.min(
        ...[...entries(queries, query).keys()].map(length).filter((postings) => postings > 0),
      );
      const every = search.find(queries, query, { k: 4, postings: 900 });
      const found = search.find(queries, query, { k: 4, postings: 900, mostOfRarest });
      expect(found).toEqual(rarest > mostOfRarest ? [] : every);
      if (rarest > mostOfRarest) left++;
    }
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(40);
  });
});
