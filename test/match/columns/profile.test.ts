import { describe, expect, it } from "vitest";
import { type ColumnKind, isEmail, profileColumn } from "../../../src/match/columns/profile.js";
import { createRandom } from "../../../src/random.js";

const cellsOf = (make: (row: number) => string, rows = 60): string[] =>
  Array.from({ length: rows }, (_, row) => make(row));

describe("the kind of a column", () => {
  it.each<[ColumnKind, (row: number) => string]>([
    ["date", (row) => `19${40 + row}-0${1 + (row % 9)}-1${row % 9}`],
    ["email", (row) => `person${row % 50}@example.org`],
    ["phone", (row) => `(030) 555-${1000 + (row % 50)}`],
    ["phone", (row) => (row % 9 === 0 ? `+1 212 555 ${1000 + (row % 50)}` : `212555${1000 + (row % 50)}`)],
    ["number", (row) => `${(row % 50) + 0.5}`],
    ["number", (row) => `${row % 50},50`],
    ["code", (row) => `${row % 50}.0`],
    ["number", (row) => `${row % 50}.${row % 7 === 0 ? 5 : 0}`],
    ["code", (row) => `1 ${200 + (row % 50)} ${300 + row}`],
    ["code", (row) => `40063813339${31 + (row % 50)}`],
    ["code", (row) => `4111 1111 1111 1${100 + (row % 50)}`],
    ["code", (row) => `192.168.10.${20 + (row % 50)}`],
    ["code", (row) => `AB-${100 + (row % 50)}-X`],
    ["phone", (row) => `０３－５５５５－${1000 + (row % 50)}`],
    ["date", (row) => `20${10 + (row % 9)}年${1 + (row % 9)}月12日`],
    ["text", (row) => `東京都品川区上大崎${row}-1`],
    ["code", (row) => `京A${10_000 + row}`],
    ["category", (row) => ["red", "green", "blue"][row % 3]],
    ["list", (row) => `Smith, Jones, Person ${"abcdefghij"[row % 10]}`],
    ["long", (row) => `${"many words of a description ".repeat(5)} ${row % 50}`],
    ["text", (row) => `Café number ${"abcdefghij"[row % 10]}${"klmnopqrst"[row % 7]}`],
  ])("is %s", (kind, make) => {
    expect(profileColumn("column", cellsOf(make)).kind).toBe(kind);
  });
});

describe("columns without evidence", () => {
  it.each([
    ["row numbers", "nr", (row: number) => String(1000 + row)],
    ["row numbers", "nr", (row: number) => `${row}.0`],
    ["row numbers", "nr", (row: number) => `${(row * 77) % 200}.0`],
    ["row numbers", "nr", (row: number) => (row < 100 ? `${row}` : `${row / 10}e1`)],
    ["row numbers", "nr", (row: number) => `${row}e0`],
    ["row numbers", "nr", (row: number) => `${row},`],
    ["row numbers", "nr", (row: number) => `R-${String((row * 77) % 200).padStart(5, "0")}`],
    ["row numbers", "nr", (row: number) => `2024-${row}`],
    ["row identifier", "product id", (row: number) => `x${row * 7919}`],
    ["one value nearly everywhere", "source", () => "web"],
    ["nearly empty", "fax", (row: number) => (row === 3 ? "1" : "")],
    ["nearly empty", "note", (row: number) => (row === 3 ? "1" : "\u200b".repeat(row % 4))],
  ])("are left out: %s", (reason, name, make) => {
    expect(profileColumn(name, cellsOf(make, 200)).dropped).toBe(reason);
  });

  it.each([
    ["prices", (row: number) => `${row} €`],
    ["decimals", (row: number) => `${row}.${row % 2}`],
    ["numbers from a wide range", (row: number) => `A${row * 7}`],
    ["codes with letters on both sides", (row: number) => `K${row}X`],
    ["names with a number", (row: number) => `Room ${row}`],
  ])("are not %s, though they are all different", (_, make) => {
    expect(profileColumn("nr", cellsOf(make, 200)).dropped).toBeUndefined();
  });

  it("are not those with repeated numbers", () => {
    expect(
      profileColumn(
        "year",
        cellsOf((row) => String(1990 + (row % 20))),
      ).dropped,
    ).toBeUndefined();
  });

  it("does not depend on the order of rows", () => {
    const cells = cellsOf((row) => `name ${row % 17} of ${row % 5}`);
    expect(profileColumn("name", [...cells].reverse())).toEqual(profileColumn("name", cells));
  });
});

describe("a column of many values", () => {
  it("is counted as a map counts it", () => {
    const cells = cellsOf((row) => (row % 9 === 0 ? " " : ` value ${(row * 7919) % 30_011} `), 90_000);
    const counts = new Map<string, number>();
    for (const cell of cells) {
      const value = cell.trim();
      if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const { filled, distinct, rows, shares } = profileColumn("column", cells);
    expect([filled, distinct, rows]).toEqual([80_000, counts.size, 90_000]);
    expect(shares.commonest).toBe(Math.max(...counts.values()) / 80_000);
    expect(shares.words).toBe(2);
  });
});

describe("an e-mail address", () => {
  it("is what the expression finds that defines it, in linear time", () => {
    const random = createRandom(3);
    const email = /^\S+@\S+\.\S+$/;
    let found = 0;
    for (let round = 0; round < 5000; round++) {
      const length = 1 + Math.floor(random() * 8);
      const text = Array.from({ length }, () => "a@@.. "[Math.floor(random() * 5 + random())]).join("");
      expect([text, isEmail(text)]).toEqual([text, email.test(text)]);
      if (isEmail(text)) found++;
    }
    expect(found).toBeGreaterThan(300);
    expect(isEmail(`${"@.".repeat(100_000)} x`)).toBe(false);
  });
});
