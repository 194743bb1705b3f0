/** The names of a table's folders change nothing about what is read from it. */
import { mkdirSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { query, readTable, testFolder } from "../folder.js";

const { file } = testFolder();

it("reads a column that the name of a folder sets for other programs: id=7", async () => {
  mkdirSync(file("id=7"));
  const path = file("id=7/customers.parquet");
  await query(`COPY (SELECT i AS id, 'name ' || i AS name FROM range(3) r(i)) TO '${path}'`);
  const { columns } = await readTable(path);
  expect(columns).toEqual({ id: ["0", "1", "2"], name: ["name 0", "name 1", "name 2"] });
});

it("keeps temporary files in a folder whose name sets a column", async () => {
  const workFolder = file("c0=7");
  mkdirSync(workFolder);
  const { phrases } = await readTable(file("phrases.csv", "id,name\n1,a\n2,b\n"), {
    workFolder,
    column: "id",
  });
  expect(phrases).toEqual(["1", "2"]);
  expect(readdirSync(workFolder)).toEqual([]);
});
