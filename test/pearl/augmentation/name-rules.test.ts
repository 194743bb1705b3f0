import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { transliterationRule } from "../../../src/pearl/augmentation/character/transliteration.js";
import { addQualifierRule } from "../../../src/pearl/augmentation/phrase/names/add-qualifier.js";
import { dropQualifierRule } from "../../../src/pearl/augmentation/phrase/names/drop-qualifier.js";
import { firstLettersRule } from "../../../src/pearl/augmentation/phrase/names/first-letters.js";
import { middleNameRule } from "../../../src/pearl/augmentation/phrase/names/middle-name.js";
import { englishGivenNames, nicknameRule } from "../../../src/pearl/augmentation/phrase/names/nickname.js";
import { surnameRule } from "../../../src/pearl/augmentation/phrase/names/surname.js";
import type { DrawnRule, PhraseContext, RuleName } from "../../../src/pearl/augmentation/rule.js";
import { abbreviationRule } from "../../../src/pearl/augmentation/token/names/abbreviation.js";
import { addSuffixRule } from "../../../src/pearl/augmentation/token/names/add-suffix.js";
import { dropEndWordRule } from "../../../src/pearl/augmentation/token/names/drop-end-word.js";
import { dropShortWordRule } from "../../../src/pearl/augmentation/token/names/drop-short-word.js";
import { insertWordRule } from "../../../src/pearl/augmentation/token/names/insert-word.js";
import { joinWordsRule } from "../../../src/pearl/augmentation/token/names/join-words.js";
import { namePartsOf } from "../../../src/pearl/augmentation/token/names/name-parts.js";
import { shortenWordRule } from "../../../src/pearl/augmentation/token/names/shorten-word.js";
import { shuffleWordsRule } from "../../../src/pearl/augmentation/token/names/shuffle-words.js";
import { splitWordRule } from "../../../src/pearl/augmentation/token/names/split-word.js";
import { createRandom } from "../../../src/random.js";
import { claims } from "./rule-claims.js";

const nameWordRules = [
  ...[dropShortWordRule, dropEndWordRule, shortenWordRule],
  ...[joinWordsRule, splitWordRule, shuffleWordsRule],
];

/** What a rule makes of a phrase, as far as 600 draws show it. */
function manyDraws(rule: DrawnRule, phrase: string, context: PhraseContext = {}): (string | undefined)[] {
  const random = createRandom(17);
  return [...new Set(Array.from({ length: 600 }, () => rule.draw(phrase, random, context)))].sort();
}

function wordRule(name: RuleName): DrawnRule {
  return nameWordRules.find((rule) => rule.name === name) as DrawnRule;
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
    ],
    ["drop-short-word", "The Beatles", ["Beatles"]],
    ["drop-short-word", "El Paso", [undefined]],
    ["drop-short-word", "of the and", [undefined]],
    ["drop-end-word", "New York Times, daily", ["New York, daily", "York Times, daily"]],
    ["drop-end-word", "New York", [undefined]],
    ["shorten-word", "Acme Manufacturing", ["Acme Man.", "Acme Manu."]],
    ["shorten-word", "Acme Tools", [undefined]],
    ["shorten-word", "Manufacturing", [undefined]],
    ["join-words", "Face Book (site)", ["Face-Book (site)", "FaceBook (site)"]],
    ["join-words", "Facebook", [undefined]],
    ["split-word", "Saint-Denis", ["Saint Denis"]],
    ["split-word", "Football", ["Foo tball", "Foot ball", "Footb all"]],
    ["split-word", "Soccer", [undefined]],
  ] as const)("%s: %s", (name, phrase, expected) => {
    expect(manyDraws(wordRule(name), phrase)).toEqual([...expected]);
  });

  it("shuffle-words gives every order but the own", () => {
    const orders = ["a c b", "b a c", "b c a", "c a b", "c b a"];
    const drawn = manyDraws(wordRule("shuffle-words"), "a b c");
    expect(drawn.filter((text) => text !== undefined)).toEqual(orders);
    expect(manyDraws(wordRule("shuffle-words"), "a b")).toEqual([undefined]);
  });

  it("keep what is one sign for a reader in one piece", () => {
    const name = "Acme e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301";
    for (const rule of [wordRule("shorten-word"), wordRule("split-word")]) {
      for (const text of manyDraws(rule, name)) expect(text ?? "").not.toMatch(/(?:^|\s)\p{M}/u);
    }
  });
});

