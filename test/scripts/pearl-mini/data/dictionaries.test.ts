/**
 * Paraphrases from bilingual dictionaries, the translations of one sense without the marks of the dictionary, and
 * pairs of a thesaurus.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../table/folder.js";

const script = new URL("../../../../scripts/pearl-mini/data/dictionaries.mjs", import.meta.url).href;
const {
  dictionaryPairs,
  readCedict,
  readDing,
  readEdict,
  readThesaurus,
  readWikdict,
  thesaurusPairs,
  wikdictGlosses,
} = (await import(script)) as {
  dictionaryPairs: (groups: string[][], settings: { words: number }) => Iterable<string[]>;
  readCedict: (path: string) => string[][];
  readDing: (path: string) => string[][];
  readEdict: (path: string) => string[][];
  readThesaurus: (path: string) => string[][];
  readWikdict: (folder: string) => string[][];
  thesaurusPairs: (lists: string[][], settings: { most: number; least: number }) => Iterable<string[]>;
  wikdictGlosses: (settings: { words: number }, folder: string) => Iterable<string[]>;
};
const { path } = testFolder();

/** Encodes to EUC-JP by decoding all pairs of bytes, since Node only decodes it. */
function inEucJp(text: string): Buffer {
  const bytes = Array.from({ length: 94 }, (_, at) => 0xa1 + at);
  const pairs = bytes.flatMap((first) => bytes.map((second) => Buffer.of(first, second)));
  const decoder = new TextDecoder("euc-jp");
  const byLetter = new Map(pairs.map((pair) => [decoder.decode(pair), pair]));
  return Buffer.concat(Array.from(text, (letter) => byLetter.get(letter) ?? Buffer.from(letter, "latin1")));
}

describe("CC-CEDICT", () => {
  it("gives the translations of an entry, split at semicolons and without notes", () => {
    const file = join(path, "cedict.json");
    const entries = [
      ["to be careful; to take care (of sth)", "to mind sb's step"],
      ["music", "CL:張|张[zhang1],曲[qu3]"],
      ["lit. to know the ropes (idiom)", "fig. experienced", "an old hand"],
      ["variant of 照[zhao4]", "to shine"],
      ["Chengdu 成都[Cheng2 du1]", "capital of Sichuan", "surname Cheng"],
    ];
    writeFileSync(file, JSON.stringify(entries.map((english) => ({ simplified: "字", english }))));
    expect(readCedict(file)).toEqual([
      ["be careful", "take care", "mind somebody's step"],
      ["experienced", "an old hand"],
      // translations with other scripts are skipped, and so are groups of one translation
    ]);
    expect(() => readCedict(join(path, "nowhere.json"))).toThrow("nowhere.json");
  });
});

describe("EDICT", () => {
  it("is decoded from EUC-JP and split into senses; an entry with several spellings occurs once", () => {
    const lines = [
      "逃道 [にげみち] /(n) way out/means to escape/escape route/",
      "逃げ道 [にげみち] /(n) way out/means to escape/escape route/",
      '工作 [こうさく] /(n,vs) (1) handicraft/handiwork/(n,vs) (2) (abbr) construction/"building" works/(P)/',
      "無 [む] /(n) (1) nothing/(2) zilch .../naught/",
    ];
    const file = join(path, "edict");
    writeFileSync(file, inEucJp(lines.join("\n")));
    expect(readEdict(file)).toEqual([
      ["way out", "means to escape", "escape route"],
      ["handicraft", "handiwork"],
      ["construction", "building works"],
      ["zilch", "naught"],
    ]);
    expect(() => readEdict(join(path, "nowhere"))).toThrow("apt-get install edict");
  });
});

describe("Ding", () => {
  it("gives the translations of a sense, without grammar, fields, sentences and alternatives", () => {
    const file = join(path, "de-en");
    const lines = [
      "# comment :: a; b",
      "Vorwahl {f} [pol.] | Vorwahlen {pl} :: preliminary election; primary [Am.] | preliminary elections; primaries",
      "jdn. treffen {vt} :: to meet sb.; to run into sb./sth.; to meet/see sb.",
      "Du bist dran. :: It's your move.; It's your turn.",
      "Wort {n} :: word",
    ];
    writeFileSync(file, lines.join("\n"));
    expect(readDing(file)).toEqual([
      ["preliminary election", "primary"],
      ["preliminary elections", "primaries"],
      ["meet somebody", "run into somebody"],
    ]);
    expect(() => readDing(join(path, "nowhere"))).toThrow("apt-get install trans-de-en");
  });
});

describe("pairs of translations", () => {
  it("join each translation with the next and with the first, up to a maximum number of words", () => {
    const group = ["way out", "a means that one has to escape", "escape route", "exit", "door"];
    expect([...dictionaryPairs([group, ["alone"]], { words: 4 })]).toEqual([
      ["way out", "escape route"],
      ["escape route", "exit"],
      ["way out", "exit"],
      ["exit", "door"],
      ["way out", "door"],
    ]);
  });
});

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

describe("WikDict", () => {
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
});

describe("the thesaurus", () => {
  it("is read from lines of words, without duplicates", () => {
    const file = join(path, "words.txt");
    writeFileSync(file, "car,auto, motor car,auto\r\ndog,hound\n");
    expect(readThesaurus(file)).toEqual([
      ["car", "auto", "motor car"],
      ["dog", "hound"],
    ]);
    expect(() => readThesaurus(join(path, "nowhere"))).toThrow("npm install --no-save moby");
  });

  it("pairs an entry with the nearest words of its list", () => {
    const lists = [
      ["dog", "hound", "heckle"],
      ["hound", "dog"],
      ["heckle", "hound", "harry", "worry"],
      ["worry", "heckle", "fret"],
    ];
    expect([...thesaurusPairs(lists, { most: 5, least: 0.5 })]).toEqual([
      // dog is in lists 1 and 2, hound in 1 to 3: 2 / √6; heckle is in 1, 3 and 4, below the minimum: 1 / √6
      ["dog", "hound"],
      ["hound", "dog"],
      // 2 / √6, 2 / 3 and 1 / √3
      ["heckle", "worry"],
      ["heckle", "hound"],
      ["heckle", "harry"],
      // 2 / √6 and 1 / √2
      ["worry", "heckle"],
      ["worry", "fret"],
    ]);
    expect([...thesaurusPairs(lists, { most: 1, least: 0.5 })]).toHaveLength(4);
  });
});
