/** Counts of names that stand alone in texts. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { testFolder } from "../../../table/folder.js";

const script = new URL("../../../../scripts/pearl-mini/data/name-counts.mjs", import.meta.url).href;
const { countNames } = (await import(script)) as {
  countNames: (paths: string[]) => Promise<Map<string, number>>;
};
const { path } = testFolder();

const counts = async (...texts: string[]) => {
  const paths = texts.map((text, i) => {
    const file = join(path, `${i}.txt`);
    writeFileSync(file, text);
    return file;
  });
  return Object.fromEntries(await countNames(paths));
};

it("counts whole runs of capitals over all texts, without punctuation and possessives", async () => {
  expect(
    await counts("He met John Smith’s wife in (Paris), then left Paris.\n", "it was John Smith,\nin Rome\n"),
  ).toEqual({
    ...{ "John Smith": 2, Paris: 2, Rome: 1 },
  });
});

it("starts no run with the first word of a sentence", async () => {
  expect(await counts('Rome fell. London stood; "Paris" too! But Vienna Austria did.')).toEqual({
    "Vienna Austria": 1,
  });
});

it("takes full stops of abbreviations for no end of a sentence", async () => {
  expect(await counts("in the U.S. Congress and the U.S. of then, by J. Doe of the U.S.")).toEqual({
    ...{ "U.S. Congress": 1, "U.S.": 2, "J. Doe": 1 },
  });
});

it("separates names that punctuation separates", async () => {
  expect(await counts("from Bern, Basel and Aarau: Olten")).toEqual({ Bern: 1, Basel: 1, Aarau: 1 });
});
