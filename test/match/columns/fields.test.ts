import { describe, expect, it } from "vitest";
import { canonicalSides } from "../../../src/match/columns/canonical.js";
import { planColumns, prepareTables } from "../../../src/match/columns/fields.js";
import { textAt } from "../../../src/match/columns/texts.js";
import { twoTables } from "../people.js";

const names = (prepared: ReturnType<typeof prepareTables>): string[] =>
  prepared.fields.map(({ name, other }) => (name === other ? name : `${name}=${other}`)).sort();

describe("columns of two tables", () => {
  const { left, right } = twoTables(100, 20);

  it("are aligned by what they hold where headers differ", () => {
    const { name, city, born, phone } = right;
    const renamed = { "Full Name": name, place: city, "date of birth": born, tel: phone };
    expect(names(prepareTables(left, renamed))).toEqual([
      "born=date of birth",
      "city=place",
      "name=Full Name",
      "phone=tel",
    ]);
  });

  it("are aligned by header without regard to case and punctuation", () => {
    const { name, ...rest } = right;
    expect(names(prepareTables(left, { ...rest, "Name:": name }))).toContain("name=Name:");
  });

  it("are aligned by their words where no cell is written alike", () => {
    const initial = (name: string): string => name.replace(/^(\S+) (.*)$/, "$2, $1 X.");
    const sides = [left, right].map((table, side) => ({
      name: table.name.map((_, row) => `Book ${table.phone[row]}`),
      [side === 0 ? "author" : "creator"]: side === 0 ? table.name : table.name.map(initial),
    }));
    expect(names(prepareTables(sides[0], sides[1]))).toEqual(["author=creator", "name"]);
  });

  it("are aligned by rare values where few rows have a partner, but not by numbers of a narrow range", () => {
    const codes = (from: number, make: (row: number) => string) =>
      Array.from({ length: 300 }, (_, row) => make(from + row));
    const person = (row: number) => `Person ${(row * 7919) % 1009}`;
    const aligned = (make: (row: number) => string) =>
      planColumns(
        { name: codes(0, person), sku: codes(0, make) },
        { name: codes(0, person), article: codes(265, make) },
      ).pairs.length;
    expect(aligned((row) => `K${(row * 7919) % 100_003}X`)).toBe(2);
    expect(aligned((row) => String(4_006_000_000_000 + ((row * 7919) % 10_007) * 1000))).toBe(2);
    expect(aligned((row) => String(20_000 + row))).toBe(1);
  });

  it("are aligned in Japanese, which has no spaces, digits of full width, and several ways to write a company", () => {
    const rows = Array.from({ length: 60 }, (_, row) => row);
    const [first, second] = [[..."山田佐藤鈴木高橋"], [..."電機工業食品印刷建設"]];
    const company = (row: number) =>
      first[row % 8] + first[(row * 3 + 1) % 8] + second[row % 10] + second[(row * 7) % 10];
    const street = (row: number) => `${first[(row * 5) % 8]}${second[(row * 3) % 10]}市${company(row + 3)}町`;
    const wide = (text: string) =>
      text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    const one = {
      会社名: rows.map((row) => `株式会社${company(row)}`),
      住所: rows.map((row) => `東京都${street(row)}${row}番`),
    };
    const other = {
      取引先: rows.map((row) => `${company(row)}㈱`),
      所在地: rows.map((row) => wide(`${street(row)}${row}番`)),
    };
    expect(names(prepareTables(one, other))).toEqual(["会社名=取引先", "住所=所在地"]);
  });

  it("are aligned by equal headers before those that differ in signs", () => {
    const prices = { "price ($)": left.phone, "price (€)": left.born };
    const swapped = { "PRICE(€)": right.born, "price ($)": right.phone };
    expect(names(prepareTables({ ...prices, name: left.name }, { ...swapped, name: right.name }))).toEqual([
      "name",
      "price ($)",
      "price (€)=PRICE(€)",
    ]);
    const [{ pairs }, same] = ["%", "#"].map((sign) =>
      planColumns({ name: left.name, "#": left.phone }, { name: right.name, [sign]: right.city }),
    );
    expect(pairs).toEqual([["name", "name"]]);
    expect(same.pairs).toContainEqual(["#", "#"]);
  });

  it("of dates are each read in the order of day and month that they show, or the other table does", () => {
    const days = Array.from({ length: 365 }, (_, day) =>
      new Date(Date.UTC(1999, 0, 1 + day)).toISOString().slice(0, 10),
    );
    const parts = days.map((day) => day.split("-"));
    const british = parts.map(([year, month, day]) => `${day}/${month}/${year}`);
    const american = parts.map(([year, month, day]) => `${month}/${day}/${year}`);
    const equal = (a: readonly string[], b: readonly string[]): number => {
      const { fields, order } = prepareTables({ day: a, n: days }, { day: b, n: days }, { on: ["day"] });
      const [one, other] = order.map((rows, side) => {
        const values: number[] = [];
        rows.forEach((row, place) => {
          values[row] = fields[0][side === 0 ? "left" : "right"][place];
        });
        return values;
      });
      return one.filter((value, row) => value === other[row]).length;
    };
    expect(equal(british, days)).toBe(365);
    expect(equal(british, american)).toBe(365);
    expect(equal(british.slice(0, 12), british)).toBe(12);
  });

  it("of dates hold numbers of days, and none of other digits", () => {
    const day = ["2023-12-31", "2022-01-31", "20231231235959", "1999"];
    const { fields } = prepareTables({ day }, undefined, { kindOf: { day: "date" }, on: ["day"] });
    expect([...fields[0].set.numbers].sort()).toEqual([20220131, 20231231, Number.NaN, Number.NaN]);
  });

  it("count once where one repeats another", () => {
    const prepared = prepareTables({ ...left, "name 2": left.name }, { ...right, "name 2": right.name });
    expect(names(prepared)).toEqual(["born", "city", "name", "phone"]);
    expect(prepared.dropped).toEqual([{ name: "name 2", reason: "a copy of name" }]);
  });

  it("can be chosen, ignored and given a kind", () => {
    expect(names(prepareTables(left, right, { on: ["name", "city"] }))).toEqual(["city", "name"]);
    expect(names(prepareTables(left, right, { ignore: ["born"] }))).toEqual(["city", "name", "phone"]);
    const { fields } = prepareTables(left, right, { kindOf: { born: "code" } });
    expect(fields.find(({ name }) => name === "born")?.kind).toBe("code");
    expect(() => prepareTables(left, right, { on: ["nam"] })).toThrow(
      /no column nam\b.*name, city, born, phone/,
    );
  });

  it("may have headers that every object has a value for", () => {
    const cells = (header: string): Record<string, string[]> =>
      Object.fromEntries([
        [header, left.name],
        ["born", left.born],
      ]);
    for (const header of ["constructor", "toString", "__proto__"]) {
      const { fields } = prepareTables(cells(header), undefined, { kindOf: { born: "code" } });
      expect(fields.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual(
        [`${header} name`, "born code"].sort(),
      );
      expect(() => prepareTables(left, right, { on: [header] })).toThrow(`there is no column ${header}`);
      expect(canonicalSides(cells(header), { name: left.name, born: left.born })).toBeDefined();
    }
  });

  it("are missed with their names where nothing can be compared", () => {
    const number = ["1", "2", "3", "4"];
    expect(() => prepareTables({ id: number }, undefined)).toThrow(
      /no column can be compared.*id \(row identifier\)/,
    );
  });

  it("name the row by the text that differs most", () => {
    const prepared = prepareTables(left, right);
    expect(prepared.fields[prepared.naming].name).toBe("name");
    expect(prepared.fields[prepared.naming].kind).toBe("name");
  });

  it("are the same for every order of rows", () => {
    const reversed = Object.fromEntries(
      Object.entries(left).map(([name, cells]) => [name, [...cells].reverse()]),
    );
    const [given, turned] = [prepareTables(left, right), prepareTables(reversed, right)];
    const texts = ({ fields: [field] }: typeof given): string[] =>
      Array.from(field.left, (value) => textAt(field.set.texts, value));
    expect(texts(turned)).toEqual(texts(given));
  });
});
