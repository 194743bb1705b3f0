import { describe, expect, it } from "vitest";
import { goldenRecords } from "../../src/group/golden-records.js";
import type { SurvivorRule, SurvivorRules } from "../../src/group/survivor-rules.js";
import { profiler } from "../../src/match/columns/profile.js";
import { createRandom } from "../../src/random.js";
import { type Cell, textOfCell } from "../../src/table/cell.js";
import type { WholeTable } from "../../src/table/whole-table.js";

/** A table in memory; cells that are not text as JSON lines have them. */
function tableOf(columns: Readonly<Record<string, readonly Cell[]>>, type = "VARCHAR"): WholeTable {
  const names = Object.keys(columns);
  const cells = (row: number): Cell[] => names.map((name) => columns[name][row]);
  const texts = Object.fromEntries(names.map((name) => [name, columns[name].map(textOfCell)]));
  const description = { path: "people.csv", columns: names } as WholeTable["description"];
  const typed = { columns: names.map((name) => ({ name, type })), cells };
  const textCells = (row: number): string[] => cells(row).map(textOfCell);
  return { description, columns: texts, phrases: texts[names[0]], cells: textCells, typed };
}

/** The record of all rows: its cells, and the rows of each, from 0. */
function merged(columns: Readonly<Record<string, readonly Cell[]>>, survivors: SurvivorRules = {}) {
  const table = tableOf(columns);
  const record = goldenRecords(table, { survivors }).recordOf(table.phrases.map((_, row) => row));
  return { cells: record.map(({ cell }) => cell), rows: record.map(({ rows }) => rows) };
}

const one = (cells: readonly Cell[], rule: SurvivorRule) => {
  const { cells: values, rows } = merged({ x: cells }, { x: rule });
  return { cell: values[0], rows: rows[0] };
};

