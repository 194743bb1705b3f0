import { describe, expect, it } from "vitest";
import type { Range } from "../../../src/files/shards/shard.js";
import { indexTerms, termRows } from "../../../src/match/candidates/grams.js";
import type { SearchSettings } from "../../../src/match/candidates/term-search.js";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { compareTables } from "../../../src/match/compare-tables.js";
import { inRanges, type RangeOptions } from "../../../src/match/run/partition.js";
import { tableWithDuplicates, twoTables } from "../people.js";

const { left } = twoTables(300, 100);
const terms = termRows(left.name, []);
const settings: SearchSettings = {
  ...{
    queries: terms.left,
    base: terms.left,
    index: indexTerms(terms.left, terms.statistics.documents.length),
  },
  ...{ k: 5, least: 0, postings: 1000, isOneTable: true },
};

async function search(options: RangeOptions): Promise<string[]> {
  const pairs: string[] = [];
  const work = {
    settings,
    total: left.name.length,
    itemsIn: (range: Range) => range,
    take: ({ queries, rows }: { queries: Int32Array; rows: Int32Array }) =>
      queries.forEach((query, pair) => pairs.push(`${query} ${rows[pair]}`)),
  };
  await inRanges("search", work, options);
  return pairs.sort();
}

describe("work in ranges", () => {
  it("gives the same in the calling thread and in any number of threads, and tells how far it is", async () => {
    const expected = await search({ threads: 1 });
    expect(expected.length).toBeGreaterThan(left.name.length);
    for (const threads of [2, 3]) {
      const seen: number[] = [];
      const onProgress = (done: number, total: number): void => {
        expect(total).toBe(left.name.length);
        seen.push(done);
      };
      expect(await search({ threads, itemsPerThread: 60, onProgress })).toEqual(expected);
      expect(seen).toEqual(seen.slice().sort((a, b) => a - b));
      expect(seen.at(-1)).toBe(left.name.length);
    }
  });

  it.each([1, 2])("stops with the reason of an aborted signal, in %d threads", async (threads) => {
    const stop = new AbortController();
    const onProgress = (): void => stop.abort(new Error("enough"));
    await expect(search({ threads, itemsPerThread: 50, signal: stop.signal, onProgress })).rejects.toThrow(
      "enough",
    );
  });

  it("compares tables the same for any number of threads", async () => {
    const tables = prepareTables(tableWithDuplicates(100).table, undefined);
    const one = await compareTables(tables, { threads: 1 });
    const two = await compareTables(tables, { threads: 2, itemsPerThread: 1000 });
    expect(two.left).toEqual(one.left);
    expect(two.right).toEqual(one.right);
    expect(two.levels).toEqual(one.levels);
    expect(two.random).toEqual(one.random);
  });
});
