import { describe, expect, it } from "vitest";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { rowWords } from "../../../src/match/columns/row-words.js";
import { missing } from "../../../src/match/evidence/levels.js";
import { comparisonSettings, rowComparison } from "../../../src/match/evidence/pair-evidence.js";

const rows = 40;
const word = (row: number): string =>
  `${"bdfgklmnprst"[row % 12]}a${"bdfgklmnprst"[(row * 7) % 12]}o${"bdfgk"[row % 5]}e`;
const cells = (cell: (row: number) => string): string[] =>
  Array.from({ length: rows }, (_, row) => cell(row));

function columnsOf(table: Record<string, string[]>) {
  const tables = prepareTables(table, undefined, {});
  return rowComparison(comparisonSettings(tables, rowWords(tables))).columns;
}

describe("columns of evidence", () => {
  const columns = columnsOf({
    name: cells((row) => `${word(row)} ${word(3 * row + 1)}`),
    born: cells((row) => `19${10 + row}-0${1 + (row % 9)}-1${row % 10}`),
    hotel: cells((row) => `${word(5 * row + 2)} inn`),
    homeAddress: cells((row) => `${1 + ((row * 13) % 97)} ${word(row)} Lane`),
    Telefonnummer: cells((row) => `0${300 + row} ${5550000 + 37 * row}`),
    price: cells((row) => `${(19.99 + 3.1 * row).toFixed(2)}`),
  });
  const named = (wanted: string) => columns.find(({ name }) => name === wanted)!;

  it("identify unless their header says what several things share", () => {
    const identifying = columns.flatMap(({ name, field, identifies }) =>
      field >= 0 && identifies ? [name] : [],
    );
    expect(identifying.sort()).toEqual(["born", "hotel", "name"]);
  });

  it("identify, or not, as the caller says", () => {
    const table = { name: cells(word), city: cells((row) => word(2 * row)), code: cells((row) => `k${row}`) };
    const kindOf = { name: "shared", city: "identifies" } as const;
    const tables = prepareTables(table, undefined, { kindOf });
    const { columns } = rowComparison(comparisonSettings(tables, rowWords(tables)));
    const found = Object.fromEntries(columns.map(({ name, identifies }) => [name, identifies]));
    expect(found).toMatchObject({ name: false, city: "said" });
    expect(tables.fields.find(({ name }) => name === "city")?.kind).not.toBe("identifies");
  });

  it("have the numbers of texts as a unit of their own, and second looks at names none", () => {
    const numbers = named("homeAddress numbers");
    expect(numbers).toMatchObject({
      field: -1,
      from: named("homeAddress").field,
      identifies: false,
      share: 1,
    });
    expect(columns.some(({ name }) => name === "name numbers")).toBe(false);
    const units = columns
      .filter(({ field, from, unit }) => field >= 0 || unit !== from)
      .map(({ unit }) => unit);
    expect(units.sort()).toEqual([...units.keys()]);
    expect(named("name anywhere").unit).toBe(named("name").unit);
  });
});

describe("cells that have changed places", () => {
  const given = ["Anna", "Keller", "", "Anna", "Anna", "Nora", "Anne", "Anna"];
  const family = ["Keller", "Anna", "Keller", "", "Weiss", "Anna", "Keller", "Keler"];
  const others = (name: string): string[] => cells((row) => `${name}${word(row)}`);
  const table = { given: [...given, ...others("f")], family: [...family, ...others("g")] };
  const tables = prepareTables(table, undefined, {});
  const { columns, compare } = rowComparison(comparisonSettings(tables, rowWords(tables)));
  /** The levels of two rows, as "agrees", "missing" or "differs". */
  const compared = (a: number, b: number) => {
    const out = columns.map(() => new Int8Array(1));
    compare(tables.order[0].indexOf(a), tables.order[0].indexOf(b), out, 0);
    return Object.fromEntries(
      ["given", "family"].map((wanted) => {
        const at = columns.findIndex(({ name }) => name === wanted);
        const [level] = out[at];
        const { agrees, differs } = columns[at];
        return [
          wanted,
          level < 0 ? "missing" : level >= agrees ? "agrees" : level < differs ? "differs" : level,
        ];
      }),
    );
  };

  it("agree where both have", () => {
    expect(compared(0, 1)).toEqual({ given: "agrees", family: "agrees" });
    expect(compared(1, 0)).toEqual({ given: "agrees", family: "agrees" });
    // The other one misspelt.
    expect(compared(1, 7)).toEqual({ given: "agrees", family: "agrees" });
  });

  it("agree in one column where a row lacks a cell, and the other one says nothing", () => {
    for (const other of [2, 3])
      expect(Object.values(compared(1, other)).sort()).toEqual(["agrees", "missing"]);
  });

  it("differ where what is left of the cells does", () => {
    expect(compared(4, 5)).toEqual({ given: "differs", family: "differs" });
  });
});