describe("a rule", () => {
  it.each<[SurvivorRule, Cell[], Cell, number[]]>([
    ["frequent", ["Rome", "Roma", "Roma"], "Roma", [1, 2]],
    ["frequent", ["Ann", "Anna", "Anja"], "Anna", [1]],
    [
      "frequent",
      ["ACME  ltd", "Acme Ltd", " acme ltd", "Acme Ltd", "Bosch", "Bosch", "Bosch"],
      "Acme Ltd",
      [1, 3],
    ],
    ["frequent", ["", "n/a", "Rome", null, undefined], "Rome", [2]],
    ["longest", ["Bonn", "Bonn am Rhein", "Bonn"], "Bonn am Rhein", [1]],
    ["longest", ["ab     c", "abcde", "vwxyz"], "abcde", [1]],
    ["first", ["-", "b", "a"], "b", [1]],
    ["union", ["red", "Blue", "RED", "red", "blue", "Blue"], "red; Blue", [0, 1, 3, 5]],
    ["union", ["red; blue", "green", "blue"], "red; blue; green", [0, 1, 2]],
    ["union", ["red", "Red", "red"], "red", [0, 2]],
    ["max", ["9", "1,000.5", "80"], "1,000.5", [1]],
    ["min", ["9", "$ 3.50", "80"], "$ 3.50", [1]],
    ["max", ["2019-12-31", "2020-01-01 08:00", "2020-01-01"], "2020-01-01 08:00", [1]],
    ["min", ["31.12.2019", "1.1.2020", "2.1.2019"], "2.1.2019", [2]],
    ["mean", ["1", "2", "2"], "1.67", [0, 1, 2]],
    ["mean", ["9.99", "10", "10"], "9.9967", [0, 1, 2]],
    ["mean", ["12.50", "12.5", "12.50"], "12.50", [0, 2]],
    ["union", ["5.50 USD", "5.50 EUR", "5.5 usd", "€5.50", "5.50 €"], "5.50 USD; 5.50 EUR; €5.50", [0, 1, 3]],
    ["frequent", ["6.50 USD", "5.50 USD", "5.50 EUR", "5.50 EUR"], "5.50 EUR", [2, 3]],
    ["mean", ["5.50 USD", "5.50 EUR", "7.50 EUR", "5.5 EUR"], "5.50 EUR", [1]],
    ["max", ["5.50 EUR", "9.50 USD", "5.50 EUR"], "5.50 EUR", [0, 2]],
    ["min", ["5.50 EUR", "4.50 EUR", "5.00"], "4.50 EUR", [1]],
    ["mean", ["0.0000001", "0.0000002"], "0.00000015", [0, 1]],
    ["mean", ["-1.5", "1.5"], "0", [0, 1]],
    ["frequent", ["9.5", "12.50", "12.5", "9.50"], "9.5", [0]],
    ["frequent", ["1.2.2020", "02.02.2020"], "1.2.2020", [0]],
    ["frequent", ["A-7", "A-1234", ""], "A-7", [0]],
    ["mean", [{ json: "1" }, { json: "4" }], { json: "2.5" }, [0, 1]],
  ])("%s of %j takes %j", (rule, cells, cell, rows) => {
    expect(one(cells, rule)).toEqual({ cell, rows });
  });

  it("newest takes the cell of the row with the latest date that has one, by the time of day and the zone", () => {
    const updated = ["2024-06-01T10:00:00+02:00", "2024-06-01T09:00:00Z", "2024-07-01", ""];
    const phone = ["030 1111111", "030 2222222", "", "030 4444444"];
    const { cells, rows } = merged({ phone, updated }, { phone: "newest:updated" });
    expect([cells[0], rows[0]]).toEqual(["030 2222222", [1]]);
  });

  it("source takes the cell of the row of the most trusted source that has one, then of any other", () => {
    const source = ["web", "other", "CRM ", "erp"];
    const rule = "source:source=crm>erp>web" as const;
    const take = (phone: string[]) => merged({ phone, source }, { phone: rule }).cells[0];
    expect(take(["1", "2", "3", "4"])).toBe("3");
    expect(take(["1", "2", "", "4"])).toBe("4");
    expect(take(["1", "2", "", "n/a"])).toBe("1");
    expect(take(["", "2", "", ""])).toBe("2");
  });

  it("frequent and union know two spellings of a date, a price or a phone number; codes keep their zeros", () => {
    const { cells } = merged(
      {
        born: ["1980-03-12", "12.03.1980", "1981-03-12", "12.03.1980"],
        price: ["12.50", "13.00", "12.5", "13.75"],
        phone: ["+49 30 1234567", "030 9999999", "030 1234567", "+49 30 1234567"],
        code: ["007", "7", "7", "007"],
      },
      { price: "union", phone: "union", code: "union" },
    );
    expect(cells).toEqual(["12.03.1980", "12.50; 13.00; 13.75", "+49 30 1234567; 030 9999999", "007; 7"]);
  });

  it("has a phone number of two countries as two values, and one without a country as either", () => {
    const phone = ["212 555 1234", "+1 212 555 1234", "+44 212 555 1234", "0044 212 555 1234"];
    expect(one(phone, "union").cell).toBe("212 555 1234; +44 212 555 1234");
    expect(one(phone.slice(1), "frequent")).toEqual({ cell: phone[2], rows: [1] });
  });

  it("takes the kind of a column from its filled cells", () => {
    const born = ["n/a", "1.2.2020", "2020-02-02", "03.03.2020", "unknown", "2020-03-03", "4.4.2020"];
    expect(one(born, "max").cell).toBe("4.4.2020");
    expect(one(["n/a", "n/a"], "mean").cell).toBe("n/a");
  });

  it("reads a year as a date, in a column that the caller says holds dates", () => {
    const table = tableOf({ city: ["Rome", "Bonn", "Paris"], year: ["2001", "2009", "2008-12-31"] });
    const survivors = { city: "newest:year", year: "min" } as const;
    const { recordOf } = goldenRecords(table, { survivors, kindOf: { year: "date" } });
    expect(recordOf([0, 1, 2]).map(({ cell }) => cell)).toEqual(["Bonn", "2001"]);
  });

  it("keeps the first place of a source that is named twice, and the last rule of a column that is", () => {
    const columns = { phone: ["1", "2"], from: ["web", "crm"] };
    expect(merged(columns, { phone: "source:from=crm>web>crm" }).cells[0]).toBe("2");
    const survivors = [
      ["phone", "union"],
      ["1", "min"],
      ["PHONE", "first"],
      ["phone", "max"],
    ] as const;
    for (let given = 1; given <= survivors.length; given++) {
      const { rules } = goldenRecords(tableOf(columns), { survivors: survivors.slice(0, given) });
      expect(rules.phone).toBe(survivors[given - 1][1]);
    }
  });

  it("takes the first of identifiers that are equally frequent, though one is empty or repeated", () => {
    expect(merged({ id: ["Ann", "Annabel", "Bob", ""] }).cells).toEqual(["Ann"]);
    expect(merged({ customer_id: ["x", "abc", "x", "abc"] }).cells).toEqual(["x"]);
  });

  it("is by default longest for long texts and lists, first for row numbers, and frequent elsewhere", () => {
    const long = Array.from({ length: 30 }, (_, word) => `word${"abcdefgh"[word % 8]}`).join(" ");
    const table = tableOf({
      nr: ["1", "2", "3"],
      name: ["Ann Ray", "Bob Fox", "Cy Lee"],
      born: ["1980-03-12", "1981-03-12", "1982-04-12"],
      story: [long, `${long} more`, `${long} yet more`],
      authors: ["A. Ray, B. Fox", "C. Lee, D. Kay, E. May", "F. Poe, G. Kip"],
    });
    const { rules } = goldenRecords(table);
    expect(rules).toEqual({
      nr: "first",
      name: "frequent",
      born: "frequent",
      story: "longest",
      authors: "longest",
    });
    expect(goldenRecords(table, { kindOf: { born: "long" } }).rules.born).toBe("longest");
  });
});

