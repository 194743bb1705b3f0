import { describe, expect, it } from "vitest";
import { prepareTables } from "../../../src/match/columns/fields.js";
import type { ColumnKind } from "../../../src/match/columns/profile.js";
import {
  codeScale,
  fieldComparison,
  levelOf,
  missing,
  textScale,
} from "../../../src/match/evidence/levels.js";
import { VocabularyWords } from "../../../src/match/spelling/vocabulary-words.js";
import { createRandom } from "../../../src/random.js";

/** The level of two values in a column with some more values. */
function levels(kind: ColumnKind, others: readonly string[], areDegrees = false) {
  return (a: string, b: string): number => {
    const cells = [a, b, ...others];
    const { fields, order, vocabulary } = prepareTables({ column: cells }, undefined, {
      kindOf: { column: kind },
    });
    const value = (row: number): number => fields[0].left[order[0].indexOf(row)];
    const words = new VocabularyWords(vocabulary);
    return fieldComparison(fields[0], { words, areDegrees }).compare(value(0), value(1));
  };
}

const filler = Array.from({ length: 40 }, (_, row) => `filler ${row * 37}`);

/** Levels that rise strictly. */
function expectRising(found: readonly number[]): void {
  for (let index = 1; index < found.length; index++) expect(found[index]).toBeGreaterThan(found[index - 1]);
}

