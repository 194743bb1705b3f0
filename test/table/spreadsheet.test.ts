/** Workbooks are read as openpyxl 3.1 wrote them: `test/fixtures/workbook.xlsx` has the cells below. */
import { copyFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { writeRows } from "../../src/table/write/text-rows.js";
import { readTable, refusalOf, testFolder } from "./folder.js";

const { file } = testFolder();
const book = file("book.xlsx");
copyFileSync(fileURLToPath(new URL("../fixtures/workbook.xlsx", import.meta.url)), book);

describe("a workbook", () => {
  it("gives its first sheet, each cell as people see it", async () => {
    const { columns, description } = await readTable(book);
    expect(columns).toEqual({
      id: ["1", "20240000000123", "00123"],
      name: ['Müller, "Elektro" GmbH', "  Acme ", "O’Neill"],
      // A date without a time, one with seconds, and none.
      born: ["1980-01-02", "1999-12-31 13:05:07", ""],
      // 0.30000000000000004, 50 %, and none.
      rate: ["0.3", "0.5", ""],
      member: ["true", "false", ""],
      // Formulas have the value that was saved with them: openpyxl saves none.
      note: ["two\nlines", "", ""],
    });
    // Excel reads UTF-8 in a CSV by its mark.
    expect(description.hasByteOrderMark).toBe(true);
    expect(description.summary).toMatch(
      `sheet "Customers" of 3 (others: ?sheet=Orders 2024 after the file name), header in the first line, 3 rows, 1 blank line skipped`,
    );
  });

  it("gives the sheet that is named, also of one column with commas", async () => {
    const { phrases, description } = await readTable(`${book}?sheet=Orders 2024`, { header: "present" });
    expect(phrases).toEqual(["bolts, M8", "nuts"]);
    expect(description.columns).toEqual(["product"]);
  });

  it("is refused where it lacks the sheet, or the sheet has no cells", async () => {
    expect(await refusalOf(`${book}?sheet=Orders`)).toBe(
      'book.xlsx has no sheet "Orders". Name one of its sheets: Customers, Orders 2024, Empty.',
    );
    expect(await refusalOf(`${book}?sheet=Empty`)).toMatch(
      /the sheet "Empty" is empty\. .*another sheet: book\.xlsx\?sheet=NAME \(Customers, Orders 2024, Empty\)/,
    );
  });

  it("is refused where it is another zip file, or from before 2007", async () => {
    expect(await refusalOf(file("other.xlsx", "PK\x03\x04 and so on"))).toMatch(
      /not a workbook that pearl can read/,
    );
    const old = Buffer.from("d0cf11e0a1b11ae1", "hex");
    expect(await refusalOf(file("old.xls", old))).toMatch(/Save it as \.xlsx or CSV/);
  });
});

describe("rows written as a workbook", () => {
  it("are read again as they were, numbers as numbers, and text that looks like a formula as text", async () => {
    const path = file("written.xlsx");
    const columns = ["name", { name: "price", type: "DOUBLE" }, { name: "sold", type: "BOOLEAN" }, "code"];
    const rows = [
      ["Zoë & <Söhne>\nGmbH", { json: "12.5" }, { json: "true" }, "00123"],
      ["=1+1", { json: "12345678901234567" }, { json: "false" }, null],
      ["bell\u0007 rings", null, undefined, " x "],
    ];
    expect(await writeRows(path, columns, [rows.slice(0, 2), rows.slice(2)])).toBe(3);
    const { columns: read, description } = await readTable(path);
    expect(read).toEqual({
      name: ["Zoë & <Söhne>\nGmbH", "=1+1", "bell rings"],
      // A number of 17 digits would lose the last ones.
      price: ["12.5", "12345678901234567", ""],
      sold: ["true", "false", ""],
      code: ["00123", "", " x "],
    });
    expect(description.summary).toMatch(/sheet "[^"]+", header in the first line, 3 rows/);
  });

  it("have numbers where a column of text holds plain numbers alone, as a table without types does", async () => {
    const path = file("plain.xlsx");
    const rows = [
      ["1", "00123", "12.50", "_x0041_ z"],
      ["", "124", "3.25", "-"],
      ["-2.5", "125", "4", "x"],
    ];
    await writeRows(path, ["count", "code", "price", "text"], [rows]);
    const { default: readWorkbook } = await import("read-excel-file/node");
    const [{ data }] = await readWorkbook(path, { trim: false });
    // "00123" and "12.50" would be other texts as numbers.
    expect(data.slice(1)).toEqual([
      [1, "00123", "12.50", "_x0041_ z"],
      [null, "124", "3.25", "-"],
      [-2.5, "125", "4", "x"],
    ]);
  });

  it("are refused where a cell is longer than a sheet allows, and nothing is written", async () => {
    const path = file("long.xlsx");
    const long = ["2", "b".repeat(32_768)];
    await expect(writeRows(path, ["id", "text"], [[["1", "a"], long]])).rejects.toThrow(
      "row 2 has more characters in text than a sheet of Excel holds (32,767). Write .csv or .parquet.",
    );
    expect(await writeRows(file("long.csv"), ["id", "text"], [[long]])).toBe(1);
    expect(existsSync(path)).toBe(false);
  });
});
