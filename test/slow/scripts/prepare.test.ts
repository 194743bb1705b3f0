/** The tables of pearl-mini from a few rows of training data, some of which are in the evaluation. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { distance } from "fastest-levenshtein";
import { beforeAll, describe, expect, it } from "vitest";
import { testFolder } from "../../table/folder.js";

const { path } = testFolder();
const data = join(path, "data");
const evaluation: Record<string, string> = {
  "turney/turney.txt": "twin sun | duplex | twin | sun | dual | lumen | neutralism | keratoplasty\n",
  "bird/bird.txt": "pair\tterm1\tterm2\tkind\n",
  "ppdb/ppdb.json": '[["thanking you", "thanks to you", "pos", 5]]',
  "ppdb/ppdb_filtered.json": "[]",
  "yago/yago_test_samples.txt": "Sam Henshaw Ibiam\tSam Ibiam\n",
  "yago/yago_kb_small.txt": "Sam Ibiam\nLake Bled\n",
  "autofj/Artwork/left.csv": "id,title\n0,Venus de Milo\n",
  "autofj/Artwork/right.csv": "id,title\n0,The Venus of Milo\n",
  "autofj/Artwork/gt.csv": "id_l,title_l,id_r,title_r\n0,Venus de Milo,0,The Venus of Milo\n",
  "kept-back.sha256": "",
};
/** Tables to match: a join whose columns differ by name, and one to dedupe. */
const tables: Record<string, string> = {
  "shops/about.json": '{ "kind": "join", "on": "name", "more": ["starring=actor name"] }',
  "shops/left.csv": 'id,name,starring\n7,"Sony TV, black",Ann Lee\n',
  "shops/right.csv": "id,actor name,name\nx,Lee Ann (II),Sony black TV\n",
  "shops/gt.csv": "id_l,id_r\n7,x\n",
  "sites/about.json": '{ "kind": "dedupe", "on": "name", "more": [] }',
  "sites/table.csv": "name,city\nAcme Inc,Bern\nother,Bern\nAcme Incorporated,Bern\n",
  "sites/truth.csv": "row,entity\n1,5\n2,6\n3,5\n",
  "kept-back.sha256": createHash("sha256").update("held back\tkept back").digest("hex").slice(0, 16),
};
const training: Record<string, string[]> = {
  "pairs/names": [
    "IBM\tInternational Business Machines\tror\talias",
    "SAM IBIAM\tSam Henshaw Ibiam\tror\talias",
    "club soda\tseltzer\tror\talias",
    `IBM\t${"very ".repeat(20)}long\tror\talias`,
    "sony black tv\tSony TV, black\tror\talias",
    "Ann Lee\tLee Ann (II)\tror\talias",
    "Acme Incorporated\tACME Inc\tror\talias",
    "Acme Inc\tother\tror\talias",
    "held back\tkept back\tror\talias",
  ],
  "pairs2/aliases": ["Water Cube\tNational Aquatics Center\twiki_renamed\tx", "HIP 25985\tArneb\tstars\tx"],
  "pairs/lexical": ["large\tbig\tppdb\tparaphrase", "big\tlarge\tppdb\tparaphrase"],
  "pairs/misspell": [
    "recieve\treceive\tspell_errors\tx",
    "teh\tthe\tcodespell\tx",
    "reciept\treceipt\tcodespell\tx",
  ],
  gloss_wiki: ["Lake Bled\ta lake in Slovenia\tLOC\ten", "Lake Bohinj\ta lake in Slovenia\tLOC\ten"],
  types: [
    "Jane Roe\tNP\tPERSON\tconll2003:PER\tgold\t1",
    "lake bled\tNP\tLOC\twiki:lake\tsilver\t1",
    "Port of Trieste\tNP\tFAC\twiki:port\tsilver\t1",
    "Trieste\tNP\tGPE\twiki:city\tsilver\t2",
    "Trieste\tNP\tORG\twnut17:corporation\tgold\t1",
    "London\tNP\tPERSON\twnut17:person\tgold\t5",
    ...["ETH Zurich", "City College", "Port School"].map(
      (name) => `${name}\tNP\tORG\thipo:university\tlist\t1`,
    ),
    ...["aspirin", "ibuprofen"].map((name) => `${name}\tNP\tOTHER\tcraft:CHEBI\tgold\t1`),
    ...["May 1st", "June 2nd"].map((name) => `${name}\tNP\tDATE\tregex:DATE\tlist\t1`),
  ],
  chunks: ["a large dog\tNP\t1\tgum", "ran fast\tVP\t1\tconll2000", "went home\tVP\t2\tcraft"],
  "text/simple": ["Lake Bled\tLake Bled is a lake."],
  "text/news": Array.from(
    { length: 4 },
    (_, i) => `${i}\tThey were thanking you. They thanked you. The bridge was seen in London.`,
  ),
};

