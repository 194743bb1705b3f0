/** Types of names: the kind of OTHER of a source, and types implied by the types of other names. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { FINE_TYPES } from "../../../../src/corpus/typing/fine-types.js";
import { testFolder } from "../../../table/folder.js";

const load = (name: string) =>
  import(new URL(`../../../../scripts/pearl-mini/data/${name}.mjs`, import.meta.url).href);
const { fineType, impliedNames, plurals, typeByHead } = await load("typed-names");
const { kindsOfRareSenses, readWordnet } = await load("wordnet");
const { path } = testFolder();

const disease = "OTHER/disease";
const organs = ["renal", "heart", "liver", "acute", "lung", "organ", "hepatic", "cardiac", "chronic"];
const known: [string, string][] = [
  ...[...organs, "Respiratory"].map((organ): [string, string] => [`${organ} Failure`, disease]),
  ...organs.map((organ): [string, string] => [`${organ} valve`, "OTHER/anatomy"]),
  ...organs.map((organ, i): [string, string] => [`${organ} state`, i % 2 === 0 ? disease : "GPE"]),
  ["late state", "GPE"],
  ["infection", disease],
  ["serotonin", "OTHER/chemical"],
  ["thrombosis", disease],
  ["Boston", "GPE"],
];
const typeOf = typeByHead(known);

beforeAll(() => {
  const table = (file: string, rows: string[]) =>
    writeFileSync(join(path, file), gzipSync(rows.map((row) => `${row}\n`).join("")));
  mkdirSync(join(path, "pairs"));
  mkdirSync(join(path, "text"));
  table("pairs/abbrev.tsv.gz", [
    "5-HT\tserotonin\tmed_text_acronym\t3",
    "CRF\tchronic renal failure\twiki_text_acronym\t2",
    "BOS\tBoston\tjabref\t",
    "XY\texamples\tmed_text_acronym\t1",
  ]);
  table("pairs/biomed.tsv.gz", [
    "weak heart\tcongestive heart failure\tmedquad\tsynonym",
    "heart failure - discharge\tgoing home\tmedquad\tsynonym",
    "a\theart failure\tobo_doid\texact",
    "Valium overdose\tDiazepam overdose\tmedquad\tsynonym",
  ]);
  table("text/medical.tsv.gz", [
    "Strokes\tinfections and infections, of towns and towns and towns; INFECTIONS",
    "Ear tubes\tinfections thromboses thromboses thromboses co-infections",
  ]);
});

describe("implied types", () => {
  it("come from names with the same last word if at least ten of them agree", () => {
    const names = [
      "multiple organ failure",
      "mitral valve",
      "solid state",
      "Boston",
      "New Boston",
      "failure",
    ];
    expect(names.map(typeOf)).toEqual([disease, undefined, undefined, "GPE", undefined, undefined]);
  });

  it("come from the long form of an abbreviation and from the preferred name of a synonym", () => {
    const senses = new Map([["stroke", disease]]);
    expect([...impliedNames(path, typeOf, senses)]).toEqual([
      ["5-HT", "OTHER/chemical"],
      ["CRF", disease],
      ["weak heart", disease],
      ["congestive heart failure", disease],
      ["Valium", "OTHER/chemical"],
      ["Diazepam", "OTHER/chemical"],
      // the title of a medical article is a disease if some sense of the word is one
      ["Strokes", disease],
      ["strokes", disease],
      ["stroke", disease],
    ]);
  });

  it("come from the singular of a plural that occurs at least three times", () => {
    expect([...plurals(path, typeOf)]).toEqual([["infections", disease]]);
  });

  it("may come from rare senses of a word if all of them are of one kind", async () => {
    const kinds = kindsOfRareSenses(await readWordnet());
    expect(["stroke", "headache", "seizure", "table"].map((word) => kinds.get(word))).toEqual([
      ...[disease, disease, disease],
      undefined,
    ]);
    // "palm" is a part of the body and a plant
    expect(kinds.get("palm")).toBeUndefined();
  });

  it("are empty if there are no tables", () => {
    const nowhere = join(path, "nowhere");
    expect([...impliedNames(nowhere, typeOf, new Map()), ...plurals(nowhere, typeOf)]).toEqual([]);
  });
});

describe("the kind of OTHER of a source", () => {
  it.each([
    ["obo:disease", "OTHER/disease"],
    ["ncbi-disease:Disease", "OTHER/disease"],
    ["craft:CHEBI", "OTHER/chemical"],
    ["bionlp13cg:Organism", "OTHER/organism"],
    ["corpora:animals/dogs", "OTHER/organism"],
    // body fluids are neither organisms nor organs
    ["bionlp13cg:Organism_substance", "OTHER"],
    ["freebase:award.award", "OTHER"],
  ])("of %s is %s", (source, type) => {
    expect(fineType(source)).toBe(type);
    expect(FINE_TYPES).toContain(type);
  });
});
