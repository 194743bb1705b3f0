import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/errors.js";
import { cluster } from "../../src/group/cluster.js";
import { dedupe } from "../../src/group/dedupe.js";
import { groupRows } from "../../src/group/group-rows.js";
import { fuzzyJoin } from "../../src/join/fuzzy-join.js";
import { matchTables } from "../../src/join/match-tables.js";

const encoder = "none";
const people = { name: ["Ida Koch", "Jan Bauer"], born: ["1980", "1971"] };
// As a program in JavaScript calls, without types.
const [match, group] = [matchTables, groupRows].map(
  (call) => call as (...given: unknown[]) => Promise<unknown>,
);

async function refusal(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(ArgumentError);
  return (error as Error).message;
}

describe("a table of a program is refused with the place of the fault", () => {
  it("for a cell that is no string", async () => {
    const message = 'column born, row 1: number, not a string. Write "" for an empty cell';
    expect(await refusal(match(people, { ...people, born: ["1980", 1971] }, { encoder }))).toBe(message);
    expect(await refusal(group({ ...people, born: ["1980", 1971] }, { encoder }))).toBe(message);
    expect(await refusal(group({ name: [null] }, { encoder }))).toMatch(/^column name, row 0: null, /);
    expect(await refusal(group({ name: "Ida" }, { encoder }))).toBe(
      "column name must be an array of strings, not string",
    );
  });
  it("for rows in place of columns", async () => {
    expect(await refusal(match([{ name: "IBM" }], people, { encoder }))).toMatch(
      /given by columns.*not by rows$/,
    );
    expect(await refusal(match(undefined as never, people, { encoder }))).toMatch(/columns.*not undefined$/);
  });
  it("for columns of different lengths", async () => {
    const message = "columns name and born have 2 and 1 cells; all columns need the same number";
    expect(await refusal(group({ ...people, born: ["1980"] }, { encoder }))).toBe(message);
  });
  it("for a list of phrases that holds something else", async () => {
    const odd = ["Acme", undefined] as string[];
    const message = 'row 1: undefined, not a string. Write "" for an empty cell';
    expect(await refusal(fuzzyJoin(["Acme"], odd, { encoder }))).toBe(`right, ${message}`);
    expect(await refusal(cluster(odd, { encoder }))).toBe(`phrases, ${message}`);
    expect(await refusal(dedupe(odd, { encoder }))).toBe(`phrases, ${message}`);
    expect(await refusal(dedupe("Acme" as never, { encoder }))).toMatch(/^phrases must be an array/);
  });
});

describe("a setting out of range is refused", () => {
  it.each([
    [{ precision: 90 }, "precision must be between 0 and 1, not 90"],
    [{ kindOf: { born: "day" } }, /^kindOf born: there is no kind day\. Kinds: name, text, .*date/],
    [{ kindOf: { birth: "date" } }, /^kindOf birth: there is no such column\. Columns: name, born/],
  ])("as %j", async (options, message) => {
    expect(await refusal(match(people, people, { encoder, ...options }))).toMatch(message);
    expect(await refusal(group(people, { encoder, ...options }))).toMatch(message);
  });
  it("as a kind of relation that does not exist", async () => {
    const message = "kind must be one-to-one or many-to-one or many-to-many, not many";
    expect(await refusal(match(people, people, { encoder, kind: "many" }))).toBe(message);
  });
});