describe("what is added to a name", () => {
  it("is a suffix before the qualifier, by the entity type where it is known, in the name's case", () => {
    expect(manyDraws(addSuffixRule, "john smith", { type: "PERSON" })).toEqual([
      "john smith ii",
      "john smith iii",
      "john smith jr",
      "john smith jr.",
      "john smith sr.",
    ]);
    for (const text of manyDraws(addSuffixRule, "Acme (maker)")) expect(text).toMatch(/^Acme .+ \(maker\)$/);
    expect(manyDraws(addSuffixRule, "Acme Club", { type: "ORG" })).not.toContain("Acme Club Club");
  });

  it("is a qualifier in brackets or after a comma, where there is none", () => {
    const drawn = manyDraws(addQualifierRule, "Mercury", { type: "WORK_OF_ART" });
    expect(drawn).toContain("Mercury (album)");
    expect(drawn).toContain("Mercury, album");
    for (const text of drawn) expect(text).toMatch(/^Mercury(?: \([^()]+\)|, [^,]+)$/);
    for (const name of ["Mercury (planet)", "Paris, Texas", ""])
      expect(manyDraws(addQualifierRule, name)).toEqual([undefined]);
  });

  it("is a word inside, the others in their order", () => {
    const drawn = manyDraws(insertWordRule, "red wine") as string[];
    expect(drawn).toContain("red national wine");
    for (const text of drawn) {
      expect(text).toMatch(/^(?:\w+ red wine|red \w+ wine|red wine \w+)$/);
      expect(text).toBe(text.toLowerCase());
    }
  });

  claims(dropQualifierRule, {
    "Mercury (planet)": ["Mercury"],
    "Mercury (1999)": ["Mercury"],
    "Springfield, Illinois": ["Springfield"],
    "It, film": [],
    Mercury: [],
  });
  claims(dropQualifierRule, { "Smith, John": [], "John Smith (judge)": ["John Smith"] }, { type: "PERSON" });
});

describe("abbreviations", () => {
  claims(abbreviationRule, {
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
  const rule = nicknameRule(englishGivenNames);
  claims(rule, {
    "David Bowie": ["Dave Bowie", "Davy Bowie"],
    "Bowie, David": ["Bowie, Dave", "Bowie, Davy"],
    "David Robert Jones": ["Dave Robert Jones", "Davy Robert Jones"],
    "Dave Bowie": [],
    "David and Goliath": [],
    "Tyne Daly": [],
  });
  claims(rule, { "Dave Bowie": ["David Bowie"], "Zoltan Kiss": [] }, { type: "PERSON" });
  claims(rule, { "David Station": [] }, { type: "FAC" });

  it("leave no name that stands for itself", () => {
    for (const name of englishGivenNames) {
      const twins = rule.list(`${name} Smithson`, { type: "PERSON" });
      expect(twins.length, name).toBeGreaterThan(0);
      for (const twin of twins) expect(twin).toMatch(/^\p{Lu}\p{Ll}+ Smithson$/u);
    }
  });
});

describe("middle names", () => {
  const rule = middleNameRule(englishGivenNames);

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
  const rule = surnameRule(englishGivenNames);
  claims(rule, {
    "John Fitzgerald Kennedy": ["Kennedy"],
    "Kennedy, John F.": ["Kennedy"],
    "John Deere tractor": [],
    Kennedy: [],
  });
  claims(
    rule,
    { "Ludwig van Beethoven": ["Beethoven"], "J. R. R. Tolkien": ["Tolkien"] },
    { type: "PERSON" },
  );
  claims(rule, { "John Hopkins": [] }, { type: "ORG" });
});

describe("first letters", () => {
  claims(firstLettersRule, {
    "The New York Times": ["NYT"],
    "World Health Organization (UN)": ["WHO (UN)"],
    "University of Oxford": [],
    "24 Hours of Le Mans": [],
    "red hot chili peppers": ["RHCP"],
  });
});

describe("transliteration", () => {
  it("spells one sound in another way, at the place where it stands", () => {
    const drawn = manyDraws(transliterationRule, "Joseph");
    for (const text of ["Josef", "Yoseph", "Jozeph", "Josep"]) expect(drawn).toContain(text);
    expect(manyDraws(transliterationRule, "MÜLLER")).toContain("MUELLER");
    expect(manyDraws(transliterationRule, "Filip")).toContain("Philip");
    expect(manyDraws(transliterationRule, "Köln (city)")).toContain("Koeln (city)");
    expect(manyDraws(transliterationRule, "Muller")).not.toContain("Müller");
  });

  it("changes one word by at most three letters, and none of fewer than four", () => {
    const random = createRandom(4);
    for (const name of ["The Catherine the Great", "Schwarz and Schwarz", "Ulan-Ude 2012, Sørensen"]) {
      for (let drawn = 0; drawn < 200; drawn++) {
        const twin = transliterationRule.draw(name, random, {}) as string;
        const [before, after] = [name.split(" "), twin.split(" ")];
        expect(after.length).toBe(before.length);
        const changed = before.filter((word, index) => word !== after[index]);
        expect(changed.length).toBe(1);
        expect(changed[0].length).toBeGreaterThanOrEqual(4);
        expect(distance(name, twin)).toBeLessThanOrEqual(3);
      }
    }
    for (const name of ["the cat", "", "1234567", "東京"])
      expect(manyDraws(transliterationRule, name)).toEqual([undefined]);
  });

  it("never touches the start of a word with what is silent inside", () => {
    expect(manyDraws(transliterationRule, "Hhbb")).toEqual(["Hbb", "Khhbb"]);
  });
});
