/** Columns that together hold what one column of the other table holds. */
import { describe, expect, it } from "vitest";
import { likeArray } from "../../../src/like-array.js";
import { cellsOfColumn, partsOfColumn } from "../../../src/match/columns/column-names.js";
import { composedTables } from "../../../src/match/columns/composed.js";
import { createRandom } from "../../../src/random.js";

const given = "Anna Bela Cleo Dora Emil Fritz Gina Hugo Ines Jan".split(" ");
const family = "Adler Bauer Conti Doyle Evans Fabri Gomez Hauser Ivanov Jansen Keller Lopez".split(" ");
const cities = "Oslo Riga Bern Lyon Turin".split(" ");
const rows = Array.from({ length: 60 }, (_, row) => row);

const parts = {
  code: rows.map((row) => `K${100 + row}`),
  "first name": rows.map((row) => given[row % 10]),
  "last name": rows.map((row) => family[row % 12]),
  town: rows.map((row) => cities[row % 5]),
};
const whole = rows.map((row) => `${given[row % 10]} ${family[row % 12]}`);
const reversed = rows.map((row) => `${family[row % 12]}, ${given[row % 10]}`);

describe("composed columns", () => {
  it.each([
    ["as they are", whole, "first name + last name"],
    ["in another order", reversed, "last name + first name"],
    [
      "where most rows have no counterpart",
      [...whole.slice(0, 12), ...rows.map((row) => `Max M${row}`)],
      "first name + last name",
    ],
  ])("are found, %s", (_, names, name) => {
    const other = { "full name": names, town: names.map((_, row) => cities[row % 5]) };
    const { left, right } = composedTables({ left: parts, right: other }, {});
    expect(Object.keys(left)).toEqual(["code", name, "town"]);
    expect(left[name].slice(0, 2)).toEqual(
      name.startsWith("first") ? ["Anna Adler", "Bela Bauer"] : ["Adler Anna", "Bauer Bela"],
    );
    expect(right).toEqual(other);
    const turned = composedTables({ left: other, right: parts }, {});
    expect(Object.keys(turned.right)).toEqual(["code", name, "town"]);
  });

  it("have three parts, where an address has", () => {
    const streets = rows.map((row) => `${family[(row * 7) % 12]} Street`);
    const numbers = rows.map((row) => String(1 + ((row * 13) % 40)));
    const left = { name: whole, street: streets, number: numbers, city: parts.town };
    const address = rows.map((row) => `${streets[row]} ${numbers[row]}, ${parts.town[row]}`);
    const tables = composedTables({ left, right: { name: whole, address } }, {});
    expect(Object.keys(tables.left)).toEqual(["name", "street + number + city"]);
  });

  it("are found where no cell is written alike, and in a column of codes with words", () => {
    const { code, ...left } = parts;
    const abbreviated = rows.map((row) => `${given[row % 10]} X. ${family[row % 12]}`);
    const placed = { ...left, postcode: rows.map((row) => String(10_000 + ((row * 37) % 60) * 311)) };
    const place = rows.map((row) => `${placed.postcode[row]} ${left.town[row]}`);
    const tables = composedTables({ left: placed, right: { who: abbreviated, place } }, {});
    expect(Object.keys(tables.left)).toEqual(["first name + last name", "postcode + town"]);
  });

  it("are none where one column holds the whole, or a part adds little", () => {
    const keys = (left: Record<string, string[]>, right: Record<string, string[]>, options = {}) =>
      Object.keys(composedTables({ left, right }, options).left);
    const { town, ...names } = parts;
    const same = { name: whole, town, ...names };
    expect(keys(same, { "full name": whole, town })).toEqual(Object.keys(same));
    const suffixed = { label: whole, suffix: rows.map((row) => (row % 30 === 0 ? "Jr" : "")) };
    const right = { who: rows.map((row) => (row % 30 === 0 ? `${whole[row]} Jr` : whole[row])) };
    expect(keys(suffixed, right)).toEqual(["label", "suffix"]);
    expect(keys(parts, { "full name": whole, town }, { ignore: ["last name"] })).toEqual(Object.keys(parts));
  });

  it("are not made of several columns of one kind where the other table has several of that kind, too", () => {
    const random = createRandom(1);
    const letters = (digits: string): string =>
      digits.replace(/\d/g, (digit) => String.fromCharCode(97 + Number(digit)));
    const person = (): string => `Kate${letters(String(Math.floor(random() * 1000)))}`;
    const columns = (names: readonly string[], count: number) =>
      Object.fromEntries(names.map((name) => [name, Array.from({ length: count }, person)]));
    const [left, right] = [columns(["first", "second", "third"], 300), columns(["a", "b", "c"], 8000)];
    const tables = composedTables({ left, right }, {});
    expect(tables).toEqual({ left, right });
  });

  it("leave a part beside them that is a column of the other table, too", () => {
    const { "first name": first, "last name": last, town } = parts;
    const title = rows.map((row) => `${last[row]} ${row}`);
    const left = { brand: first, title, town };
    const right = { title: rows.map((row) => `${first[row]} ${title[row]}`), maker: first, town };
    expect(Object.keys(composedTables({ left, right }, {}).left)).toEqual(["brand + title", "brand", "town"]);
  });

  it("have no part whose header reads as several", () => {
    const { "first name": first, "last name": last } = parts;
    const left = { "given + middle": first, last };
    expect(Object.keys(composedTables({ left, right: { who: whole } }, {}).left)).toEqual(Object.keys(left));
  });

  it("may have a part of the same header as the whole, where it names the rows", () => {
    const left = { Vorname: parts["first name"], Name: parts["last name"], Ort: parts.town };
    const right = { Name: whole, Ort: parts.town };
    expect(Object.keys(composedTables({ left, right }, {}).left)).toEqual(["Vorname + Name", "Ort"]);
    expect(Object.keys(composedTables({ left: right, right: left }, {}).right)).toEqual([
      "Vorname + Name",
      "Ort",
    ]);
    const both = { ...left, Name: whole };
    expect(Object.keys(composedTables({ left: both, right }, {}).left)).toEqual(Object.keys(both));
  });

  it("are those that are asked for", () => {
    const right = { who: rows.map((row) => `person ${row}`) };
    const on = ["first name + last name=who"];
    const { left } = composedTables({ left: parts, right }, { on });
    expect(Object.keys(left)).toEqual(["code", "first name + last name", "town"]);
    expect(Object.keys(composedTables({ left: parts, right }, { on: ["first + last=who"] }).left)).toEqual(
      Object.keys(parts),
    );
    const several = [...on, "last name + town=where", "town"];
    expect(Object.keys(composedTables({ left: parts, right }, { on: several }).left)).toEqual([
      ...["code", "first name + last name", "last name + town", "town"],
    ]);
  });

  it("are read where they are, without the parts that are empty", () => {
    const table = { a: ["x ", "", " z"], b: ["1", "2", ""], "a + c": ["own", "own", "own"] };
    expect(cellsOfColumn(table, "a + b")).toEqual(["x 1", "2", "z"]);
    expect(cellsOfColumn(table, "a + c")).toEqual(["own", "own", "own"]);
    expect(partsOfColumn(table, "a + d")).toEqual([]);
    const lazy = { ...table, a: likeArray(3, (row) => table.a[row]) };
    expect(Array.from(cellsOfColumn(lazy, "a + b"))).toEqual(["x 1", "2", "z"]);
  });
});
