import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { respellSound } from "../../../src/pearl/augmentation/character/transliteration.js";
import { addQualifier } from "../../../src/pearl/augmentation/phrase/names/add-qualifier.js";
import { dropQualifier } from "../../../src/pearl/augmentation/phrase/names/drop-qualifier.js";
import { firstLetters } from "../../../src/pearl/augmentation/phrase/names/first-letters.js";
import { shortenMiddleName } from "../../../src/pearl/augmentation/phrase/names/middle-name.js";
import { englishGivenNames, useNickname } from "../../../src/pearl/augmentation/phrase/names/nickname.js";
import { surnameAlone } from "../../../src/pearl/augmentation/phrase/names/surname.js";
import { type Draw, outcomesOf, type PhraseContext } from "../../../src/pearl/augmentation/rule.js";
import { abbreviate } from "../../../src/pearl/augmentation/token/names/abbreviation.js";
import { addSuffix } from "../../../src/pearl/augmentation/token/names/add-suffix.js";
import { dropEndWord } from "../../../src/pearl/augmentation/token/names/drop-end-word.js";
import { dropShortWord } from "../../../src/pearl/augmentation/token/names/drop-short-word.js";
import { insertWord } from "../../../src/pearl/augmentation/token/names/insert-word.js";
import { joinWords } from "../../../src/pearl/augmentation/token/names/join-words.js";
import { namePartsOf } from "../../../src/pearl/augmentation/token/names/name-parts.js";
import { shortenWord } from "../../../src/pearl/augmentation/token/names/shorten-word.js";
import { shuffleWords } from "../../../src/pearl/augmentation/token/names/shuffle-words.js";
import { splitWord } from "../../../src/pearl/augmentation/token/names/split-word.js";
import { createRandom } from "../../../src/random.js";
import { claims } from "./rule-claims.js";

/** What a rule makes of a phrase, as far as 600 draws show it. */
function manyDraws(draw: Draw, phrase: string, context: PhraseContext = {}): (string | undefined)[] {
  const random = createRandom(17);
  return [...new Set(Array.from({ length: 600 }, () => draw(phrase, random, context)))].sort();
}

describe("a name's parts", () => {
  it("are its words and its qualifier, and give the name again", () => {
    expect(namePartsOf("New York (state)")).toEqual({ words: ["New", "York"], tail: " (state)" });
    expect(namePartsOf("Paris, Texas, USA")).toEqual({ words: ["Paris"], tail: ", Texas, USA" });
    expect(namePartsOf("May 30, 1998 earthquake, Takhar").tail).toBe(", Takhar");
    expect(namePartsOf("May 30, Afghan").tail).toBe(", Afghan");
    for (const name of ["", " ", "(x)", ", a", "A  b", "A (b) c", "Über (Film)"]) {
      const { words, tail } = namePartsOf(name);
      expect(words.join(" ") + tail).toBe(name);
    }
  });
});

describe("words of a name", () => {
  it.each([
    [
      "drop-short-word",
      "University of the West (USA)",
      ["University of West (USA)", "University the West (USA)"],
      dropShortWord,
    ],
    ["drop-short-word", "The Beatles", ["Beatles"], dropShortWord],
    ["drop-short-word", "El Paso", [undefined], dropShortWord],
    ["drop-short-word", "of the and", [undefined], dropShortWord],
    ["drop-end-word", "New York Times, daily", ["New York, daily", "York Times, daily"], dropEndWord],
    ["drop-end-word", "New York", [undefined], dropEndWord],
    ["shorten-word", "Acme Manufacturing", ["Acme Man.", "Acme Manu."], shortenWord],
    ["shorten-word", "Acme Tools", [undefined], shortenWord],
    ["shorten-word", "Manufacturing", [undefined], shortenWord],
    ["join-words", "Face Book (site)", ["Face-Book (site)", "FaceBook (site)"], joinWords],
    ["join-words", "Facebook", [undefined], joinWords],
    ["split-word", "Saint-Denis", ["Saint Denis"], splitWord],
    ["split-word", "Football", ["Foo tball", "Foot ball", "Footb all"], splitWord],
    ["split-word", "Soccer", [undefined], splitWord],
  ] as const)("%s: %s", (_, phrase, expected, rule) => {
    expect(manyDraws(rule, phrase)).toEqual([...expected]);
  });

  it("shuffle-words gives every order but the own", () => {
    const orders = ["a c b", "b a c", "b c a", "c a b", "c b a"];
    const drawn = manyDraws(shuffleWords, "a b c");
    expect(drawn.filter((text) => text !== undefined)).toEqual(orders);
    expect(manyDraws(shuffleWords, "a b")).toEqual([undefined]);
  });

  it("never separate a letter from its accents", () => {
    const name = "Acme e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301";
    for (const rule of [shortenWord, splitWord]) {
      for (const text of manyDraws(rule, name)) expect(text ?? "").not.toMatch(/(?:^|\s)\p{M}/u);
    }
  });
});

