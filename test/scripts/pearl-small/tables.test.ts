/** The tables that pearl-small is trained on: shares of sources, and what is left out. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../setup/new-folder.js";

type Pairs = Map<string, [string, string][]>;
const script = new URL("../../../scripts/pearl-small/tables.mjs", import.meta.url).href;
const { pairsBySource, writePairs } = (await import(script)) as {
  pairsBySource: (path: string, longest: number) => Pairs;
  writePairs: (
    path: string,
    sources: Pairs,
    settings: { pairs: number; shares: object; seed: number },
  ) => Promise<void>;
};

const folder = newFolder();
const synonyms = join(folder, "synonyms.tsv");
const made = (source: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${source} ${i}\t${source} alias ${i}\t${source}`);
writeFileSync(
  synonyms,
  [
    "phrase\tsynonym\tsource",
    ...made("names", 60),
    ...made("terms", 10),
    "same\tsame\tnames",
    'so-called "x"\ty\tnames',
    `${"long ".repeat(12)}\tz\tnames`,
  ].join("\n"),
);
const sources = pairsBySource(synonyms, 59);
const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");

it("pairs: no phrase with itself, with a quote or too long", () => {
  expect(sources.get("names")).toHaveLength(60);
  expect(sources.get("terms")).toHaveLength(10);
});

it("a table has each source's share, at most all its pairs, in an order of its own", async () => {
  const path = join(folder, "pairs.tsv");
  const write = async (seed: number) => {
    await writePairs(path, sources, { pairs: 40, shares: { names: 1, terms: 1 }, seed });
    return linesOf(path);
  };
  const [header, ...rows] = await write(1);
  expect(header).toBe("text\tpositive");
  const isTerm = (row: string) => row.startsWith("terms");
  expect([rows.filter(isTerm).length, rows.length, new Set(rows).size]).toEqual([10, 30, 30]);
  expect(rows.findIndex(isTerm)).toBeLessThan(20);
  expect(await write(1)).toEqual([header, ...rows]);
  expect(await write(2)).not.toEqual([header, ...rows]);
});
