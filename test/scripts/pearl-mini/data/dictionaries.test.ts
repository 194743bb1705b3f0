/**
 * Paraphrases from bilingual dictionaries: the translations of one sense, without the marks of the
 * dictionary.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../table/folder.js";

const script = new URL("../../../../scripts/pearl-mini/data/dictionaries.mjs", import.meta.url).href;
const { dictionaryPairs, readCedict, readEdict } = (await import(script)) as {
  dictionaryPairs: (groups: string[][], settings: { words: number }) => Iterable<string[]>;
  readCedict: (path: string) => string[][];
  readEdict: (path: string) => string[][];
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