describe("a record", () => {
  it("keeps its columns in order, and their types where a rule allows it", () => {
    const table = tableOf({ b: [{ json: "1" }], c: [{ json: "2" }], a: [{ json: "3" }] }, "BIGINT");
    const { columns, recordOf } = goldenRecords(table, { survivors: { B: "union", "2": "mean" } });
    expect(columns).toEqual(["b", { name: "c", type: "DOUBLE" }, { name: "a", type: "BIGINT" }]);
    expect(recordOf([0]).map(({ cell }) => cell)).toEqual([{ json: "1" }, { json: "2" }, { json: "3" }]);
  });

  it("of one row is this row as it is, and of any rows holds cells of theirs, or values made of all that they fill", () => {
    const random = createRandom(3);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
    const rows = Array.from({ length: 300 }, (_, row) => row);
    const names = ["Ann Ray", "ann  ray", "Bob; Fox", "n/a", "", "Ann Ray ", "Cy Lee"];
    const columns: Record<string, string[]> = {
      name: rows.map(() => pick(names)),
      amount: rows.map(() => pick(["1", "2.5", "30", "", "2.50"])),
      joined: rows.map(() => pick(names)),
      date: rows.map(() => pick(["2020-01-01", "2021-01-01", "", "2.3.2021", "2022-02-02 10:00"])),
      source: rows.map(() => pick(["a", "b", "c"])),
    };
    const table = tableOf(columns);
    const profileOf = profiler();
    const isFilled = (text: string): boolean => text !== "" && text !== "n/a";
    const plain = ["frequent", "longest", "first", "newest:date", "source:source=c>a"] as const;
    for (let trial = 0; trial < 100; trial++) {
      const amount = pick(["mean", "max", "min"] as const);
      const survivors = {
        name: pick(plain),
        amount,
        joined: "union",
        date: pick(["max", "min", ...plain] as const),
      } as const;
      const { recordOf } = goldenRecords(table, { survivors, profileOf });
      const row = pick(rows);
      expect(recordOf([row]).map(({ cell }) => cell)).toEqual(table.cells(row));
      const group = rows.filter(() => random() < pick([0.01, 0.05]));
      if (group.length < 2) continue;
      const cellsOf = (name: string): string[] => group.map((at) => columns[name][at]);
      for (const [place, { cell, rows: from }] of recordOf(group).entries()) {
        const name = Object.keys(columns)[place];
        const own = cellsOf(name);
        expect(group).toEqual(expect.arrayContaining([...from]));
        if (!own.some(isFilled)) expect([cell, from]).toEqual([own[0], []]);
        else if (name === "joined") {
          const values = new Set(
            own
              .filter(isFilled)
              .flatMap((text) => text.split("; "))
              .map(folded),
          );
          expect(String(cell).split("; ").map(folded).sort()).toEqual([...values].sort());
        } else if (name === "amount" && amount === "mean") {
          const numbers = own.filter(isFilled).map(Number);
          expect(Number(cell)).toBeCloseTo(numbers.reduce((a, b) => a + b) / numbers.length, 2);
        } else {
          expect(from.map((at) => folded(columns[name][at]))).toContain(folded(String(cell)));
          expect(columns[name][from[0]]).toBe(cell);
        }
      }
    }
  });
});