describe("additions to a name", () => {
  it("are a suffix before the qualifier, by the entity type where it is known, in the name's case", () => {
    expect(manyDraws(addSuffix, "john smith", { type: "PERSON" })).toEqual([
      "john smith ii",
      "john smith iii",
      "john smith jr",
      "john smith jr.",
      "john smith sr.",
    ]);
    for (const text of manyDraws(addSuffix, "Acme (maker)")) expect(text).toMatch(/^Acme .+ \(maker\)$/);
    expect(manyDraws(addSuffix, "Acme Club", { type: "ORG" })).not.toContain("Acme Club Club");
  });

  it("are a qualifier in brackets or after a comma, where there is none", () => {
    const drawn = manyDraws(addQualifier, "Mercury", { type: "WORK_OF_ART" });
    expect(drawn).toContain("Mercury (album)");
    expect(drawn).toContain("Mercury, album");
    for (const text of drawn) expect(text).toMatch(/^Mercury(?: \([^()]+\)|, [^,]+)$/);
    for (const name of ["Mercury (planet)", "Paris, Texas", ""])
      expect(manyDraws(addQualifier, name)).toEqual([undefined]);
  });

  it("are a word anywhere, the others in their order", () => {
    const drawn = manyDraws(insertWord, "red wine") as string[];
    expect(drawn).toContain("red national wine");
    for (const text of drawn) {
      expect(text).toMatch(/^(?:\w+ red wine|red \w+ wine|red wine \w+)$/);
      expect(text).toBe(text.toLowerCase());
    }
  });

  claims("drop-qualifier", dropQualifier, {
    "Mercury (planet)": ["Mercury"],
    "Mercury (1999)": ["Mercury"],
    "Springfield, Illinois": ["Springfield"],
    "It, film": [],
    Mercury: [],
  });
  claims(
    "drop-qualifier",
    dropQualifier,
    { "Smith, John": [], "John Smith (judge)": ["John Smith"] },
    { type: "PERSON" },
  );
});

describe("abbreviations", () => {
  claims("abbreviation", abbreviate, {
    "Oxford University": ["Oxford Univ.", "Oxford Univ", "Oxford U."],
    "OXFORD UNIV": ["OXFORD UNIVERSITY"],
    "Oxford univ.": ["Oxford university"],
    "Brothers and Sisters": [
      "Bros and Sisters",
      "Bros. and Sisters",
      "Brothers & Sisters",
      "Brothers n Sisters",
      "Brothers 'n' Sisters",
    ],
    "Marks & Spencer": ["Marks and Spencer"],
    "St. Louis": ["Saint Louis"],
    "Main St": ["Main Street"],
    "Ministry, Finance": ["Min., Finance", "Ministry, Fin."],
    "Acme Intl": ["Acme International"],
    "Chem. Times": [],
    "Boston, Mass.": ["Boston, Massachusetts"],
    "Mass Effect": [],
    University: [],
    "J. Smith": [],
    "Los Angeles CA": [],
    "red wine": [],
    "": [],
  });
});

