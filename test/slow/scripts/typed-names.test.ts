/** Typed names from WordNet, ontologies and surnames, and names in capitals. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { testFolder } from "../../table/folder.js";

const load = (name: string) =>
  import(new URL(`../../../scripts/pearl-mini/data/${name}.mjs`, import.meta.url).href);
const { inCapitals, ontologyNames, surnames, wordnetNames } = await load("typed-names");
const { readWordnet } = await load("wordnet");
const { path } = testFolder();

describe("typed names", () => {
  it("include WordNet's instances, and nouns whose senses are mostly of one kind", async () => {
    const types = new Map<string, string>();
    for await (const [name, type] of wordnetNames(await readWordnet())) types.set(name, type);
    const some = ["Sweden", "Danube", "Einstein", "aspirin", "measles", "kidney", "platypus", "helium"];
    expect(some.map((name) => types.get(name))).toEqual([
      ...["GPE", "LOC", "PERSON", "OTHER/chemical", "OTHER/disease", "OTHER/anatomy", "OTHER/organism"],
      "OTHER/chemical",
    ]);
    // most senses of these words belong to none of the kinds
    for (const name of ["table", "crane", "stroke"]) expect(types.get(name)).toBeUndefined();
  });

  it("include both sides of ontology pairs, with the type of the source", () => {
    mkdirSync(join(path, "pairs"));
    const rows = [
      "flu\tinfluenza\tobo_doid\texact",
      "a\tb\tmedquad\tsynonym",
      "EtOH\tethanol\tobo_chebi\texact",
    ];
    writeFileSync(join(path, "pairs/biomed.tsv.gz"), gzipSync(`${rows.join("\n")}\n`));
    expect([...ontologyNames(path)]).toEqual([
      ["flu", "OTHER/disease"],
      ["influenza", "OTHER/disease"],
      ["EtOH", "OTHER/chemical"],
      ["ethanol", "OTHER/chemical"],
    ]);
    expect([...ontologyNames(join(path, "nowhere"))]).toEqual([]);
  });

  it("include surnames, with their number of first names", () => {
    const persons = [
      "Ann Smith",
      "Bob Smith",
      "Bob B. Smith",
      "Cy McNeill",
      "Di McNeill",
      "Eve Lone",
      "Plato",
      "F. X.",
      "Earl of the Isle",
    ];
    expect([...surnames(persons)].sort()).toEqual([
      ["Lone", 1],
      ["McNeill", 2],
      ["Smith", 2],
    ]);
  });

  it("are repeated in capitals for a fraction of the names that are not in capitals", () => {
    const phrase = (text: string, type: string) => ({ phrase: text, lexical: "NP", type, count: 1, best: 1 });
    const all = [
      phrase("Oslo", "GPE"),
      phrase("OSLO", "ORG"),
      phrase("Bergen", "GPE"),
      phrase("May", "DATE"),
    ];
    const names = inCapitals(all, 1, createRandom(0));
    expect(names).toEqual([phrase("BERGEN", "GPE")]);
    expect(inCapitals(all, 0, createRandom(0))).toEqual([]);
  });
});
