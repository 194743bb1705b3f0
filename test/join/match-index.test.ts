import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { fuzzyJoin } from "../../src/join/fuzzy-join.js";
import {
  columnsOf,
  matchNearest,
  type NamedRow,
  type NearestOptions,
  nearestRows,
} from "../../src/join/match-index.js";
import { matchTables } from "../../src/join/match-tables.js";
import { indexTable } from "../../src/search/phrase-index.js";
import { VectorIndex } from "../../src/search/vector-index.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-match-index-"));
let encoder: PhraseEncoder;
let index: VectorIndex;
const people = [
  ["Anna Schmidt", "Berlin"],
  ["Anna Schmidt", "Hamburg"],
  ["Jan Bauer", "Bremen"],
  ["Sofia Rossi", "Rome"],
];

beforeAll(async () => {
  encoder = await PhraseEncoder.load();
  const table = join(folder, "people.csv");
  writeFileSync(table, `name,city\n${people.map((row) => row.join(",")).join("\n")}\n`);
  await indexTable(table, join(folder, "people.index"), encoder, { table: { column: "name" } });
  index = await VectorIndex.open(join(folder, "people.index"));
});
afterAll(async () => {
  await index.close();
  await encoder.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const matchIndex = async (rows: readonly NamedRow[], options: NearestOptions = {}) =>
  matchNearest(await nearestRows(index, encoder, rows, options), { on: options.on, encoder });

describe("matchNearest", () => {
  it("tells rows of one name apart by another column", async () => {
    const rows = [{ name: "Anna Schmidt", city: "Hamburg" }];
    const { matches, nearest } = await matchIndex(rows);
    expect(
      nearest[0]
        .map(({ key }) => key)
        .slice(0, 2)
        .sort(),
    ).toEqual(["1", "2"]);
    const best = nearest[0].find(({ place }) => place === matches[0].left);
    expect(best?.cells).toEqual({ name: "Anna Schmidt", city: "Hamburg" });
  });

  it("finds rows by columns that are compared as one", async () => {
    const rows = [{ first: "Sofia", last: "Rossi", city: "Rome" }];
    const on = ["name=first + last", "city"];
    const { matches, candidates } = await matchIndex(rows, { on });
    expect(candidates[matches[0].left]).toEqual({ name: "Sofia Rossi", city: "Rome" });
  });

  it("gives what matchTables gives for the candidates", async () => {
    const rows = [
      { name: "Sophia Rossi", city: "Rome" },
      { name: "J. Bauer", city: "Bremen" },
    ];
    const found = await matchIndex(rows, { k: 4 });
    const columns = (table: readonly Readonly<Record<string, string>>[]) => ({
      name: table.map(({ name }) => name),
      city: table.map(({ city }) => city),
    });
    const kind = "many-to-one";
    const expected = await matchTables(columns(found.candidates), columns(rows), { encoder, kind });
    expect(found.matches).toEqual(expected.matches);
    expect(found.candidates).toHaveLength(4);
  });

  it("compares one column of phrases as a join does", async () => {
    const names = ["Sophia Rossi", "J. Bauer"];
    const found = await matchIndex(names.map((name) => ({ name })));
    const left = found.candidates.map(({ name }) => name);
    const { matches, promise } = await fuzzyJoin(left, names, { encoder });
    expect(found).toMatchObject({ matches, findings: { promise, columns: [{ name: "name", weights: [] }] } });
    const [{ left: place, right, probability }] = matches;
    const [{ logOdds, level }] = found.explain(place, right).columns;
    expect([1 / (1 + Math.exp(-logOdds)), level]).toEqual([expect.closeTo(probability, 5), 0]);
  });

  it("adds ordinary rows as candidates, none twice", async () => {
    const ordinary = people.map((cells, i) => ({ key: `${i + 1}`, cells }));
    const { candidates } = await matchIndex([{ name: "Jan Bauer" }], { k: 1, ordinary });
    expect(candidates.map(({ city }) => city).sort()).toEqual(["Berlin", "Bremen", "Hamburg", "Rome"]);
  });

  it("needs the column that the index finds rows by", async () => {
    const rows = [{ who: "Jan Bauer", place: "Bremen" }];
    await expect(matchIndex(rows)).rejects.toThrow(/no column name.*they have who, place/);
    const { nearest } = await matchIndex(rows, { on: ["name=who", "city=place"] });
    expect(nearest[0][0].cells.city).toBe("Bremen");
  });

  it("reads a cell that a row lacks as empty, whatever its column is called", () => {
    const rows: NamedRow[] = [{ name: "Jan Bauer", constructor: "Ford" }, { name: "Sofia Rossi" }];
    expect(columnsOf(rows)).toEqual({ name: ["Jan Bauer", "Sofia Rossi"], constructor: ["Ford", ""] });
  });
});
