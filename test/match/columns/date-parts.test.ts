import { describe, expect, it } from "vitest";
import { composedTables, withDate } from "../../../src/match/columns/composed.js";
import { dateParts } from "../../../src/match/columns/date-parts.js";

const rows = Array.from({ length: 30 }, (_, row) => row);
const [years, months, days] = [
  rows.map((row) => String(1950 + row)),
  rows.map((row) => String(1 + (row % 12))),
  rows.map((row) => (row === 3 ? "" : String(1 + ((7 * row) % 31)))),
];
const name = rows.map((row) => `Name ${row}`);

describe("the parts of a date", () => {
  it.each([
    ["by", "bm", "bd"],
    ["birth_year", "birth_month", "birth_day"],
    ["Year", "Month", "Day"],
    ["yearOfBirth", "monthOfBirth", "dayOfBirth"],
    ["Geburtsjahr", "Geburtsmonat", "Geburtstag"],
    ["Año", "Mes", "Día"],
  ])("are found by their headers and what they hold: %s, %s, %s", (year, month, day) => {
    expect(dateParts({ name, [day]: days, [month]: months, [year]: years })).toEqual([year, month, day]);
  });

  it("are not what has other numbers, or no common rest of the headers", () => {
    expect(dateParts({ name, year: years, month: days, day: days })).toBeUndefined();
    expect(dateParts({ name, year: years, month: months, day: name })).toBeUndefined();
    expect(dateParts({ name, birth_year: years, month: months, last_day: days })).toBeUndefined();
    expect(dateParts({ name, year: years, month: months })).toBeUndefined();
  });

  it("of two dates stay apart", () => {
    const born = { by: years, bm: months, bd: days };
    expect(dateParts({ ...born, dy: years, dm: months, dd: days })).toBeUndefined();
  });

  it("are one column, unless columns are named or left out", () => {
    const table = { name, by: years, bm: months, bd: days };
    const made = withDate(table, {});
    expect(Object.keys(made)).toEqual(["name", "by + bm + bd"]);
    expect(made["by + bm + bd"].slice(2, 4)).toEqual(["1952 3 15", "1953 4"]);
    expect(withDate(table, { on: ["name", "by"] })).toBe(table);
    expect(withDate(table, { ignore: ["bm"] })).toBe(table);
    expect(withDate(table, { kindOf: { bm: "code" } })).toBe(table);
  });

  it("of one table are a date of the other", () => {
    const born = rows.map((row) => `${years[row]}-${months[row].padStart(2, "0")}-11`);
    const { left } = composedTables(
      { left: { name, by: years, bm: months, bd: days }, right: { name, born } },
      {},
    );
    expect(Object.keys(left)).toEqual(["name", "by + bm + bd"]);
  });
});
