/** What a shard reads of a first pass: its pairs, and no more than occurs in them. */
import { describe, expect, it } from "vitest";
import { firstPass, type Kept, ShardDone } from "../../../src/files/shards/shard.js";
import type { TableColumns } from "../../../src/match/columns/align.js";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { rowWords } from "../../../src/match/columns/row-words.js";
import { compareTables } from "../../../src/match/compare-tables.js";
import { withComparisons } from "../../../src/match/evidence/own-comparison.js";
import { comparisonSettings, rowComparison } from "../../../src/match/evidence/pair-evidence.js";
import { needOfShard } from "../../../src/match/memory/memory-plan.js";
import { compareShard, sizeOfShard } from "../../../src/match/shards/compare-shard.js";
import { readComparison } from "../../../src/match/shards/kept-comparison.js";
import { createRandom } from "../../../src/random.js";
import { readerOf } from "../../files/shards/merged.js";

const random = createRandom(11);
const syllables = ["ba", "do", "ki", "lu", "me", "no", "ra", "si", "tu", "ve"];
const word = (): string => Array.from({ length: 3 }, () => syllables[Math.floor(random() * 10)]).join("");
const people = (rows: number): TableColumns => ({
  name: Array.from({ length: rows }, () => `${word()} ${word()}`),
  phone: Array.from({ length: rows }, () => String(100_000 + Math.floor(random() * 899_999))),
});

async function learned(left: TableColumns, right?: TableColumns): Promise<Kept> {
  const done = await compareTables(prepareTables(left, right), { sharing: firstPass }).catch(
    (error: unknown) => error,
  );
  if (!(done instanceof ShardDone)) throw done;
  return done.kept;
}

const [few, many] = [people(60), people(500)];

describe("a shard of a first pass", () => {
  it.each([
    ["the larger table is the left one", many, few],
    ["the larger table is the right one", few, many],
    ["there is one table", many, undefined],
  ])("has its pairs and a part of the larger table, where %s", async (_, left, right) => {
    const kept = await learned(left, right);
    const count = 6;
    const found = new Set<string>();
    const larger = right === undefined || left === many ? 0 : 1;
    for (let index = 1; index <= count; index++) {
      const { settings, pairs, rows } = await readComparison(readerOf(kept), { index, count });
      const [field] = settings.fields;
      expect(rows[larger].length).toBeLessThan(right === undefined ? 500 : 500 / count + 1);
      expect([field.left.length, field.right.length]).toEqual([rows[0].length, rows[1].length]);
      const used = new Set([...field.left, ...field.right].filter((value) => value >= 0));
      expect(field.set.counts).toHaveLength(used.size);
      expect(settings.rowWords.rarity).toHaveLength(settings.words.starts.length - 1);
      for (let pair = 0; pair < pairs.left.length; pair++)
        found.add(`${rows[0][pairs.left[pair]]} ${rows[1][pairs.right[pair]]}`);
    }
    const all = Array.from(kept.left, (row, pair) => `${row} ${kept.right[pair]}`);
    expect(all.length).toBeGreaterThan(300);
    expect([...found].sort()).toEqual(all.sort());
  });

  it("compares cells as they are written by a module, as the whole does", async () => {
    const source = "export default (a, b) => (a.startsWith('T ') ? Number(a.at(-1) === b.at(-1)) : NaN)";
    const compare = { phone: `data:text/javascript,${encodeURIComponent(source)}` };
    const written = ({ name, phone }: TableColumns) => ({ name, phone: phone.map((cell) => `T ${cell}`) });
    const tables = prepareTables(
      written(few),
      written(many),
      await withComparisons([few, many], { compare }),
    );
    const done = await compareTables(tables, { sharing: firstPass }).catch((error: unknown) => error);
    const whole = rowComparison(comparisonSettings(tables, rowWords(tables)));
    const phone = whole.columns.findIndex(({ name }) => name === "phone");
    const seen = new Set<number>();
    for (const index of [1, 2, 3]) {
      const kept = readerOf((done as ShardDone).kept);
      const { settings, pairs, rows } = await readComparison(kept, { index, count: 3 });
      const inAll = {
        left: pairs.left.map((row) => rows[0][row]),
        right: pairs.right.map((row) => rows[1][row]),
      };
      const levels = rowComparison(settings).compareAll(pairs)[phone];
      expect(levels).toEqual(whole.compareAll(inAll)[phone]);
      for (const level of levels) seen.add(level);
    }
    expect([...seen].sort()).toEqual(expect.arrayContaining([0, 6]));
  });

  it("needs less memory the more shards there are, and is refused a limit below it", async () => {
    const kept = readerOf(await learned(few, many));
    const needs = await Promise.all(
      [1, 4, 16].map(async (count) => needOfShard(await sizeOfShard(kept, { index: 1, count })).least),
    );
    expect(needs).toEqual([...needs].sort((a, b) => b - a));
    expect(needs[0]).toBeGreaterThan(needs[2]);
    const memory = { bytes: needs[2] - 1, folder: "." };
    await expect(compareShard(kept, { index: 1, count: 16 }, { memory })).rejects.toThrow(
      /^[\d,]+ pairs of [\d,]+ rows need at least \d+ MB of memory, and the limit is \d+ MB\. Raise it: --memory \d+m/,
    );
  });
});
