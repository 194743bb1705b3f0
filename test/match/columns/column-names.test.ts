import { describe, expect, it } from "vitest";
import { kindOfColumn } from "../../../src/cli/options.js";
import { matchTables } from "../../../src/join/match-tables.js";
import { pairText, readPair, writtenParts } from "../../../src/match/columns/column-names.js";
import { twoTables } from "../people.js";

const read = (text: string, left: readonly string[], right: readonly string[]) =>
  readPair(
    text,
    (name) => left.includes(name),
    (name) => right.includes(name),
  );

describe("columns that are asked for", () => {
  it.each([
    ["name", ["name"], ["name"], ["name", "name"]],
    ["name=title", ["name"], ["title"], ["name", "title"]],
    ["a=b", ["a=b", "a"], ["a=b", "b"], ["a=b", "a=b"]],
    ["a=b", ["a=b", "a"], ["b"], ["a", "b"]],
    ["a=b=c", ["a=b"], ["c"], ["a=b", "c"]],
    ["a=b=c", ["a"], ["b=c"], ["a", "b=c"]],
    ["a=bb=c", ["a", "a=bb"], ["bb=c", "c"], undefined],
    ["a\\=bb=c", ["a", "a=bb"], ["bb=c", "c"], ["a=bb", "c"]],
    ["a=bb\\=c", ["a", "a=bb"], ["bb=c", "c"], ["a", "bb=c"]],
    ["x=y=z", [], [], ["x", "y=z"]],
  ])("are, in %j of %j and %j, %j", (text, left, right, expected) => {
    if (expected === undefined) expect(() => read(text, left, right)).toThrow("Write \\= for an equals sign");
    else expect(read(text, left, right)).toEqual(expected);
  });

  it("may be several as one, and have the sign between them in a header", () => {
    const isColumn = (name: string): boolean => ["a", "c", "a+b", "d + e"].includes(name);
    const parts = ["a", "a+c", "a + c", "a+b", "a+b + c", "d + e"].map((text) =>
      writtenParts(text, isColumn),
    );
    expect(parts).toEqual([["a"], ["a", "c"], ["a", "c"], ["a+b"], ["a+b", "c"], ["d + e"]]);
  });

  it("are read as they were written, whatever their headers are", () => {
    const headers = ["a", "a=b", "=", "a\\=b", "b=", "=c"];
    for (const left of headers)
      for (const right of headers)
        expect(read(pairText(left, right), headers, headers)).toEqual([left, right]);
  });

  it("may have an equals sign in a kind, too", () => {
    expect(kindOfColumn("a=b=date", undefined)).toEqual({ "a=b": "date" });
    expect(kindOfColumn("a\\=b=date", undefined)).toEqual({ "a=b": "date" });
  });

  it("give the same matches whether or not their headers contain an equals sign, in either order of the tables", async () => {
    const { left, right } = twoTables(60, 30);
    const options = { encoder: "none", threads: 1 } as const;
    const plain = { on: ["name", "born=date"] };
    const odd = { on: ["n=1", "b=c=d=e"] };
    const rename = (table: typeof left, born: string, name: string) => ({
      [name]: table.name,
      [born]: table.born,
    });
    const tables = [rename(left, "born", "name"), rename(right, "date", "name")] as const;
    const renamed = [rename(left, "b=c", "n=1"), rename(right, "d=e", "n=1")] as const;
    const { matches } = await matchTables(...tables, { ...options, ...plain });
    expect(matches.length).toBeGreaterThan(10);
    expect((await matchTables(...renamed, { ...options, ...odd })).matches).toEqual(matches);
    const swapped = await matchTables(renamed[1], renamed[0], { ...options, on: ["n=1", "d=e=b=c"] });
    expect(swapped.matches.length).toBe(matches.length);
  });
});