describe("levels of a comparison", () => {
  it("count the cuts that a value reaches", () => {
    expect([0.1, 0.5, 0.9].map((value) => levelOf(value, [0.3, 0.5, 0.8]))).toEqual([0, 2, 3]);
  });

  it("rise as texts become more alike", () => {
    const level = levels("text", filler);
    expectRising([
      level("grand hotel berlin", "city museum"),
      level("grand hotel berlin", "grand museum"),
      level("grand hotel berlin", "grand hotl berlin"),
      level("grand hotel berlin", "Grand Hotel, Berlin"),
    ]);
  });

  it("are higher for agreement on a rare value than on a common one", () => {
    const common = [...filler, ...Array.from({ length: 38 }, () => "main street")];
    for (const kind of ["text", "code", "category"] as const)
      expectRising([
        levels(kind, common)("main street", "main street"),
        levels(kind, filler)("main street", "main street"),
      ]);
  });

  it("take initials neither for another text nor for the same", () => {
    const level = levels("text", filler);
    const initials = level("United Parcel Service", "UPS");
    expectRising([
      level("United Parcel Service", "Oslo"),
      initials,
      level("United Parcel Service", "United Parcel"),
    ]);
    expect(level("UPS", "United Parcel Service")).toBe(initials);
    expect(level("United Parcel Service", "UPX")).toBeLessThan(initials);
  });

  it("do not agree where a text has a word more, unless it is a legal form, an initial or a number", () => {
    const level = levels("text", filler);
    const { agrees } = textScale;
    for (const more of ["Junior", "Remastered", "Opening Night"])
      expect(level("Ghent Jazz Festival", `Ghent Jazz Festival ${more}`), more).toBeLessThan(agrees);
    for (const more of ["Ltd", "B.", "2008"])
      expect(level("Ghent Jazz Festival", `Ghent Jazz Festival ${more}`), more).toBeGreaterThanOrEqual(
        agrees,
      );
  });

  it("differ where each of two short names has a word of its own", () => {
    const level = levels("text", filler);
    expect(level("Petra Eggerson", "Vera Eggerson")).toBeLessThan(textScale.differs);
    expect(level("Petra Eggerson", "Petra Egerson")).toBeGreaterThanOrEqual(textScale.differs);
    // What one word is compared with is its letters.
    expect(level("Bianca", "Biacna")).toBeGreaterThanOrEqual(textScale.differs);
  });

  it("take codes that are written in parts for the same, and a word beside them for neither the same nor another", () => {
    const level = levels("code", filler);
    const same = level("MATH281", "MATH281");
    for (const text of ["MATH 281", "math-281"]) expect(level("MATH281", text), text).toBe(same);
    expect(level("1 23", "12 3")).toBeLessThan(same);
    expect(level("No. 246", "246")).toBe(codeScale.differs);
    expect(level("246", "246 B")).toBeLessThan(codeScale.differs);
    expect(levels("category", filler)("Rev A", "A")).toBe(1);
    expect(levels("category", filler)("Rev A", "B")).toBe(0);
  });

  it("take a misspelt category, which is seldom seen, for neither another one nor the same", () => {
    const colours = ["red", "green", "blue", "white"].flatMap((colour) => new Array<string>(20).fill(colour));
    const level = levels("category", colours);
    expectRising([level("green", "blue"), level("green", "grene"), level("green", "green")]);
    // Both are often seen.
    const sizes = ["large", "lange"].flatMap((size) => new Array<string>(20).fill(size));
    expect(levels("category", sizes)("large", "lange")).toBe(level("green", "blue"));
  });

  it("take the same words in another order, or with brackets on one side, for equal values", () => {
    const level = levels("text", filler);
    const same = level("Rita Moreno", "rita moreno");
    expect(level("Rita Moreno", "Moreno, Rita (II)")).toBe(same);
    expect(level("Moreno, Rita", "Rita Moreno")).toBe(same);
    expect(level("Moreno, Rita (I)", "Moreno, Rita (II)")).toBeLessThan(same);
    expect(level("Rita Moreno", "Rita Rita")).toBeLessThan(same);
    const common = [...filler, ...Array.from({ length: 38 }, () => "Moreno, Rita")];
    expect(levels("text", common)("Rita Moreno", "Moreno, Rita")).toBeLessThan(same);
  });

  it("compare dates as dates: notation does not matter, slips and near days do", () => {
    const dates = Array.from({ length: 60 }, (_, row) => `19${30 + row}-07-11`);
    const level = levels("date", dates);
    expect(level("1984-10-27", "27.10.1984")).toBe(level("1984-10-27", "1984-10-27"));
    expectRising([
      level("1984-10-27", "2055-03-05"),
      level("1984-10-27", "1985-03-16"),
      level("1984-10-27", "1984-11-15"),
      level("1984-10-27", "1984-10-07"),
      level("1984-10-27", "1984-10-29"),
      level("1984-10-27", "1984-10-27"),
    ]);
    expect(level("1984-05-07", "1984-07-05")).toBe(level("1984-10-27", "1984-10-07"));
    // A digit that was read as a letter is a slip too.
    expect(level("1984-10-27", "1984-1o-27")).toBe(level("1984-10-27", "1984-10-07"));
  });

  it("compare numbers by their ratio", () => {
    const numbers = Array.from({ length: 60 }, (_, row) => `${row * 13}.5`);
    const level = levels("number", numbers);
    expectRising([
      level("100", "9"),
      level("100", "60"),
      level("100", "85"),
      level("100", "97"),
      level("100", "100.00"),
    ]);
  });

  it("say nothing where a cell of a column of numbers is none", () => {
    const level = levels(
      "number",
      Array.from({ length: 60 }, (_, row) => `${row * 13}.5`),
    );
    expect(level("66.143", "6k6.14")).toBe(missing);
    expect(level("66.143", "unknown")).toBe(missing);
  });

  it("compare coordinates by their difference", () => {
    const degrees = Array.from({ length: 60 }, (_, row) => `${row - 30}.5123`);
    const level = levels("number", degrees, true);
    expectRising([
      level("1.5", "2.2"),
      level("1.5", "1.7"),
      level("1.5", "1.58"),
      level("-1.5", "-1.54"),
      level("0.001", "0.009"),
      level("1.50", "1.5"),
    ]);
    expect(level("60", "60.7")).toBe(level("0", "0.7"));
  });
  it("compare phone numbers by their digits", () => {
    const level = levels("phone", filler);
    expect(level("(030) 555-1234", "030/5551234")).toBe(level("030 5551234", "030 5551234"));
  });

  it("leave the code of a country out of phone numbers, and nothing of other long numbers", () => {
    const level = levels("phone", filler);
    const same = level("212 5551234", "212 5551234");
    for (const text of ["+1 212 5551234", "0012125551234", "1-212-555-1234", "12125551234"])
      expect(level(text, "(212) 555-1234"), text).toBe(same);
    expect(level("2023000000001234", "2022000000001234")).toBeLessThan(same);
    expect(level("4006381333931", "5006381333931")).toBeLessThan(same);
  });

  it("tell signs apart", () => {
    for (const [kind, a, b] of [
      ["code", "120", "-120"],
      ["code", "12 kg", "−12 kg"],
      ["category", "A+", "A-"],
      ["category", "C++", "C#"],
      ["number", "−5.2", "5.2"],
      ["number", ".75", "75.0"],
    ] as const)
      expect(levels(kind, filler)(a, b), `${a} ${b}`).toBeLessThan(levels(kind, filler)(a, a));
    expect(levels("code", filler)("120", "-120")).toBe(0);
    expect(levels("category", filler)("A−", "A-")).toBe(levels("category", filler)("A-", "A-"));
  });

  it("pass over the numbers in texts where these are compared for themselves", () => {
    const cells = ["79 Hill Street, Apt A", "Flat A, 79 Forest Lane", "79A Hill Street", ...filler];
    const { fields, order, vocabulary } = prepareTables({ column: cells }, undefined, {
      kindOf: { column: "text" },
    });
    const value = (row: number): number => fields[0].left[order[0].indexOf(row)];
    const words = new VocabularyWords(vocabulary);
    const [whole, apart] = [false, true].map((areNumbered) => {
      const { compare } = fieldComparison(fields[0], { words, areNumbered });
      return { other: compare(value(0), value(1)), same: compare(value(0), value(2)) };
    });
    expect(apart.other).toBeLessThan(textScale.differs);
    expect(apart.other).toBeLessThan(whole.other);
    expect(apart.same).toBeGreaterThanOrEqual(textScale.differs);
  });

  it("take the first letter of a word, and a date with a sign too many, for nothing else", () => {
    const level = levels("text", filler);
    expect(level("F.", "Felix")).toBe(textScale.differs);
    expect(level("F.", "Nora")).toBeLessThan(textScale.differs);
    const born = levels("date", ["1950-02-03", "1961-12-24"]);
    const slip = born("1982-06-23", "1982-06-24");
    expect(born("1982-06-23", "19812-06-23")).toBe(4);
    expect(born("1982-06-23", "1982-06-2x3")).toBe(4);
    expect(born("1982-06-23", "1982-06")).toBe(4);
    expect(born("1982-06-23", "1983-06")).toBeLessThan(4);
    expect(slip).toBeGreaterThan(4);
  });

  it("take a slip in a code for one, unless codes of the column are siblings in that place", () => {
    const codes = Array.from({ length: 60 }, (_, row) => `${["K", "R", "T"][row % 3]}${7919 * (row + 3)}-A`);
    const alone = levels("code", codes);
    const families = levels("code", [
      ...codes,
      ...codes.slice(0, 20).map((code) => code.replace("-A", "-B")),
    ]);
    expect(alone("M4711-A", "M4711-B")).toBe(codeScale.differs);
    expect(families("M4711-A", "M4711-B")).toBe(codeScale.differs - 1);
    expect(families("M4711-A", "M4771-A")).toBe(codeScale.differs);
  });

  it("take a slip for one that gives a code a shape of its own, also in a short code", () => {
    const years = Array.from({ length: 60 }, (_, row) => `${1990 + (row % 30)}`);
    const level = levels("code", years);
    for (const misspelt of ["20o2", "200g2", "202", "20002"])
      expect(level("2002", misspelt)).toBe(codeScale.differs);
    expect(level("2002", "2003")).toBeLessThan(codeScale.differs);
    expect(level("2002", "1o02")).toBeLessThan(codeScale.differs);
    // Other codes that have the shape are no slips.
    const monthly = levels("code", [...years, "20a1", "20b1", "20c1"]);
    expect(monthly("2002", "20o2")).toBeLessThan(codeScale.differs);
  });

  it("compare long codes by their beginnings and lengths: all letters of 20,000 take half a second for a pair", () => {
    const random = createRandom(6);
    const hex = (length: number): string =>
      Array.from({ length }, () => Math.floor(16 * random()).toString(16)).join("");
    const [begin, end] = [hex(600), hex(19_400)];
    const level = levels("code", filler);
    const near = level(`0${begin}${end}`, `1${begin}${end}`);
    expect(level(`0${begin}${end}`, `1${begin}${hex(19_400)}`)).toBe(near);
    expectRising([
      level(`0${begin}${end}`, `1${begin}`),
      level(`0${begin}${end}`, `1${begin}${end.slice(0, 11_000)}`),
      near,
      level(begin, begin),
    ]);
  });
});
