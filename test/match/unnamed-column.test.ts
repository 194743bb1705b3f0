/** Where pearl's own choice of a column would cost rows, it stops, and the command that it suggests loses nothing. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { commandWith, refuseCategory, refuseLoss } from "../../src/match/unnamed-column.js";
import { readWholeTable } from "../../src/table/whole-table.js";
import { newFolder } from "../setup/new-folder.js";

describe("the suggested command", () => {
  const added = ["-c", "full name"];

  it.each([
    [["dedupe", "x.csv", "-o", "my kept.csv"], 'pearl dedupe x.csv -o "my kept.csv" -c "full name"'],
    [
      ["dedupe", "x.csv", "--output=postgres://me:secret@h/db?table=x"],
      'pearl dedupe x.csv "--output=postgres://me@h/db?table=x" -c "full name"',
    ],
    [["dedupe", "-q", "--", "x.csv"], 'pearl dedupe -q -c "full name" -- x.csv'],
  ])("is what was typed, %j, with the column", (typed, command) => {
    expect(commandWith(["dedupe", "x.csv"], added, typed)).toBe(command);
  });

  it.each([
    ["another command", ["demo", "x.csv"]],
    ["another table", ["dedupe", "y.csv"]],
    ["nothing", []],
  ])("is the shortest one where %s was typed, as in a program that calls the library", (_, typed) => {
    expect(commandWith(["dedupe", "x.csv"], added, typed)).toBe('pearl dedupe x.csv -c "full name"');
  });
});

describe("a table whose other columns hold ids alone", () => {
  const path = join(newFolder(), "ids.csv");
  beforeAll(() => {
    const rows = Array.from({ length: 30 }, (_, row) => `${1000 + row},${["web", "phone"][row % 2]}`);
    writeFileSync(path, ["id,channel", ...rows].join("\n"));
  });

  it("gets no command that cannot be run, but the option and the columns", async () => {
    const table = await readWholeTable(path);
    const stop = () => refuseCategory([{ table, column: "channel" }], ([name]) => `pearl -c ${name}`);
    expect(stop).toThrow(
      /No column of text tells the rows apart\. If another one does, name it \(-c COLUMN\):\n\n {2}column .*\n {2}id +30 +30 /,
    );
    expect(stop).not.toThrow(/^ {2}pearl/m);
  });
});

it("a column that was made of several is one of those to name", async () => {
  const path = join(newFolder(), "parts.csv");
  const rows = Array.from(
    { length: 30 },
    (_, row) => `Maker ${"abcde"[row % 5]},Drill ${"klmnop"[row % 6]},K${row}`,
  );
  writeFileSync(path, ["maker,article,code", ...rows].join("\n"));
  const table = await readWholeTable(path);
  const lost = { lost: 20, rows: 30, loss: "left out" };
  const stop = () =>
    refuseLoss([{ table, column: "maker + article" }], lost, ([name]) => `pearl -c "${name}"`);
  expect(stop).toThrow(/for example:\n\n {2}pearl -c "maker \+ article"\n/);
});
