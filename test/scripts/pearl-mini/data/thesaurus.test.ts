/** Pairs from a thesaurus: an entry and words that occur in much the same lists. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testFolder } from "../../../table/folder.js";

const script = new URL("../../../../scripts/pearl-mini/data/thesaurus.mjs", import.meta.url).href;
const { readThesaurus, thesaurusPairs } = (await import(script)) as {
  readThesaurus: (path: string) => string[][];
  thesaurusPairs: (lists: string[][], settings: { most: number; least: number }) => Iterable<string[]>;
};
const { path } = testFolder();

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