const folded = (text: string): string => text.trim().toLowerCase().replace(/ +/g, " ");

describe("a rule that does not fit", () => {
  const table = tableOf({
    name: ["Ann Ray", "Bob Fox"],
    updated: ["2024-01-02", "2024-03-04"],
    empty: ["", ""],
  });
  const rules = (survivors: Record<string, string>) =>
    goldenRecords(table, { survivors: survivors as SurvivorRules });

  it("is refused with what exists", () => {
    expect(() => rules({ nam: "first" })).toThrow(
      'people.csv: no column "nam". The columns are name, updated, empty. Did you mean "name"?',
    );
    expect(() => rules({ name: "newest:update" })).toThrow('no column "update".');
    expect(() => rules({ name: "source:src=a>b" })).toThrow('no column "src".');
    expect(() => rules({ name: "newest:name" })).toThrow(
      'people.csv: the rule newest:name needs dates, but the column "name" is of the kind text. ' +
        'Columns of dates: updated. Choose another rule, or say that it holds them: --kind-of "name=date".',
    );
    expect(() => rules({ name: "mean" })).toThrow(
      'the rule mean needs numbers, but the column "name" is of the kind text. Columns of numbers: none. Choose another rule',
    );
    expect(() => rules({ name: "max" })).toThrow("the rule max needs numbers or dates");
    expect(() => rules({ name: "latest" })).toThrow(
      '"latest" is not a survivor rule. Use one of frequent, longest, first, union, max, min, mean, newest:COLUMN, source:COLUMN=A>B.',
    );
  });

  it("fits an empty column", () => {
    expect(rules({ empty: "mean", name: "newest:empty" }).rules).toMatchObject({ empty: "mean" });
  });

  it("is refused where it decides by dates that cannot be read", () => {
    const survivors = { updated: "newest:name" } as const;
    expect(() => goldenRecords(table, { survivors, kindOf: { name: "date" } })).toThrow(
      "people.csv: no cell of name can be read as a date. Choose another rule.",
    );
  });

  it("names a source that no row has", () => {
    const notes: string[] = [];
    const onNote = (note: string): void => void notes.push(note);
    goldenRecords(table, { survivors: { updated: "source:name=ann ray>Cy" }, onNote });
    expect(notes).toEqual(['people.csv: no row has "Cy" in name']);
  });
});
