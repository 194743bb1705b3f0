/** The tables that pearl-small is trained on: shares of sources, and what is left out. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newFolder } from "../../setup/new-folder.js";

type Pairs = Map<string, [string, string][]>;
const script = new URL("../../../scripts/pearl-small/tables.mjs", import.meta.url).href;
const { pairsBySource, writePairs, writePhrases } = (await import(script)) as {
  pairsBySource: (path: string, longest: number) => Pairs;
  writePairs: (
    path: string,
    sources: Pairs,
    settings: { pairs: number; shares: object; seed: number },
  ) => Promise<void>;
  writePhrases: (
    path: string,
    from: { phrases: string; sources: Pairs; longest: number },
    settings: { phrases: object; pairs: object; seed: number },
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

it("phrases are drawn by kind and from both sides of pairs, each once", async () => {
  const phrases = join(folder, "phrases.tsv");
  writeFileSync(
    phrases,
    "phrase\tclass\ttype\tcount\nParis\tNP\tGPE\t1\nflu\tNP\tOTHER/disease\t1\nin time\tPP\tOTHER\t1\nthe sum\tNP\t\t1\nRome\tNP\tGPE\t1\n",
  );
  const path = join(folder, "phrases-out.tsv");
  const counts = { names: 1, others: 5, chunks: 5 };
  await writePhrases(
    path,
    { phrases, sources, longest: 59 },
    { phrases: counts, pairs: { terms: 2 }, seed: 1 },
  );
  const [header, ...rows] = linesOf(path);
  expect(header).toBe("text");
  expect(rows.filter((row) => row === "Paris" || row === "Rome")).toHaveLength(1);
  expect(rows).toEqual(expect.arrayContaining(["flu", "in time", "the sum"]));
  expect(rows.filter((row) => row.startsWith("terms"))).toHaveLength(4);
  expect(new Set(rows).size).toBe(rows.length);
});
