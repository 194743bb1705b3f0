import { createRequire } from "node:module";
import { beforeAll, describe, expect, it } from "vitest";
import { analyses, inflect } from "../../src/augmentation/inflection.js";
import { type List, outcomesOf } from "../../src/augmentation/rule.js";
import { type WordnetTable, wordnetSynonyms, wordnetTable } from "../../src/augmentation/wordnet-synonym.js";

/** natural's own reader of WordNet, as an independent oracle. */
interface Oracle {
  lookup(word: string, done: (synsets: { synonyms: string[] }[]) => void): void;
}

let table: WordnetTable;
let list: List;
const synonyms = (phrase: string, context = {}) => outcomesOf(list, phrase, context);
let oracle: Oracle;

beforeAll(async () => {
  table = await wordnetTable();
  list = wordnetSynonyms(table);
  const WordNet = createRequire(import.meta.url)(
    "natural/lib/natural/wordnet/wordnet.js",
  ) as new () => Oracle;
  oracle = new WordNet();
});

async function synonymsByOracle(word: string): Promise<Set<string>> {
  const synsets = await new Promise<{ synonyms: string[] }[]>((done) => {
    oracle.lookup(word, done);
  });
  const names = synsets.flatMap(({ synonyms }) => synonyms);
  return new Set(
    names.map((name) =>
      name
        .replace(/\([a-z]+\)$/, "")
        .replaceAll("_", " ")
        .toLowerCase(),
    ),
  );
}

describe("WordNet synonyms", () => {
  it.each(["car", "motor vehicle", "big", "physician", "begin"])(
    "of %s share a synset with it, by natural's reading of WordNet",
    async (word) => {
      const allowed = await synonymsByOracle(word);
      const found = synonyms(word);
      expect(found.length).toBeGreaterThan(0);
      for (const synonym of found) expect([...allowed], word).toContain(synonym.toLowerCase());
    },
  );

  it("take the form of the word they replace", () => {
    expect(synonyms("cars")).toContain("automobiles");
    expect(synonyms("motor vehicles")).toEqual(["automotive vehicles"]);
    expect(synonyms("stopped the war")).toContain("halted the war");
    expect(synonyms("children of the revolution")).toContain("kids of the revolution");
  });

  it("take its letter case", () => {
    expect(synonyms("Car")).toContain("Automobile");
    expect(synonyms("CAR")).toContain("AUTOMOBILE");
    expect(synonyms("Effects of Car Pollution")).toContain("Effects of Automobile Pollution");
    expect(synonyms("new york")).toContain("new york city");
    expect(synonyms("USA")).toContain("United States");
  });

  it("never repeat the phrase, in no letter case", () => {
    for (const phrase of ["car", "Cars", "the big car", "New York", "USA", "Film Director"]) {
      for (const text of synonyms(phrase)) expect(text.toLowerCase()).not.toBe(phrase.toLowerCase());
    }
  });

  it("leave function words, parts of names and parts of idioms alone", () => {
    expect(synonyms("a in who it")).toEqual([]);
    expect(synonyms("The New York Times")).toEqual([]);
    expect(synonyms("heart attack")).toEqual([]);
    expect(synonyms("John Updike").some((text) => /toilet|can|lav/i.test(text))).toBe(false);
    expect(synonyms("Big Bend", { type: "LOC" })).toEqual([]);
  });

  it("replace one word by one word within a phrase", () => {
    for (const phrase of ["the glass tower", "binding protein", "a serious accident"]) {
      for (const text of synonyms(phrase)) expect(text.split(" ").length).toBe(phrase.split(" ").length);
    }
    expect(synonyms("a serious accident").length + synonyms("big house").length).toBeGreaterThan(0);
  });

  it("leave out rare meanings: a car is not a machine", () => {
    expect(synonyms("car")).not.toContain("machine");
  });

  it("do not exist for other scripts, numbers and empty phrases", () => {
    for (const phrase of ["", " ", "машина", "自動車", "12 34"]) expect(synonyms(phrase)).toEqual([]);
  });
});

describe("given names from WordNet's persons", () => {
  it("include names, but no titles or common words", () => {
    for (const name of ["Albert", "Wolfgang", "William", "Mary"])
      expect(table.givenNames.has(name), name).toBe(true);
    for (const word of ["King", "Saint", "Little", "Old", "The", "Sir", "La", "Virginia"]) {
      expect(table.givenNames.has(word), word).toBe(false);
    }
  });
});

describe("inflection", () => {
  it.each([
    ["car", "plural", "cars"],
    ["motor vehicle", "plural", "motor vehicles"],
    ["child", "plural", "children"],
    ["carry out", "past", "carried out"],
    ["stop", "past", "stopped"],
    ["open", "past", "opened"],
    ["hope", "participle", "hoping"],
    ["hop", "participle", "hopping"],
    ["die", "participle", "dying"],
    ["refer", "past", "referred"],
    ["go", "third-person", "goes"],
    ["go", "past", undefined],
    ["rebuild", "past", undefined],
    ["Dr.", "plural", undefined],
  ] as const)("%s, %s: %s", (lemma, form, expected) => {
    expect(inflect(lemma, form)).toBe(expected);
  });

  it("finds the lemma under a form, and every analysis leads back to the word", () => {
    for (const [word, lemma] of [
      ["hopping", "hop"],
      ["hoping", "hope"],
      ["carried out", "carry out"],
      ["boxes", "box"],
      ["wolves", "wolf"],
      ["motor vehicles", "motor vehicle"],
    ]) {
      const found = analyses(word);
      expect(found.map((analysis) => analysis.lemma)).toContain(lemma);
      for (const analysis of found) expect(inflect(analysis.lemma, analysis.form)).toBe(word);
    }
  });
});
