import { describe, expect, it } from "vitest";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { rowWords } from "../../../src/match/columns/row-words.js";
import { nameOpposition, opposition } from "../../../src/match/evidence/across-columns.js";
import { VocabularyWords } from "../../../src/match/spelling/vocabulary-words.js";

function opposed(a: string, b: string, more: readonly [string, string] = ["", ""]): number {
  const filler = Array.from(
    { length: 60 },
    (_, row) => `camera for everyone ${"abcdefghij"[row % 10]}${row}x`,
  );
  const table = {
    name: [a, b, ...filler],
    note: [...more, ...filler.map((_, row) => (row % 3 === 0 ? "sold" : "new one"))],
  };
  const tables = prepareTables(table, undefined, { on: ["name", "note"] });
  const place = (row: number): number => tables.order[0].indexOf(row);
  const words = new VocabularyWords(tables.vocabulary);
  const compare = nameOpposition(tables.fields[tables.naming], rowWords(tables), words);
  expect(compare(place(0), place(1))).toBe(compare(place(1), place(0)));
  return compare(place(0), place(1));
}

describe("names that contradict each other", () => {
  it("have different codes", () => {
    expect(opposed("Sony camera DSCW170", "Sony camera DSCW570")).toBe(opposition.codes);
    expect(opposed("7 outlet strip", "3 outlet strip")).toBe(opposition.codes);
  });

  it("have different rare words", () => {
    expect(opposed("Oslo camera club", "Riga camera club")).toBe(opposition.rare);
  });

  it.each([
    ["Oslo Fink Jr", "Oslo Fink Sr"],
    ["Oslo Fink Junior", "Oslo Fink III"],
    ["Lycée Nord", "Lycée Sud"],
    ["Oslo Elementary School", "Oslo High School"],
  ])("say opposites: %s, %s", (a, b) => {
    expect(opposed(a, b)).toBe(opposition.opposites);
  });

  it("say no opposites where one has both, or the other row has the word", () => {
    expect(opposed("Oslo boys and girls club", "Oslo girls club")).toBe(opposition.none);
    expect(opposed("Oslo club north", "Oslo club south", ["south", "north"])).toBe(opposition.none);
  });

  it("are not legal forms, codes and series that are written differently", () => {
    expect(opposed("Willow Motors Ltd", "Willow Motors Limited")).toBe(opposition.none);
    expect(opposed("Oslo KS 69-2", "Oslo KS69-2")).toBe(opposition.none);
    expect(opposed("Oslo Fink Jr.", "Oslo Fink Junior")).toBe(opposition.none);
    expect(opposed("Oslo Foods Bros", "Oslo Foods Brothers")).toBe(opposition.none);
    expect(opposed("Oslo Foods Intl", "Oslo Foods International")).toBe(opposition.none);
    expect(opposed("ICDE Oslo", "Oslo International Conference on Data Engineering")).toBe(opposition.none);
  });

  it("are not those where only one has more words", () => {
    expect(opposed("Sony camera", "Sony camera DSCW170 silver")).toBe(opposition.none);
  });

  it("are not those that are spelled or joined differently", () => {
    expect(opposed("Sony DSC W170", "Sony DSC-W170")).toBe(opposition.none);
    expect(opposed("Oslo camera clubb", "Oslo camera club")).toBe(opposition.none);
  });

  it("are not those whose words are elsewhere in the other row", () => {
    expect(opposed("camera Oslo", "camera Riga", ["made in Riga", "made in Oslo"])).toBe(opposition.none);
  });
});
