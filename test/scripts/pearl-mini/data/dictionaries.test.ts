/** Paraphrases from dictionaries of other languages: the translations of one sense, without the dictionary's marks. */
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

/** Node decodes EUC-JP and does not encode it: every pair of bytes is tried. */
function inEucJp(text: string): Buffer {
  const bytes = Array.from({ length: 94 }, (_, at) => 0xa1 + at);
  const pairs = bytes.flatMap((first) => bytes.map((second) => Buffer.of(first, second)));
  const decoder = new TextDecoder("euc-jp");
  const byLetter = new Map(pairs.map((pair) => [decoder.decode(pair), pair]));
  return Buffer.concat(Array.from(text, (letter) => byLetter.get(letter) ?? Buffer.from(letter, "latin1")));
}

describe("CC-CEDICT", () => {
  it("gives the translations of an entry, semicolons parted, notes left out", () => {
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
      // what holds other letters is no English phrase; one translation alone makes no group
    ]);
    expect(() => readCedict(join(path, "nowhere.json"))).toThrow("nowhere.json");
  });
});

describe("EDICT", () => {
  it("is read from EUC-JP, sense by sense, an entry of several spellings once", () => {
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
  it("are each with the next and with the first, of so many words at most", () => {
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
