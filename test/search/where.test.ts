/** Conditions on columns mean what the same text means in SQL, and errors show the place. */
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import type { IndexLayout } from "../../src/search/index-types.js";
import { conditionTest, parseCondition } from "../../src/search/where.js";

const columns = ["city", "employees", "turnover", "founded in", "zip"];
const types = ["VARCHAR", "BIGINT", "DOUBLE", "DATE", "VARCHAR"];
const layout = { columns, types } as unknown as IndexLayout;
const passes = (where: string, cells: readonly string[]): boolean =>
  conditionTest(parseCondition(where, layout))(cells);

describe("a condition", () => {
  it("finds the rows that DuckDB finds", async () => {
    const random = createRandom(4);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
    const cities = ["Ulm", "ulm", "Köln", "L'Aquila", "Zürich", "Aachen", "and"];
    const dates = ["1999-12-31", "2001-02-03", "2020-10-10"];
    const rows = Array.from({ length: 200 }, () => [
      pick(cities),
      pick(["-3", "0", "12", "9007199254740993", "9007199254740992"]),
      pick(["0.5", "-2.25", "1000.0", "3.0"]),
      pick(dates),
      "89073",
    ]);
    const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
    const comparison = (): string => {
      const sign = pick(["=", "!=", "<", "<=", ">", ">="]);
      const values = [pick(cities), pick(cities)].map(quoted);
      return pick([
        `city ${sign} ${values[0]}`,
        `CITY ${pick(["in", "NOT IN"])} (${values})`,
        `employees ${sign} ${pick(["-3", "12", "9007199254740993"])}`,
        `employees in (0, 12,9007199254740992)`,
        `turnover${sign}${pick(["0.5", "-2.25", "1e3", ".5", "3"])}`,
        `"founded in" ${sign} ${quoted(pick(dates))}`,
      ]);
    };
    const condition = (depth: number): string => {
      if (depth === 0) return comparison();
      const [left, right] = [condition(depth - 1), condition(depth - 1)];
      return pick([`${left} and ${right}`, `${left} OR ${right}`, `not ${left}`, `(${left})`]);
    };
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const declared = columns.map((name, at) => `"${name}" ${types[at]}`);
    await connection.run(`CREATE TABLE t ("row" INT, ${declared})`);
    await connection.run(
      `INSERT INTO t VALUES ${rows.map((cells, row) => `(${row}, ${cells.map(quoted)})`)}`,
    );
    const conditions = Array.from({ length: 100 }, (_, trial) => condition(trial % 4));
    const columnsOf = conditions.map((where) => `(${where})`);
    const result = await connection.runAndReadAll(`SELECT ${columnsOf} FROM t ORDER BY "row"`);
    const expected = result.getRows();
    let some = 0;
    for (const [at, where] of conditions.entries()) {
      const found = rows.map((cells) => passes(where, cells));
      expect(found, where).toEqual(expected.map((values) => values[at]));
      if (new Set(found).size === 2) some++;
    }
    expect(some).toBeGreaterThan(50);
  });

  it("reads numbers in columns of text, where other texts and missing values fail", () => {
    const row = (zip: string) => ["", "", "", "", zip];
    expect(["7", "07", "7.0", "x7", "", "1e1"].filter((zip) => passes("zip <= 7", row(zip)))).toEqual([
      "7",
      "07",
      "7.0",
    ]);
    expect(passes("zip = '07'", row("7"))).toBe(false);
    expect(passes("employees < 5 or employees >= 5 or employees != 5", row(""))).toBe(false);
    expect(passes("employees = ''", row(""))).toBe(true);
    expect(passes("not employees < 5", row(""))).toBe(true);
    expect(passes("zip = 12345678901234567", row("12345678901234568"))).toBe(false);
  });

  it.each([
    ["  ", "where, character 3 (the end): expected a column, as in city = 'Ulm' or \"founded in\" > 2001."],
    [
      "town = 'Ulm'",
      "where, character 1 (at town = 'Ulm'): the index has no column town. It has city, employees, ",
    ],
    [
      "city = Ulm",
      "where, character 8 (at Ulm): expected a number, or a text in single quotes, such as 'Ulm'.",
    ],
    ['city = "Ulm"', 'where, character 8 (at "Ulm"): expected a number, or a text in single quotes'],
    ["city = 'Ulm", "where, character 8 (at 'Ulm): this cannot be read. Texts are in single quotes"],
    [
      "employees > 'many'",
      "character 13 (at 'many'): employees holds numbers. Write a number without quotes.",
    ],
    ['"founded in" > 2001', "character 16 (at 2001): founded in holds DATE. Write '2001'."],
    ["city", "where, character 5 (the end): expected =, !=, <, <=, >, >=, in or not in."],
    ["city in 'Ulm'", "where, character 9 (at 'Ulm'): expected (."],
    ["(city = 'Ulm'", "where, character 14 (the end): expected )."],
    ["city = 'Ulm' zip = 5", "where, character 14 (at zip = 5): expected and, or, or the end."],
    ["and = 5", "where, character 1 (at and = 5): expected a column, as in"],
    ["zip = 1e9999", "where, character 7 (at 1e9999): this cannot be read."],
    ["zip constructor 1", "where, character 5 (at constructor 1): expected =, !=,"],
    ["(".repeat(5000), "character 101 (at ((((((((((((((((((((): more than 100 levels of brackets and not."],
    ["not ".repeat(5000), "more than 100 levels of brackets and not."],
  ])("%j is refused with its place", (where, says) => {
    expect(() => parseCondition(where, layout)).toThrow(says);
  });
});
