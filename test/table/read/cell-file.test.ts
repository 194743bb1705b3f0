import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { CellFile } from "../../../src/table/read/cell-file.js";
import { readAllColumns } from "../../../src/table/whole-table.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-cells-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function* chunksOf(cells: readonly string[], size: number): AsyncGenerator<string[]> {
  for (let from = 0; from < cells.length; from += size) yield cells.slice(from, from + size);
}

describe("columns in a file", () => {
  it("do not join the halves of a surrogate pair that two cells hold", async () => {
    const cells = ["a\ud83d", "\ude00b", "c"];
    const found = await new CellFile(folder).column(chunksOf(cells, 3), 3);
    expect([...found]).toEqual(["a\ufffd", "\ufffdb", "c"]);
  });

  it("are read as arrays are, in any order", async () => {
    const file = new CellFile(folder);
    const random = createRandom(1);
    const given = [0, 1, 4096, 9001].map((rows, column) =>
      Array.from({ length: rows }, (_, row) =>
        random() < 0.2 ? "" : `${"é中😀x".repeat(Math.floor(6 * random()))} ${row} ${column}`,
      ),
    );
    const kept: (readonly string[])[] = [];
    for (const cells of given) kept.push(await file.column(chunksOf(cells, 1000), cells.length));
    expect(readdirSync(folder)).toEqual([]);
    for (const [column, cells] of given.entries()) {
      const found = kept[column];
      expect([...found]).toEqual(cells);
      expect(found.length).toBe(cells.length);
      expect(found.map((cell, row) => `${row} ${cell}`)).toEqual(cells.map((cell, row) => `${row} ${cell}`));
      for (let step = 0; step < 3000; step++) {
        // Steps forwards, now and then elsewhere.
        const row = Math.floor(random() < 0.5 ? random() * (cells.length + 2) : (step * 7) % 9001);
        expect(found[row]).toBe(cells[row]);
      }
      expect(found.concat(found)).toEqual(cells.concat(cells));
      expect([found.at(-1), found.indexOf("none"), row(found)]).toEqual([cells.at(-1), -1, row(cells)]);
    }
  });

  it("need a folder that can be written to", () => {
    expect(() => new CellFile(join(folder, "none"))).toThrow(/none/);
  });
});

describe("a table whose cells are in a file", () => {
  it.each([
    ["csv", 'name,note\n"a ""b""",\nZoë,"1,5"\n'],
    ["jsonl", '{"name":"Zoë","note":1.50}\n{"name":null,"other":[1,{"a":"é"}]}\n'],
  ])("is that of a table in memory: %s", async (format, text) => {
    const path = join(folder, `table.${format}`);
    writeFileSync(path, text);
    const [inMemory, inFile] = [
      await readAllColumns(path),
      await readAllColumns(path, { cellFolder: folder }),
    ];
    for (const [name, cells] of Object.entries(inMemory.columns))
      expect([...inFile.columns[name]]).toEqual(cells);
    expect(Object.keys(inFile.columns)).toEqual(Object.keys(inMemory.columns));
    for (const place of inMemory.phrases.keys())
      expect([inFile.cells(place), inFile.typed.cells(place)]).toEqual([
        inMemory.cells(place),
        inMemory.typed.cells(place),
      ]);
  });
});

/** What is no cell. */
const row = (cells: readonly string[]): unknown[] =>
  ["-1", "1.5", "", "row"].map((key) => cells[key as never]);
