import { describe, expect, it } from "vitest";
import { spellInitials } from "../../src/augmentation/persons.js";
import {
  changeLegalForm,
  moveQualifier,
  moveYear,
  partnersIn,
  readPairs,
  spellAcronym,
  standsFor,
  turnOfPhrase,
} from "../../src/augmentation/phrase.js";
import { outcomesOf } from "../../src/augmentation/rule.js";
import { spellNumber } from "../../src/augmentation/spelling.js";
import { createRandom } from "../../src/random.js";
import { file, quickAugmenter } from "./files.js";
import { claims } from "./rule-claims.js";

const givenNames = new Set(["John", "Ludwig", "Jean-Paul", "Ada"]);

describe("acronyms", () => {
  claims("acronym", spellAcronym(), {
    "World Health Organization (WHO)": [
      "World Health Organization",
      "WHO",
      "WHO (World Health Organization)",
    ],
    "WHO (World Health Organization)": [
      "World Health Organization",
      "WHO",
      "World Health Organization (WHO)",
    ],
    "persistent toxic substances (PTSs)": [
      "persistent toxic substances",
      "PTSs",
      "PTSs (persistent toxic substances)",
    ],
    "Mercury (planet)": [],
    "Georgia (USA)": [],
    "World Health Organization": [],
  });

  const listed = spellAcronym(
    partnersIn([
      ["WHO", "World Health Organization"],
      ["MI", "myocardial infarction"],
      ["MI", "Michigan"],
    ]),
  );
  claims("acronym of a list", listed, {
    WHO: ["World Health Organization"],
    "world health organization": ["who"],
    "WHO report": ["World Health Organization report"],
    MI: ["myocardial infarction", "Michigan"],
    "acute MI": ["acute myocardial infarction", "acute Michigan"],
    "who knows": [],
  });

  it("finds whether letters stand for a phrase", () => {
    expect(standsFor("WHO", "World Health Organization")).toBe(true);
    expect(standsFor("U.N.", "the United Nations")).toBe(true);
    expect(standsFor("USA", "Georgia")).toBe(false);
    expect(standsFor("WHO", "WH")).toBe(false);
  });
});

describe("initials", () => {
  const rule = spellInitials(givenNames);
  it("takes a letter of two code units whole", () => {
    const texts = outcomesOf(rule, "𝐉𝐨𝐡𝐧 𝐒𝐦𝐢𝐭𝐡", { type: "PERSON" });
    expect(texts).toContain("𝐉. 𝐒𝐦𝐢𝐭𝐡");
    for (const text of texts) expect(text).not.toMatch(/\p{Cs}/u);
  });
  claims("initials", rule, {
    "John Smith": ["J. Smith", "Smith, J.", "Smith, John"],
    "Smith, John": ["J. Smith", "Smith, J.", "John Smith"],
    "Ludwig van Beethoven": ["L. van Beethoven", "van Beethoven, L.", "van Beethoven, Ludwig"],
    "J.R.R. Tolkien": ["J. R. R. Tolkien", "Tolkien, J. R. R.", "J. Tolkien"],
    "Jean-Paul Sartre": ["J.-P. Sartre", "Sartre, J.-P.", "Sartre, Jean-Paul"],
    "John Maynard Keynes": [
      "J. M. Keynes",
      "J.M. Keynes",
      "Keynes, J. M.",
      "Keynes, John Maynard",
      "John M. Keynes",
      "John Keynes",
      "J. Keynes",
    ],
    "Red Bull": [],
    "I Field Force": [],
    "the John": [],
    "John deere tractor": [],
    John: [],
  });
  claims("initials", rule, { "Zoltan Kiss": ["Z. Kiss", "Kiss, Z.", "Kiss, Zoltan"] }, { type: "PERSON" });
  claims("initials", rule, { "Ada County": [] }, { type: "GPE" });
});

describe("qualifiers", () => {
  claims("qualifier", moveQualifier(givenNames), {
    "Mercury (planet)": ["Mercury", "Mercury, planet", "planet Mercury"],
    "Springfield, Illinois": ["Springfield", "Springfield (Illinois)", "Illinois Springfield"],
    "Casablanca (1942)": ["Casablanca"],
    "Smith, John": [],
    "Tolkien, J. R. R.": [],
    "Radnicki ( N )": ["Radnicki"],
    "radio, film and television": [],
    "bread, and butter": [],
    "Acme, Inc.": [],
    "one, two, three": [],
    plain: [],
  });
});

describe("years", () => {
  claims("year", moveYear, {
    "2012 Summer Olympics": ["Summer Olympics 2012", "Summer Olympics (2012)"],
    "Summer Olympics 2012": ["2012 Summer Olympics", "Summer Olympics (2012)"],
    "Casablanca (1942)": ["1942 Casablanca", "Casablanca 1942"],
    "elections in 1994": ["1994 elections", "elections 1994", "elections (1994)"],
    "2001–02 NBA season": ["NBA season 2001–02", "NBA season (2001–02)"],
    "3 May 2012": [],
    "since 1999": [],
    "the year 2012": [],
    "Boeing 7471": [],
    "BAB1 _ 1601": [],
    "2012": [],
    "model 3000": [],
  });
  claims("year", moveYear, { "Spring 1984": [] }, { type: "DATE" });
});

