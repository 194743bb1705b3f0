import { describe, expect, it } from "vitest";
import { columnsOf } from "../../src/web/rows.js";

describe("columnsOf", () => {
  it("gives every column a text for every row", () => {
    const rows = [
      { name: "IBM", founded: 1911 },
      { name: null, city: "Armonk", active: false },
    ];
    expect(columnsOf(rows, "the table")).toEqual({
      ...{ name: ["IBM", ""], founded: ["1911", ""], city: ["", "Armonk"], active: ["", "false"] },
    });
  });

  it("leaves cells empty that a row lacks, also of columns called as what every object has", () => {
    const rows: Record<string, string>[] = [
      { driver: "Hamilton", constructor: "Mercedes" },
      { driver: "Senna" },
    ];
    expect(columnsOf(rows, "the table").constructor).toEqual(["Mercedes", ""]);
  });

  it("refuses what is no row", () => {
    expect(() => columnsOf([{ name: "IBM" }, "Apple"] as never, "the table")).toThrow(
      "the table: row 1 is not an object",
    );
    expect(() => columnsOf("IBM" as never, "the table")).toThrow("the table is not an array of rows");
  });
});