describe("nicknames", () => {
  const rule = useNickname(englishGivenNames);
  claims("nickname", rule, {
    "David Bowie": ["Dave Bowie", "Davy Bowie"],
    "Bowie, David": ["Bowie, Dave", "Bowie, Davy"],
    "David Robert Jones": ["Dave Robert Jones", "Davy Robert Jones"],
    "Dave Bowie": [],
    "David and Goliath": [],
    "Tyne Daly": [],
  });
  claims("nickname", rule, { "Dave Bowie": ["David Bowie"], "Zoltan Kiss": [] }, { type: "PERSON" });
  claims("nickname", rule, { "David Station": [] }, { type: "FAC" });

  it("differ from the name for every name of the list", () => {
    for (const name of englishGivenNames) {
      const twins = outcomesOf(rule, `${name} Smithson`, { type: "PERSON" });
      expect(twins.length, name).toBeGreaterThan(0);
      for (const twin of twins) expect(twin).toMatch(/^\p{Lu}\p{Ll}+ Smithson$/u);
    }
  });
});

describe("middle names", () => {
  const rule = shortenMiddleName(englishGivenNames);

  it("are left out, or become initials with and without points", () => {
    expect(manyDraws(rule, "John Fitzgerald Kennedy")).toEqual([
      "John F Kennedy",
      "John F. Kennedy",
      "John Kennedy",
    ]);
    expect(manyDraws(rule, "John F. Kennedy")).toEqual(["John F Kennedy", "John Kennedy"]);
  });

  it("need a person's name that has them", () => {
    for (const name of ["John Kennedy", "J. R. R. Tolkien", "John Deere tractor", "New York Times"])
      expect(manyDraws(rule, name), name).toEqual([undefined]);
    expect(manyDraws(rule, "John Hopkins Hospital", { type: "ORG" })).toEqual([undefined]);
  });
});

describe("surnames", () => {
  const rule = surnameAlone(englishGivenNames);
  claims("surname", rule, {
    "John Fitzgerald Kennedy": ["Kennedy"],
    "Kennedy, John F.": ["Kennedy"],
    "John Deere tractor": [],
    Kennedy: [],
  });
  claims(
    "surname",
    rule,
    { "Ludwig van Beethoven": ["Beethoven"], "J. R. R. Tolkien": ["Tolkien"] },
    { type: "PERSON" },
  );
  claims("surname", rule, { "John Hopkins": [] }, { type: "ORG" });
});

describe("first letters", () => {
  claims("first-letters", firstLetters, {
    "The New York Times": ["NYT"],
    "World Health Organization (UN)": ["WHO (UN)"],
    "University of Oxford": [],
    "24 Hours of Le Mans": [],
    "red hot chili peppers": ["RHCP"],
  });
});

describe("transliteration", () => {
  it("respells one sound in its place", () => {
    const drawn = manyDraws(respellSound, "Joseph");
    for (const text of ["Josef", "Yoseph", "Jozeph", "Josep"]) expect(drawn).toContain(text);
    expect(manyDraws(respellSound, "MÜLLER")).toContain("MUELLER");
    expect(manyDraws(respellSound, "Filip")).toContain("Philip");
    expect(manyDraws(respellSound, "Köln (city)")).toContain("Koeln (city)");
    expect(manyDraws(respellSound, "Muller")).not.toContain("Müller");
  });

  it("changes one word by at most three letters, and none of fewer than four", () => {
    const random = createRandom(4);
    for (const name of ["The Catherine the Great", "Schwarz and Schwarz", "Ulan-Ude 2012, Sørensen"]) {
      for (let drawn = 0; drawn < 200; drawn++) {
        const twin = respellSound(name, random, {}) as string;
        const [before, after] = [name.split(" "), twin.split(" ")];
        expect(after.length).toBe(before.length);
        const changed = before.filter((word, index) => word !== after[index]);
        expect(changed.length).toBe(1);
        expect(changed[0].length).toBeGreaterThanOrEqual(4);
        expect(distance(name, twin)).toBeLessThanOrEqual(3);
      }
    }
    for (const name of ["the cat", "", "1234567", "東京"])
      expect(manyDraws(respellSound, name)).toEqual([undefined]);
  });

  it("changes silent letters only after the first letter of a word", () => {
    expect(manyDraws(respellSound, "Hhbb")).toEqual(["Hbb", "Khhbb"]);
  });
});
