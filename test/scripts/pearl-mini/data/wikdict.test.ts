/** Paraphrases from dictd dictionaries: translations of a sense, headwords of a translation, glosses. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { testFolder } from "../../../table/folder.js";

const script = new URL("../../../../scripts/pearl-mini/data/wikdict.mjs", import.meta.url).href;
const { readWikdict, wikdictGlosses } = (await import(script)) as {
  readWikdict: (folder: string) => string[][];
  wikdictGlosses: (settings: { words: number }, folder: string) => Iterable<string[]>;
};
const { path } = testFolder();

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const base64 = (value: number): string =>
  value < 64 ? digits[value] : base64(Math.floor(value / 64)) + digits[value % 64];

/** Writes a dictd dictionary and its index, with a header entry; the index lists every entry twice. */
function writeDictionary(folder: string, languages: string, entries: readonly string[]) {
  const head = "00databaseshort\n     English, and so on\n";
  const lines = [`00databaseshort\tA\t${base64(head.length)}`];
  let offset = head.length;
  for (const entry of entries) {
    const { length } = Buffer.from(`${entry}\n`);
    for (const name of ["a name", "another name"])
      lines.push(`${name}\t${base64(offset)}\t${base64(length)}`);
    offset += length;
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `freedict-${languages}.dict.dz`), gzipSync(`${head}${entries.join("\n")}\n`));
  writeFileSync(join(folder, `freedict-${languages}.index`), `${lines.join("\n")}\n`);
}

const folder = join(path, "dictd");
writeDictionary(folder, "fin-eng", [
  "mareografi /mˈareoɡrafɪ/ <n>\nmareograph, marigraph\nmerenpinnan korkeutta mittaava laite",
  "reuna <n>\n1. edge, rim (of a thing)\nsivu, laita\n2. margin",
  // both senses have the same translations; the second has a gloss
  "mari /mˈari/ <n>\nMari, Cheremis 2.\nkieli\n 3.\nkansa",
]);
writeDictionary(folder, "pol-eng", []);
writeDictionary(folder, "ell-eng", ["πτερόεις <adj>\nfeathered; winged"]);
writeDictionary(folder, "eng-fin", [
  "sofa /sˈəʊfə/ <n>\nsohva, leposohva\nupholstered seat.",
  "couch //kaʊtʃ// <n>\nsohva\nseat for more than one person who is tired",
  "caboose <n>\n1. jarruvaunu\nrail transport: last car on a train\n2. kapyysi\n(nautical) small galley",
  ...["to go", "walk", "run", "step", "pace", "stroll"].map((word) => `${word} <v>\nmennä`),
]);
for (const language of ["bul", "jpn", "nor", "ind"]) writeDictionary(folder, `eng-${language}`, []);

it("groups translations of a sense, and headwords of a translation unless there are too many", () => {
  expect(readWikdict(folder)).toEqual([
    ["mareograph", "marigraph"],
    ["edge", "rim"],
    ["Mari", "Cheremis"],
    ["feathered", "winged"],
    ["sofa", "couch"],
  ]);
});

it("pairs headwords with glosses, up to a maximum number of words and without the field of use", () => {
  expect([...wikdictGlosses({ words: 5 }, folder)]).toEqual([
    ["sofa", "upholstered seat"],
    ["caboose", "last car on a train"],
    ["caboose", "small galley"],
  ]);
});

it("names the package of a missing dictionary", () => {
  expect(() => readWikdict(path)).toThrow("apt-get install dict-freedict-fin-eng");
});
