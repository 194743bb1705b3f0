import { describe, expect, it } from "vitest";
import { outcomesOf } from "../../../src/augmentation/named-rule.js";
import {
  englishGivenNames,
  shortenMiddleName,
  surnameAlone,
  useNickname,
} from "../../../src/augmentation/names/persons.js";
import { addQualifier, dropQualifier, firstLetters } from "../../../src/augmentation/names/words.js";
import { claims, manyDraws } from "../rule-claims.js";

describe("qualifiers of a name", () => {
  it("are a qualifier in brackets or after a comma, where there is none", () => {
    const drawn = manyDraws(addQualifier, "Mercury", { type: "WORK_OF_ART" });
    expect(drawn).toContain("Mercury (album)");
    expect(drawn).toContain("Mercury, album");
    for (const text of drawn) expect(text).toMatch(/^Mercury(?: \([^()]+\)|, [^,]+)$/);
    for (const name of ["Mercury (planet)", "Paris, Texas", ""])
      expect(manyDraws(addQualifier, name)).toEqual([undefined]);
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

describe("nicknames", () => {
  const rule = useNickname(englishGivenNames());
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
    for (const name of englishGivenNames()) {
      const twins = outcomesOf(rule, `${name} Smithson`, { type: "PERSON" });
      expect(twins.length, name).toBeGreaterThan(0);
      for (const twin of twins) expect(twin).toMatch(/^\p{Lu}\p{Ll}+ Smithson$/u);
    }
  });
});

describe("middle names", () => {
  const rule = shortenMiddleName(englishGivenNames());

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
  const rule = surnameAlone(englishGivenNames());
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
