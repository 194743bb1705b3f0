import { describe, expect, it } from "vitest";
import { pairCosines, prepareColumn } from "../../src/match/columns.js";
import { rankRows } from "../../src/match/rank-pool.js";
import type { RankSettings } from "../../src/match/rank-rows.js";
import { defaultScorer } from "../../src/match/scorer.js";
import { createRandom } from "../../src/random.js";

const random = createRandom(4);
const syllables = ["ka", "lo", "mi", "ten", "var", "sor", "bel", "dan", "fi", "gro"];
const word = (): string => Array.from({ length: 3 }, () => syllables[Math.floor(random() * 10)]).join("");
const left = Array.from({ length: 120 }, () => `${word()} ${word()}`);
const right = left.map((name) => name.slice(0, -1));
const column = await prepareColumn({ left, right }, {});
const settings: RankSettings = {
  column,
  scorer: defaultScorer().scorer,
  sameTable: false,
  keep: 3,
  candidates: 5,
  postings: 1000,
  scored: Infinity,
};
const queries = Uint32Array.from({ length: 100 }, (_, row) => row + 10);

describe("rankRows", () => {
  it("ranks the same in the calling thread and in workers", async () => {
    const here = await rankRows(settings, queries, { threads: 1 });
    const seen: number[] = [];
    const elsewhere = await rankRows(settings, queries, {
      threads: 2,
      itemsPerThread: 15,
      onProgress: (done) => seen.push(done),
    });
    expect(elsewhere).toEqual(here);
    expect(seen.at(-1)).toBe(100);
    expect(Array.from(queries, (_, place) => here.rows[place * 3])).toEqual([...queries]);
  });

  it("computes all features only for the candidates with the greatest cosines", async () => {
    const nearness = (query: number, row: number): number => {
      const { embedding, grams } = pairCosines(column, query, row);
      return embedding + grams;
    };
    const all = await rankRows({ ...settings, keep: 8 }, queries, { threads: 1 });
    const two = await rankRows({ ...settings, scored: 2 }, queries, { threads: 1 });
    queries.forEach((query, place) => {
      const candidates = [...all.rows.subarray(place * 8, (place + 1) * 8)].filter((row) => row >= 0);
      const nearest = candidates.sort((a, b) => nearness(query, b) - nearness(query, a)).slice(0, 2);
      const [first, second, third] = two.rows.subarray(place * 3, (place + 1) * 3);
      expect([first, second].sort()).toEqual(nearest.sort());
      expect(third).toBe(-1);
    });
  });

  it("ranks a table's own rows without themselves", async () => {
    const own = { ...settings, sameTable: true, column: { ...column, queries: column.base } };
    const { rows } = await rankRows(own, queries, { threads: 1 });
    queries.forEach((query, place) => expect(rows.subarray(place * 3, place * 3 + 3)).not.toContain(query));
  });

  it("stops on an abort signal and ends its workers", async () => {
    const stop = new AbortController();
    const ranking = rankRows(settings, queries, {
      threads: 2,
      itemsPerThread: 5,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await expect(ranking).rejects.toHaveProperty("name", "AbortError");
  });
});
