/** The first record decides columns and header, and the rows begin where it ends: with a blank line before it, and of any length. */
import { describe, expect, it } from "vitest";
import { readTable, testFolder } from "../folder.js";

const { file } = testFolder();

describe("a blank first line", () => {
  it.each([undefined, ","])(
    "is a row in a table of one column, which has no header (delimiter %j)",
    async (delimiter) => {
      for (const lineEnd of ["\n", "\r\n"]) {
        const path = file("blank.csv", ["", "", "name", "Paris", ""].join(lineEnd));
        const { phrases, description } = await readTable(path, { delimiter });
        expect([phrases, description.columns]).toEqual([["", "", "name", "Paris"], ["phrase"]]);
        expect((await readTable(path, { delimiter, header: "present" })).phrases).toEqual([
          "",
          "name",
          "Paris",
        ]);
      }
    },
  );
  it.each([undefined, ","])("is skipped in a table of several (delimiter %j)", async (delimiter) => {
    const { columns } = await readTable(file("blank.csv", "\n\nid,name\n1,Paris\n"), { delimiter });
    expect(columns).toEqual({ id: ["1"], name: ["Paris"] });
  });
  it("may be the only line", async () => {
    expect((await readTable(file("blank.csv", "\n"), { delimiter: "," })).phrases).toEqual([""]);
  });
});