/** Rows of a table. */
const rows = (name: string): string[] =>
  readFileSync(join(path, "tables", name), "utf8")
    .trim()
    .split("\n");

beforeAll(() => {
  const recipe = join(path, "recipe.yaml");
  writeFileSync(
    recipe,
    `seed: 0
data:
  phrases: { perType: 100000, capitals: 0, chunks: 10, longest: 120 }
  synonyms: { pairs: { names: [{ table: pairs/names }, { table: pairs2/aliases, origins: [wiki_renamed] }], misspell: [{ table: pairs/misspell }], lexical: [{ table: pairs/lexical }] }, longest: 89, rewrites: 2, rewrittenWords: [2, 6], kinds: { fewest: 2, most: 2 }, typos: { copies: 2, twice: 0.5 }, forms: { texts: [news], words: 3, fewest: 2, phrases: 80, pairs: 100 } }
  leaveOut: { evaluation: [conll2003, bc5cdr], researchOnly: [conll2000, spell_errors] }
pretrain: { texts: [simple, news] }
`,
  );
  const write = (file: string, content: string | Uint8Array) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  for (const [name, content] of Object.entries(evaluation)) write(join(data, "bench", name), content);
  for (const [name, content] of Object.entries(tables)) write(join(data, "er", name), content);
  write(join(data, "words/words.txt.gz"), gzipSync("A\nPhotosynthesis\nReceipt\n"));
  for (const [name, lines] of Object.entries(training))
    write(join(data, "train", `${name}.tsv.gz`), gzipSync(`${lines.join("\n")}\n`));
  const options = ["--data", data, "--recipe", recipe, "-o", join(path, "tables")];
  execFileSync(process.execPath, ["scripts/pearl-mini/prepare.mjs", ...options], { stdio: "pipe" });
});

