import { describe, expect, it } from "vitest";
import { planColumns } from "../../src/match/columns/fields.js";
import { phraseColumn } from "../../src/match/phrase-column.js";

const names = ["Anna Keller", "Boris Novak", "Carla Rossi", "Dmitri Quint"];
const phones = ["+49 30 1234567", "030/1234567", "+49 40 7654321", "040 765 4321"];
const dates = ["2001-02-03", "3 Feb 2001", "1999-12-31", "31.12.1999"];
const cities = ["Oslo", "Oslo", "Graz", "Lyon"];

const choice = (cells: readonly string[], kindOf?: Parameters<typeof phraseColumn>[2]) =>
  phraseColumn([{ column: cells }], planColumns({ column: cells }, undefined, kindOf), kindOf)?.kind;

describe("one column is compared as phrases", () => {
  it("where it holds text or categories, not where it holds telephone numbers or dates", () => {
    const few = Array.from({ length: 40 }, (_, row) => cities[row % 4]);
    expect([names, few, phones, dates].map((cells) => choice(cells))).toEqual([
      "text",
      "category",
      undefined,
      undefined,
    ]);
  });

  it("or not, as the caller says what it holds", () => {
    expect(choice(phones, { kindOf: { column: "text" } })).toBe("text");
    expect(choice(names, { kindOf: { column: "code" } })).toBeUndefined();
  });

  it("not beside another column", () => {
    const table = { name: names, city: cities };
    expect(phraseColumn([table], planColumns(table, undefined))).toBeUndefined();
    const [left, right] = [{ name: names }, { title: names }];
    expect(phraseColumn([left, right], planColumns(left, right))).toMatchObject({
      name: "name",
      other: "title",
    });
  });
});