describe("a cell that one row lacks", () => {
  const brands = ["Sorbo", "", "", "", "HP", "", ""];
  const titles = ["Kettle OI-967", "Sorbo Kettle OI-967", "Kettle OI 967, Sorbbo", "Tekna Kettle OI-967"];
  const others = ["Printer X200", "HP Printer X200", ""];
  const table = {
    title: [...titles, ...others, ...cells((row) => `${word(row)} ${word(3 * row + 1)} ${row}`)],
    brand: [...brands, ...cells((row) => word(row % 8))],
  };
  const tables = prepareTables(table, undefined, {});
  const { columns, compare, compareAll } = rowComparison(comparisonSettings(tables, rowWords(tables)));
  const at = columns.findIndex(({ name }) => name === "brand");
  const place = (row: number): number => tables.order[0].indexOf(row);
  const level = (a: number, b: number): number => {
    const out = columns.map(() => new Int8Array(1));
    compare(place(a), place(b), out, 0);
    const pairs = { left: Int32Array.of(place(a)), right: Int32Array.of(place(b)) };
    expect(compareAll(pairs).map(([found]) => found)).toEqual(out.map(([found]) => found));
    return out[at][0];
  };

  it("agrees where the row holds it in another column, also misspelt", () => {
    const equal = level(0, 0);
    expect(equal).toBeGreaterThanOrEqual(columns[at].agrees);
    for (const other of [1, 2]) {
      expect(level(0, other)).toBe(equal);
      expect(level(other, 0)).toBe(equal);
    }
  });

  it("says nothing where it does not, where both lack it, and where it is short", () => {
    expect(level(0, 3)).toBe(missing);
    expect(level(1, 2)).toBe(missing);
    expect(level(4, 5)).toBe(missing);
    expect(level(0, 6)).toBe(missing);
  });
});

describe("codes anywhere in the row", () => {
  const filler = cells((row) => `${100 + row} ${word(row)} Lane`);
  const table = {
    name: ["Oslo KX48713 camera", "Riga KX48713 lens", "Oslo 20713", "Riga lens", ...cells(word)],
    address: ["71 Mill Road", "71 Lake Street", "5 Hill Road", "9 Park Road", ...filler],
    postcode: ["20713", "20714", "30001", "30001", ...cells((row) => `${40000 + 7 * row}`)],
  };
  const kindOf = { name: "identifies", address: "identifies", postcode: "shared" } as const;
  const tables = prepareTables(table, undefined, { kindOf });
  const comparison = rowComparison(comparisonSettings(tables, rowWords(tables)));
  const at = comparison.columns.findIndex(({ name }) => name === "codes anywhere");
  const place = (row: number): number => tables.order[0].indexOf(row);
  const levelOf = (a: number, b: number): number => {
    const levels = comparison.columns.map(() => new Int8Array(1));
    comparison.compare(place(a), place(b), levels, 0);
    return levels[at][0];
  };

  it("count where the rows have them in different columns, or as a model in their names", () => {
    expect(levelOf(0, 1)).toBeGreaterThanOrEqual(comparison.columns[at].agrees);
    expect(levelOf(0, 2)).toBeGreaterThanOrEqual(comparison.columns[at].agrees);
  });

  it("say nothing where a column of codes that several things share has said it", () => {
    expect(levelOf(2, 3)).toBe(missing);
  });

  it("say nothing of a shared code that is only like the other one", () => {
    const code = ["4827193", "4827194", ...cells((row) => `${5_000_000 + 7919 * row}`)];
    const table = { name: ["oslo", "riga", ...cells(word)], phone: code };
    const tables = prepareTables(table, undefined, { kindOf: { phone: "code" } });
    const comparison = rowComparison(comparisonSettings(tables, rowWords(tables)));
    const levels = comparison.compareAll({
      left: Int32Array.of(tables.order[0].indexOf(0)),
      right: Int32Array.of(tables.order[0].indexOf(1)),
    });
    const place = comparison.columns.findIndex(({ name }) => name === "codes anywhere");
    expect(levels[place][0]).toBe(missing);
  });

  it("say nothing where the numbers of texts have said it", () => {
    const own = { name: cells(word), address: ["71 Mill Road", "71 Lake Street", ...filler.slice(2)] };
    const tables = prepareTables(own, undefined, { kindOf: { name: "identifies" } });
    const comparison = rowComparison(comparisonSettings(tables, rowWords(tables)));
    const levels = comparison.compareAll({
      left: Int32Array.of(tables.order[0].indexOf(0)),
      right: Int32Array.of(tables.order[0].indexOf(1)),
    });
    const named = (wanted: string): number =>
      levels[comparison.columns.findIndex(({ name }) => name === wanted)][0];
    expect(named("address numbers")).toBe(4);
    expect(named("codes anywhere")).toBe(missing);
  });
});
