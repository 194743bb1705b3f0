import { describe, expect, it } from "vitest";
import { likeArray } from "../../src/like-array.js";
import { pairCosines, prepareColumn } from "../../src/match/columns.js";
import { openRanking } from "../../src/match/rank-pool.js";
import type { RankRequest, RankSettings } from "../../src/match/rank-rows.js";
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
  candidates: 5,
  postings: 1000,
};
const request: RankRequest = { sameTable: false, keep: 3, scored: Infinity };
const queries = Uint32Array.from({ length: 100 }, (_, row) => row + 10);

const here = openRanking(settings, { threads: 1 });

describe("openRanking", () => {
  it("ranks the same in the calling thread and in workers, also in later calls and after their end", async () => {
    const all = await here.rank(queries, request);
    const own = await here.rank(queries, { ...request, sameTable: true });
    const workers = openRanking(settings, { threads: 2, itemsPerThread: 15 });
    const seen: number[] = [];
    expect(await workers.rank(queries, request, { onProgress: (done) => seen.push(done) })).toEqual(all);
    expect(seen.at(-1)).toBe(100);
    expect(await workers.rank(queries, { ...request, sameTable: true })).toEqual(own);
    await workers.close();
    expect(await workers.rank(queries, request)).toEqual(all);
    await workers.close();
    expect(Array.from(queries, (_, place) => all.rows[place * 3])).toEqual([...queries]);
  });

  it("ranks rows whose texts lie in a file, in workers too", async () => {
    const lazy = (texts: readonly string[]) => likeArray(texts.length, (row) => texts[row]);
    const ofFile = await prepareColumn({ left: lazy(left), right: lazy(right) }, {});
    const workers = openRanking({ ...settings, column: ofFile }, { threads: 2, itemsPerThread: 15 });
    expect(await workers.rank(queries, request)).toEqual(await here.rank(queries, request));
    await workers.close();
  });

  it("computes all features only for the candidates with the greatest cosines", async () => {
    const nearness = (query: number, row: number): number => {
      const { embedding, grams } = pairCosines(column, query, row);
      return embedding + grams;
    };
    const all = await here.rank(queries, { ...request, keep: 8 });
    const two = await here.rank(queries, { ...request, scored: 2 });
    queries.forEach((query, place) => {
      const candidates = [...all.rows.subarray(place * 8, (place + 1) * 8)].filter((row) => row >= 0);
      const nearest = candidates.sort((a, b) => nearness(query, b) - nearness(query, a)).slice(0, 2);
      const [first, second, third] = two.rows.subarray(place * 3, (place + 1) * 3);
      expect([first, second].sort()).toEqual(nearest.sort());
      expect(third).toBe(-1);
    });
  });

  it("ranks a table's own rows without themselves", async () => {
    const { rows } = await here.rank(queries, { ...request, sameTable: true });
    queries.forEach((query, place) => expect(rows.subarray(place * 3, place * 3 + 3)).not.toContain(query));
  });

  it("stops on an abort signal and ends its workers", async () => {
    const stop = new AbortController();
    const workers = openRanking(settings, { threads: 2, itemsPerThread: 5 });
    const run = { signal: stop.signal, onProgress: () => stop.abort() };
    await expect(workers.rank(queries, request, run)).rejects.toHaveProperty("name", "AbortError");
    await workers.close();
  });
});