describe("scripts/pearl-mini/prepare.mjs", () => {
  it("leaves out evaluation pairs, Turney's synsets, long phrases and sources for research only", () => {
    const own = rows("synonyms.tsv").filter((row) => /\t(?:names|misspell|lexical)$/.test(row));
    expect(own).toEqual([
      "IBM\tInternational Business Machines\tnames",
      "Acme Inc\tother\tnames",
      "Water Cube\tNational Aquatics Center\tnames",
      "teh\tthe\tmisspell",
      "large\tbig\tlexical",
    ]);
    const { leftOut } = JSON.parse(readFileSync(join(path, "tables/prepared.json"), "utf8"));
    expect(leftOut.names).toEqual({ yago: 1, "turney's synsets": 1, "too long": 1, er: 3, "kept back": 1 });
    expect(leftOut.misspell).toEqual({ spell_errors: 1, "misspelling of the evaluation": 1 });
  });

  it("requests twins of names, except of evaluation titles", () => {
    const twins = rows("synonyms.tsv").filter((row) => /\t(?:titles|typed)$/.test(row));
    expect(twins.slice(0, 2)).toEqual([
      "Lake Bohinj\tLake Bohinj\ttitles",
      "Port of Trieste\tPort of Trieste\ttyped",
    ]);
  });

  it("pairs names with their kinds, within the minimum of names and the maximum of pairs", () => {
    const kinds = rows("synonyms.tsv").flatMap((row) => {
      const [name, kind, source] = row.split("\t");
      return source === "kinds" ? [[kind, name]] : [];
    });
    const chemicals = kinds.flatMap(([kind, name]) => (kind === "chemical" ? [name] : []));
    expect(chemicals.sort()).toEqual(["aspirin", "ibuprofen"]);
    // two of three universities are drawn; there is only one corporation; dates have no kind
    expect(kinds.map(([kind]) => kind).sort()).toEqual(["chemical", "chemical", "university", "university"]);
  });

  it("misspells words that are not in the evaluation's list", () => {
    const pairs = rows("synonyms.tsv").flatMap((row) => {
      const [word, misspelling, source] = row.split("\t");
      return source === "words" ? [[word, misspelling] as const] : [];
    });
    const words = pairs.map(([word]) => word);
    expect(words).toContain("trieste");
    expect(words).toContain("keratoplasty");
    expect(words).not.toContain("photosynthesis");
    for (const [word, misspelling] of pairs.slice(0, 2000)) {
      expect(misspelling).not.toBe(word);
      expect(distance(word, misspelling), misspelling).toBeLessThanOrEqual(4);
    }
  });

  it("pairs word forms in running text", () => {
    const forms = rows("synonyms.tsv").filter((row) => row.endsWith("\tforms"));
    expect(forms.length).toBeGreaterThan(0);
    for (const row of forms) expect(row).toMatch(/^.*\bthank(?:ing|ed)\b.*\t.*\bthank(?:ing|ed)\b.*\tforms$/);
  });

  it("draws a given fraction of one-word names, as far as there are enough names", async () => {
    const script = new URL("../../../scripts/pearl-mini/data/phrases.mjs", import.meta.url).href;
    const { mixPhrases } = (await import(script)) as {
      mixPhrases: (typed: Map<string, object>, chunks: object[], settings: object) => { phrase: string }[];
    };
    const persons = Array.from({ length: 40 }, (_, i) => (i < 10 ? `Surname${i}` : `Given Surname${i}`));
    const typed = new Map(
      persons.map((phrase) => [phrase, { phrase, lexical: "NP", type: "PERSON", count: 1, best: 1 }]),
    );
    const countOneWord = (perType: number, fraction: number) => {
      const settings = { perType, oneWord: { PERSON: fraction }, capitals: 0, chunks: 0, seed: 0 };
      const mixed = mixPhrases(typed, [], settings);
      expect(mixed).toHaveLength(Math.min(perType, 40));
      return mixed.filter(({ phrase }) => !phrase.includes(" ")).length;
    };
    expect([
      countOneWord(10, 0.5),
      countOneWord(10, 0),
      countOneWord(20, 1),
      countOneWord(35, 0),
      countOneWord(50, 0.5),
    ]).toEqual([5, 0, 10, 5, 10]);
  });

  it("lists WordNet's words in the form that the encoder reads", () => {
    const words = rows("words.txt");
    expect(words).toContain("keratoplasty");
    expect(new Set(words).size).toBe(words.length);
    for (const word of words) expect(word).toMatch(/^[\p{Ll}\p{Lo}\p{N}]+$/u);
  });

  it("keeps names from lists, ontologies and WordNet", () => {
    const orgs = rows("phrases.tsv").flatMap((row) => (row.endsWith("\tORG\t1") ? [row.split("\t")[0]] : []));
    expect(orgs).toEqual(expect.arrayContaining(["ETH Zurich", "City College", "Port School", "NATO"]));
  });

  it("rewrites chunks with synonyms", () => {
    const rewritten = rows("synonyms.tsv").filter((row) => row.endsWith("\trewrite"));
    expect(rewritten.length).toBeGreaterThan(0);
    for (const row of rewritten) {
      const [phrase, synonym] = row.split("\t");
      expect(["a large dog", "went home"]).toContain(phrase);
      expect(synonym).not.toBe(phrase);
    }
  });

  it("has distinct phrases with the most frequent type of their rows, and no evaluation titles", () => {
    const all = rows("phrases.tsv").slice(1);
    const phrases = all.map((row) => row.split("\t")[0]);
    expect(new Set(phrases).size).toBe(phrases.length);
    // the city in WordNet outweighs five rows that mean the writer
    const some = [
      "Port of Trieste\tNP\tFAC\t1",
      "Trieste\tNP\tORG\t1",
      "London\tNP\tGPE\t4",
      "a large dog\tNP\t\t1",
      "went home\tVP\tOTHER\t1",
    ];
    const names = some.map((row) => row.split("\t")[0]);
    expect(all.filter((row) => names.includes(row.split("\t")[0])).sort()).toEqual(some.sort());
    for (const title of ["lake bled", "Venus de Milo", "Jane Roe"]) expect(phrases).not.toContain(title);
    expect(readFileSync(join(path, "tables/text/simple.txt"), "utf8")).toBe("Lake Bled is a lake.\n");
  });
});
