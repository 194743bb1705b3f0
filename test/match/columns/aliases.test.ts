import { describe, expect, it } from "vitest";
import { aliasReader, readAliases, withAliases } from "../../../src/match/columns/aliases.js";
import { testFolder } from "../../table/folder.js";

const groups = [
  ["International Business Machines", "IBM", "Big Blue"],
  ["New York", "York, NY", "NYC"],
  ["Robert", "Bob", "", "Rob"],
];

describe("a cell", () => {
  const read = aliasReader(groups);

  it.each([
    ["IBM", "International Business Machines"],
    ["ibm Deutschland GmbH", "International Business Machines deutschland gmbh"],
    ["The Big-Blue", "the International Business Machines"],
    // The name itself is found before the alias that is a part of it.
    ["New York, NY", "New York ny"],
    ["York NY", "New York"],
    ["Bob Rob", "Robert Robert"],
  ])("%s is read as %s", (cell, expected) => expect(read(cell)).toBe(expected));

  it.each(["Ibmex", "blue big", "Bobby", "1,000.50", "", "info@ibm.com", "https://ibm.com/bob"])(
    "%s stays as it is",
    (cell) => expect(read(cell)).toBe(cell),
  );
});

it("columns are read cell by cell", () => {
  const columns = { name: ["Bob", "Ann"], city: ["NYC", "Ulm"] };
  expect(withAliases(columns, aliasReader(groups))).toEqual({
    name: ["Robert", "Ann"],
    city: ["New York", "Ulm"],
  });
});

describe("a list of aliases", () => {
  const { file } = testFolder();

  it("has a group in each row", async () => {
    const read = await readAliases(file("aliases.csv", "name,alias,other\nRobert,Bob,Rob\nIBM,Big Blue,\n"));
    expect(read?.("big blue / rob")).toBe("IBM Robert");
  });

  it("is refused where a name has no alias, or is in two groups", async () => {
    const lone = file("lone.csv", "name,alias\nRobert,Bob\nAnn,\n");
    await expect(readAliases(lone)).rejects.toThrow(/lone\.csv, row 2: a name and at least one alias/);
    const twice = file("twice.csv", "name,alias\nAlexander,Alex\nAlexandra,alex\n");
    await expect(readAliases(twice)).rejects.toThrow(
      /twice\.csv, rows 1 and 2 both have "alex"\. Leave it in one/,
    );
  });
});
