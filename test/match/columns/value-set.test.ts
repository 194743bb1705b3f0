import { describe, expect, it } from "vitest";
import { groupRows } from "../../../src/group/group-rows.js";
import { matchTables } from "../../../src/join/match-tables.js";
import { planColumns } from "../../../src/match/columns/fields.js";
import { eachText, TextNumbers } from "../../../src/match/columns/texts.js";
import { readValues } from "../../../src/match/columns/value-set.js";
import { createRandom } from "../../../src/random.js";

const run = { encoder: "none", threads: 1 } as const;
const random = createRandom(5);
/** Codes of three to eight digits, filled up with zeros. */
const padded = Array.from({ length: 60 }, (_, row) =>
  String(Math.floor(10 ** (3 + (row % 6)) * (0.1 + 0.9 * random()))).padStart(8, "0"),
);
const bare = padded.map((code) => String(Number(code)));

describe("leading zeros of codes", () => {
  const valuesOf = (left: string[], right: string[]) => {
    const { set, ...sides } = readValues(left, right, "code", new TextNumbers());
    const texts = [...eachText(set.texts)];
    return [sides.left, sides.right].map((side) => Array.from(side, (value) => texts[value]));
  };

  it.each([
    [
      "are no difference where one table has lost them",
      ["00012", "01067"],
      ["12", "1067"],
      ["12", "1067"],
      ["12", "1067"],
    ],
    ["are none to codes that were written as floats", ["00012"], ["12.0"], ["12"], ["12"]],
    [
      "tell codes apart in a table that has both",
      ["012", "12", "07"],
      ["12", "7"],
      ["012", "12", "7"],
      ["12", "7"],
    ],
    ["tell them apart though the other table has both", ["012"], ["12", "012"], ["012"], ["12", "012"]],
    ["leave a code of zeros", ["000"], ["0"], ["0"], ["0"]],
    ["stay in codes with letters", ["00A1"], ["A1"], ["00a1"], ["a1"]],
  ])("%s", (_, left, right, ...expected) => {
    expect(valuesOf(left, right)).toEqual(expected);
  });

  it("do not keep columns apart whose headers differ", () => {
    const { pairs } = planColumns({ item: bare.map(() => "x"), sku: padded }, { article: bare });
    expect(pairs).toEqual([["sku", "article"]]);
  });

  it.each([
    ["without them", bare],
    ["as floats", bare.map((code) => `${code}.0`)],
  ])("are found by matching with a table that has the codes %s", async (_, codes) => {
    const { matches } = await matchTables({ sku: padded }, { sku: codes.toReversed() }, run);
    expect(matches.map(({ left, right }) => left + right)).toEqual(padded.map(() => padded.length - 1));
  });

  it("do not hide the duplicates of a table with both forms, whose names differ", async () => {
    const names = padded.map(
      (_, row) => `${"ABCDEFGHIJ"[row % 10]}${"aeiou"[row % 5]}lm ${"KLMNOPQ"[row % 7]}${row % 3}ster`,
    );
    const misspelt = names.map((name) => `${name[0]}${name.slice(2)}`);
    const table = { name: [...names, ...misspelt], account: [...padded, ...bare] };
    const { groupOf } = await groupRows(table, run);
    const found = padded.filter((_, row) => groupOf[row] === groupOf[row + padded.length]);
    expect(found.length).toBeGreaterThan(0.9 * padded.length);
  });
});