describe("legal forms", () => {
  claims("legal-form", changeLegalForm, {
    "Acme, Inc.": ["Acme", "Acme Inc.", "Acme Incorporated", "Acme Inc"],
    "Acme Incorporated": ["Acme", "Acme Inc.", "Acme, Inc.", "Acme Inc"],
    "ACME LTD": ["ACME", "ACME LTD.", "ACME LIMITED", "ACME, LTD."],
    "NV Philips": ["Philips", "Philips NV"],
    "The Hershey Company": ["Hershey", "The Hershey Co.", "The Hershey Co"],
    "Volvo AB": ["Volvo", "Volvo Aktiebolag", "AB Volvo"],
    "Procter & Co.": ["Procter", "Procter and Company", "Procter & Co"],
    "Toyota Motor Co., Ltd.": [
      "Toyota Motor",
      "Toyota Motor Company Limited",
      "Toyota Motor, Co., Ltd.",
      "Toyota Motor Co Ltd",
    ],
    "The Company": [],
    Limited: [],
    "a tempo": [],
    "New York": [],
  });
});

describe("of-phrases", () => {
  claims("of-phrase", turnOfPhrase, {
    "University of Oxford": ["Oxford University"],
    "Oxford University": ["University of Oxford"],
    "the cost of living": ["the living cost"],
    "Western Michigan University": [],
    "Haidian District": ["District of Haidian"],
    "roof of the house": ["house roof"],
    "a lot of money": [],
    "out of Africa": [],
    "University of California, Berkeley": [],
    "one of them": [],
    "state university": [],
    "The University": [],
    "cost of": [],
  });
});

describe("numbers", () => {
  claims("number-word", spellNumber, {
    "Three Musketeers": ["3 Musketeers"],
    "3 Doors Down": ["Three Doors Down"],
    "twenty-one pilots": ["21 pilots"],
    "Second World War": ["2nd World War"],
    "8th Countess of Norfolk": ["Eighth Countess of Norfolk"],
    "the 3rd man": ["the third man"],
    "sigma 54": [],
    "Interleukin - 1": [],
    "World War II": ["World War 2"],
    "World War 2": ["World War II"],
    "Henry VIII": ["Henry 8"],
    "two or three": ["2 or three", "two or 3"],
    "3 May 2012": [],
    "a second": [],
    "no one": [],
    I: [],
    "vitamin C": [],
    "Boeing 747": [],
  });

  it("are spelled as English does", () => {
    const words = "thirteen twenty forty-two ninety-nine first twelfth twentieth forty-third".split(" ");
    const digits = "13 20 42 99 1st 12th 20th 43rd".split(" ");
    words.forEach((word, index) => {
      expect(spellNumber(`${word} apes`, {})).toEqual([`${digits[index]} apes`]);
      expect(spellNumber(`${digits[index]} apes`, {})).toEqual([`${word} apes`]);
    });
    for (const ordinal of "1st 2nd 3rd 4th 11th 12th 13th 21st 42nd 53rd".split(" "))
      expect(spellNumber(`${ordinal} ape`, {}), ordinal).toHaveLength(1);
    for (const wrong of ["1th", "11st", "12nd", "42th"]) expect(spellNumber(`${wrong} ape`, {})).toEqual([]);
  });
});

describe("pair files", () => {
  it("work both ways; a circle or a self-reference neither loops nor repeats the phrase", async () => {
    const path = file("circle.tsv", "a\tb\nb\tc\nc\ta\na\ta\nA\ta\nb\ta\n");
    const partners = (await readPairs([path]))!;
    expect([...partners("a")].sort()).toEqual(["b", "c"]);
    expect([...partners("b")].sort()).toEqual(["a", "c"]);
    const augmenter = await quickAugmenter({
      paraphraseFiles: [path],
      probabilities: { "paraphrase-file": 1 },
    });
    const random = createRandom(1);
    for (let drawn = 0; drawn < 50; drawn++)
      expect(["b", "c"]).toContain(augmenter.augment("a", random).text);
  });

  it("take a header, further columns and quoted cells, and find other letter case", async () => {
    const path = file("pairs.csv", 'phrase,synonym,source\n"heart attack","myocardial infarction",x\n');
    const partners = (await readPairs([path]))!;
    expect(partners("heart attack")).toEqual(["myocardial infarction"]);
    expect(partners("Heart Attack")).toEqual(["Myocardial Infarction"]);
    expect(partners("HEART ATTACK")).toEqual(["MYOCARDIAL INFARCTION"]);
    expect(partners("phrase")).toEqual([]);
    expect(partners("constructor")).toEqual([]);
  });

  it("of one column are refused", async () => {
    const path = file("one.txt", "hello\n");
    await expect(readPairs([path])).rejects.toThrow(/one\.txt: there is no column 2/);
  });
});
