/** The names of a table's folders change nothing about what is read from it. */
import { mkdirSync, readdirSync } from "node:fs";
import { relative } from "node:path";
import { describe, expect, it } from "vitest";
import { rankPhrases, writeCounts } from "../../../src/corpus/text/phrase-ranking.js";
import { literal } from "../../../src/table/read/database.js";
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

it("refuses a folder of temporary files where DuckDB can make no database, in one line", async () => {
  const workFolder = file("why?");
  mkdirSync(workFolder);
  await expect(readTable(file("phrases.csv", "name\na\n"), { workFolder })).rejects.toThrow(
    `${workFolder}: DuckDB cannot make its database in a folder with "?" in its path. ` +
      "Choose another folder; that of temporary files is --temp FOLDER or TMPDIR.",
  );
  expect(readdirSync(workFolder)).toEqual([]);
});

describe("a name that is a pattern for DuckDB", () => {
  const names = ["we[i]rd*{x}'s^", "weirdest{x}'s^"];
  const [pattern, matched] = names;
  for (const name of names) mkdirSync(file(name));

  it("stands for the file of that name, not for those that it matches", async () => {
    for (const name of names)
      await query(`COPY (SELECT '${name.length}' AS name) TO ${literal(file(`${name}/?.parquet`))}`);
    for (const path of [file(`${pattern}/?.parquet`), relative(".", file(`${pattern}/?.parquet`))])
      expect((await readTable(path)).phrases).toEqual([String(pattern.length)]);
  });

  it("may be that of the folder of temporary files", async () => {
    const workFolder = file(pattern);
    expect((await readTable(file("phrases.csv", "name\na\nb\n"), { workFolder })).phrases).toEqual([
      "a",
      "b",
    ]);
  });

  it("may be that of a folder with counts of phrases", async () => {
    const counts = (name: string) => [file(`${name}/texts.tsv`), file(`${name}/tables.tsv`)] as const;
    for (const name of names)
      for (const path of counts(name))
        await writeCounts(
          path,
          new Map([[path.endsWith("texts.tsv") ? "rare" : `of ${name}`, [1, 0, 0, 0, 0]]]),
        );
    const [ofTexts, ofTables] = counts(pattern);
    const { phrases, droppedRare } = await rankPhrases([ofTexts], ofTables, {
      ...{ folder: file(matched), minimum: 2, maximum: 10, onProgress: () => {} },
    });
    expect([phrases.map(({ phrase }) => phrase), droppedRare]).toEqual([[`of ${pattern}`], 1]);
  });
});
