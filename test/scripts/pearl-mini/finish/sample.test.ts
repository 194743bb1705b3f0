/** Phrases of the synonym pairs, for the steps after training. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../table/folder.js";

const script = new URL("../../../../scripts/pearl-mini/finish/sample.mjs", import.meta.url).href;
const { samplePhrases } = (await import(script)) as {
  samplePhrases: (path: string, settings: { sources?: string[]; phrases: number; seed: number }) => string[];
};
const { path } = testFolder();

it("samples distinct phrases, as many of each source", () => {
  const table = join(path, "synonyms.tsv");
  const rows = [
    "phrase\tsynonym\tsource",
    "IBM\tBig Blue\tnames",
    "IBM\tI.B.M.\tnames",
    "car\tauto mobile\tgloss",
  ];
  writeFileSync(table, `${rows.join("\n")}\n`);
  const sampled = (sources?: string[], phrases = 10) =>
    samplePhrases(table, { sources, phrases, seed: 0 }).sort();
  expect(sampled(["names"])).toEqual(["Big Blue", "I.B.M.", "IBM"]);
  expect(sampled()).toEqual(["Big Blue", "I.B.M.", "IBM", "auto mobile", "car"]);
  expect(sampled(undefined, 2)).toHaveLength(2);
  expect(sampled(["names", "gloss"], 1)).toHaveLength(2);
  expect(sampled(["glosses"])).toEqual([]);
});
