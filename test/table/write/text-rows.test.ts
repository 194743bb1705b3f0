/** Rows as lines of CSV and TSV. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { writeRows } from "../../../src/table/write/text-rows.js";
import { testFolder } from "../folder.js";

const { file } = testFolder();
const columns = ["name", "born", "city"].map((name) => ({ name, type: "VARCHAR" }));

it.each([
  ["csv", ","],
  ["tsv", "\t"],
])("writes nothing for an empty cell of %s, unless its line would be blank", async (format, delimiter) => {
  const written = async (width: number, rows: readonly (readonly (string | null)[])[]) => {
    const path = file(`rows-${width}.${format}`);
    expect(await writeRows(path, columns.slice(0, width), [rows])).toBe(rows.length);
    return readFileSync(path, "utf8").replaceAll(delimiter, "|");
  };
  const rows = [
    ["Ida", "", null],
    ["", "", ""],
    ['say "hi"', `a${delimiter}b`, "two\nlines"],
  ];
  expect(await written(3, rows)).toBe('name|born|city\nIda||\n||\n"say ""hi"""|"a|b"|"two\nlines"\n');
  expect(await written(1, [["Ida"], [""], [null]])).toBe('name\nIda\n""\n""\n');
});
