import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { fineTypeOf, KNOWN_LABELS } from "../../../src/corpus/typing/fine-types.js";
import { typeOfAmount, typeOfNamePattern } from "../../../src/corpus/typing/patterns.js";
import { loadTokenClassifier } from "../../../src/corpus/typing/type-phrases.js";
import { ENTITY_TYPES } from "../../../src/pearl/phrase-types.js";
import { testFolder } from "../../table/folder.js";
import { writeTinyNer } from "./tiny-ner.js";

const { path } = testFolder();

describe("labels", () => {
  it("of OntoNotes, CoNLL and spaCy are ours, in any letter case and with a sequence tagger's prefix", () => {
    for (const type of ENTITY_TYPES) expect(fineTypeOf(`B-${type.toLowerCase()}`)).toBe(type);
    expect(["PER", "I-LOC", "MISC", "ORG", "O", "creative-work", "Work Of Art"].map(fineTypeOf)).toEqual([
      "PERSON",
      "LOC",
      "OTHER",
      "ORG",
      "OTHER",
      "WORK_OF_ART",
      "WORK_OF_ART",
    ]);
    expect(fineTypeOf("WIZARD")).toBeUndefined();
    expect(KNOWN_LABELS).toContain("PERSON");
  });
});

describe("patterns", () => {
  // Examples of OntoNotes' name annotation guidelines (Weischedel et al., release 4.0), and similar ones.
  const amounts: [string, string | undefined][] = [
    ["17%", "PERCENT"],
    ["about 5.6 percent", "PERCENT"],
    ["$ 5.6 billion", "MONEY"],
    ["US$20", "MONEY"],
    ["two hundred dollars", "MONEY"],
    ["8:30 p.m.", "TIME"],
    ["two hours", "TIME"],
    ["this morning", "TIME"],
    ["March 3, 1999", "DATE"],
    ["3 March 1999", "DATE"],
    ["the third quarter", "DATE"],
    ["last year", "DATE"],
    ["the 1990s", "DATE"],
    ["the 19th century", "DATE"],
    ["Monday", "DATE"],
    ["a year ago", "DATE"],
    ["five miles", "QUANTITY"],
    ["120 km/h", "QUANTITY"],
    ["the third", "ORDINAL"],
    ["21st", "ORDINAL"],
    ["twenty-three", "CARDINAL"],
    ["more than 1,000", "CARDINAL"],
    ["year", undefined],
    ["the morning", "TIME"],
    ["a word", undefined],
    ["march on", undefined],
  ];
  it.each(amounts)("read %s as %s", (phrase, type) => expect(typeOfAmount(phrase)).toBe(type));

  const names: [string, string | undefined][] = [
    ["Acme Holdings Inc.", "ORG"],
    ["the University of Vienna", "ORG"],
    ["Ministry of Finance", "ORG"],
    ["Heathrow Airport", "FAC"],
    ["the Rhine River", "LOC"],
    ["Mount Rainier", "LOC"],
    ["Orange County", "GPE"],
    ["Battle of Hastings", "EVENT"],
    ["the Clean Air Act of 1970", "LAW"],
    ["Roe v. Wade", "LAW"],
    ["Dr. Anna Müller", "PERSON"],
    ["J. K. Rowling", "PERSON"],
    ["Alien (film)", "WORK_OF_ART"],
    ["the Basque language", "LANGUAGE"],
    ["the university", undefined],
    ["Xyzzy", undefined],
  ];
  it.each(names)("read %s as %s", (phrase, type) => expect(typeOfNamePattern(phrase)).toBe(type));

  // A pattern that backtracks without bound would never return.
  it("finish on long and repetitive phrases", () => {
    for (const unit of ["A a ", "the ", "12 ", "Mr. ", "of the Aa, ", "one hundred ", "A.-"])
      for (const end of ["", "!"]) {
        typeOfAmount(unit.repeat(40) + end);
        typeOfNamePattern(unit.repeat(40) + end);
      }
  });
});

describe("a token-classification model", () => {
  it("types phrases by the strongest label of their tokens, until it is disposed of", async () => {
    const { types, dispose } = await loadTokenClassifier(
      await writeTinyNer(join(path, "tiny-ner"), ["O", "B-PER", "B-LOC"]),
    );
    expect(await types(["Anna Smith", "Trieste", "harbour", "Anna Smith Trieste"])).toEqual([
      "PERSON",
      "LOC",
      "OTHER",
      "PERSON",
    ]);
    expect(await types(["Trieste"])).toEqual(["LOC"]);
    await dispose();
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    await expect(types(["Trieste"])).rejects.toThrow(/disposed/);
    printed.mockRestore();
  });

  it("is refused by name where its labels are unknown, or where there is no model", async () => {
    const strange = await writeTinyNer(join(path, "strange-ner"), ["O", "B-WIZARD", "B-LOC"]);
    await expect(loadTokenClassifier(strange)).rejects.toThrow(/unknown labels B-WIZARD.*PERSON/);
    const empty = join(path, "empty");
    mkdirSync(empty);
    await expect(loadTokenClassifier(empty)).rejects.toThrow(/config\.json, tokenizer\.json/);
  });
});
