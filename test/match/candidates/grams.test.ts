import { describe, expect, it } from "vitest";
import { indexTerms, termCosine, termRows } from "../../../src/match/candidates/grams.js";
import { TermSearch } from "../../../src/match/candidates/term-search.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(5);
const pool = "new york times post daily herald star globe tribune world news north south 1998 2002 fc".split(
  " ",
);
const title = (): string =>
  Array.from({ length: 1 + Math.floor(random() * 4) }, () => pool[Math.floor(random() * pool.length)]).join(
    " ",
  );
const left = Array.from({ length: 300 }, title);
const right = Array.from({ length: 40 }, title);
const terms = termRows(left, right);
const index = indexTerms(terms.left, terms.statistics.documents.length);

describe("terms of two tables", () => {
  it("finds the same rows as comparing with every row", () => {
    const search = new TermSearch(index, terms.left);
    right.forEach((_, query) => {
      const expected = left
        .map((__, row) => ({ row, score: termCosine(terms.right, query, terms.left, row) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      const found = search.find(terms.right, query, { k: 5, postings: Infinity });
      expect(found.length).toBe(Math.min(5, expected.length));
      found.forEach(({ row, score }, place) => {
        expect(Math.min(score, 1)).toBeCloseTo(expected[place].score, 5);
        expect(termCosine(terms.right, query, terms.left, row)).toBeCloseTo(Math.min(score, 1), 5);
      });
    });
  });

  it("returns a cosine of 1 for a row with itself", () => {
    for (let row = 0; row < 20; row++) expect(termCosine(terms.left, row, terms.left, row)).toBeCloseTo(1, 5);
  });

  it("follows the rarest terms first if postings are limited", () => {
    const names = [...Array.from({ length: 500 }, (_, row) => `club ${row}`), "zanzibar club"];
    const rows = termRows(names, ["zanzibar club"]);
    const search = new TermSearch(indexTerms(rows.left, rows.statistics.documents.length), rows.left);
    const found = search.find(rows.right, 0, { k: 3, postings: 20 });
    expect(found.map(({ row }) => row)).toEqual([500]);
  });

  it("finds only accepted rows", () => {
    const found = new TermSearch(index, terms.left).find(terms.right, 0, {
      k: 50,
      postings: Infinity,
      accept: (row) => row % 2 === 0,
    });
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ row }) => row % 2 === 0)).toBe(true);
  });

  it("finds a name by the initials of part of it", () => {
    const names = ["Davis v. Federal Election Commission", "Brown v. Board", "Smith v. Jones"].map((name) =>
      name.toLowerCase(),
    );
    const rows = termRows(names, ["fec"]);
    const found = new TermSearch(indexTerms(rows.left, rows.statistics.documents.length), rows.left).find(
      rows.right,
      0,
      {
        k: 1,
        postings: Infinity,
      },
    );
    expect(found).toMatchObject([{ row: 0 }]);
  });
});
