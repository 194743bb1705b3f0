import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import {
  type DedupeTableOptions,
  type DedupeTableReport,
  dedupeTable,
} from "../../../src/group/tables/dedupe-table.js";
import { createRandom } from "../../../src/random.js";
import { readWholeTable } from "../../../src/table/whole-table.js";
import { type Table, tableWithDuplicates } from "../../match/people.js";

let folder: string;
let encoder: PhraseEncoder;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-dedupe-table-"));
  encoder = await PhraseEncoder.load(undefined, { threads: 1 });
});
afterAll(async () => {
  await encoder.dispose();
  await rm(folder, { recursive: true, force: true });
});

const file = (name: string): string => join(folder, name);
const outputs = () => ({
  ...{ kept: file("kept.csv"), removed: file("removed.csv"), groups: file("groups.csv") },
});

async function save(table: Table): Promise<string> {
  const names = Object.keys(table);
  const lines = table[names[0]].map((_, row) => names.map((name) => `"${table[name][row]}"`).join(","));
  await writeFile(file("table.csv"), `${[names.join(","), ...lines].join("\n")}\n`);
  return file("table.csv");
}

async function savedAs(name: string, table: Table): Promise<string> {
  await rename(await save(table), file(name));
  return file(name);
}

const dedupe = async (table: Table, options: DedupeTableOptions = {}) =>
  dedupeTable(await save(table), outputs(), { encoder, table: { header: "present" }, ...options });

const column = async (name: string, wanted: string): Promise<readonly string[]> =>
  (await readWholeTable(file(name), { column: "1" })).columns[wanted];

describe("several tables, and a list of other names", () => {
  const shops = {
    id: ["1", "2", "3"],
    name: ["Big Blue", "Zed AG", "Foo Bar"],
    city: ["Armonk", "Bonn", "Leeds"],
  };

  it("are deduplicated as one, in which each row names its table", async () => {
    const { table, entities } = tableWithDuplicates(120);
    const names = Object.keys(table);
    const half = entities.length >> 1;
    const part = (from: number, to?: number): Table =>
      Object.fromEntries(names.map((name) => [name, table[name].slice(from, to)]));
    const further = [await savedAs("second.csv", part(half))];
    const report = await dedupe(part(0, half), { further });
    expect(report).toMatchObject({ rows: entities.length, promise: { established: true } });
    const right = report.removed.filter(({ row, keptRow }) => entities[row] === entities[keptRow]).length;
    expect(right / report.removed.length).toBeGreaterThan(0.95);
    const sources = await column("kept.csv", "source");
    expect(new Set(sources)).toEqual(new Set(["table", "second"]));
  });

  it("finds names that are written quite differently, and writes them as they were", async () => {
    await writeFile(file("aliases.csv"), "name,alias\nInternational Business Machines,Big Blue\n");
    const others = { name: ["International Business Machines", "Nokia"], city: ["Armonk", "Espoo"] };
    const further = [await savedAs("others.csv", others)];
    const settings = { further, likely: "remove", encoder: "none" } as const;
    expect((await dedupe(shops, settings)).removed).toEqual([]);
    const { removed } = await dedupe(shops, { ...settings, aliases: file("aliases.csv") });
    expect(removed).toMatchObject([{ row: 3, keptRow: 0 }]);
    expect(await column("kept.csv", "name")).toEqual(["Big Blue", "Zed AG", "Foo Bar", "Nokia"]);
  });
});

describe("a table of persons", () => {
  const { table, entities } = tableWithDuplicates(120);
  let report: DedupeTableReport;
  beforeAll(async () => {
    report = await dedupe(table);
  }, 120_000);

  it("is deduplicated by all columns, also by more than a third of its rows", async () => {
    const { promise, removed, groups, likely, kept } = report;
    expect(promise?.established).toBe(true);
    expect(likely).toBe(0);
    expect(removed.length).toBeGreaterThan(entities.length / 3);
    const right = removed.filter(({ row, keptRow }) => entities[row] === entities[keptRow]).length;
    expect(right / removed.length).toBeGreaterThan(0.95);
    expect(groups.flatMap(({ others }) => others).length).toBe(removed.length);
    expect(kept.length + removed.length).toBe(entities.length);
    expect((await column("removed.csv", "probability")).every((cell) => Number(cell) > 0.5)).toBe(true);
  });

  it("says why rows are the same, and how many rows decisions changed", async () => {
    const { kept, others } = report.groups[0];
    const decision = `left_row,right_row,decision\n${kept + 1},${others[0].row + 1},no\n`;
    await writeFile(file("decisions.csv"), decision);
    const decided = await dedupe(table, { decisionPaths: [file("decisions.csv")], explain: "column" });
    expect(decided.labelEffect!.decided).toBeGreaterThan(0);
    const keptOf = new Map(decided.removed.map(({ row, keptRow }) => [row, keptRow]));
    expect(keptOf.get(others[0].row) ?? others[0].row).not.toBe(keptOf.get(kept) ?? kept);
    const why = await column("groups.csv", "why");
    expect(why.filter((cell) => /\([+−]\d+\.\d\).* → \d\.\d\d$/.test(cell)).length).toBe(
      decided.removed.length,
    );
  }, 120_000);

  it("refuses a threshold, and says that it needs one column", async () => {
    await expect(dedupe(table, { threshold: 0.8 })).rejects.toThrow(
      "a threshold needs one column, but 4 are compared. Name one with -c, or leave --threshold out.",
    );
  });

  it("is compared by the columns that are named, also by number and without case", async () => {
    const few = Object.fromEntries(Object.entries(table).map(([name, cells]) => [name, cells.slice(0, 9)]));
    const { columns, dropped } = await dedupe(few, { ignore: ["PHONE"], kindOf: { "3": "code" } });
    expect(columns.find(({ name }) => name === "born")?.kind).toBe("code");
    expect(dropped).toContainEqual({ name: "phone", reason: "ignored" });
    await expect(dedupe(few, { on: ["nam"] })).rejects.toThrow('no column "nam".');
  });
});

it("may have one coordinate of a column of both of another kind, or ignored", async () => {
  const rows = Array.from({ length: 40 }, (_, row) => row);
  const places = {
    name: rows.map((row) => `Place ${"abcdefgh"[row % 8]}${row}`),
    geo: rows.map((row) => `5${row % 10}.1${row}, 13.${row}5`),
  };
  const { columns, dropped } = await dedupe(places, {
    kindOf: { "geo latitude": "code" },
    ignore: ["geo longitude"],
  });
  expect(columns.find(({ name }) => name === "geo latitude")?.kind).toBe("code");
  expect(dropped).toContainEqual({ name: "geo longitude", reason: "ignored" });
});

describe("the parts of a date", () => {
  const rows = Array.from({ length: 40 }, (_, row) => row);
  const born = {
    name: rows.map((row) => `Person ${"abcdefgh"[row % 8]}${"klmnoprs"[(row * 3) % 8]}${row}`),
    by: rows.map((row) => String(1950 + ((row * 5) % 23))),
    bm: rows.map((row) => String(1 + (row % 12))),
    bd: rows.map((row) => String(1 + ((row * 7) % 28))),
  };
  const kindsOf = async (kindOf: Record<string, "shared" | "code">) =>
    Object.fromEntries((await dedupe(born, { kindOf })).columns.map(({ name, kind }) => [name, kind]));

  it("may be given a role as one column, or kinds of their own", async () => {
    expect(await kindsOf({ "BY + bm + bd": "shared" })).toMatchObject({ "by + bm + bd": "date" });
    const apart = await kindsOf({ bm: "code" });
    expect(Object.keys(apart)).toEqual(expect.arrayContaining(["by", "bm", "bd"]));
    expect(apart.bm).toBe("code");
    await expect(kindsOf({ "by + bx": "shared" })).rejects.toThrow('no column "bx".');
  });
});

describe("small and odd tables", () => {
  it.each<[string, Table, number]>([
    ["no row", { name: [], city: [] }, 0],
    ["one row", { name: ["Acme"], city: ["Bern"] }, 1],
    ["few equal rows", { name: Array(10).fill("Acme"), city: Array(10).fill("Bern") }, 1],
    ["many equal rows", { name: Array(40).fill("Acme"), city: Array(40).fill("Bern") }, 1],
    ["empty cells", { name: ["", "", ""], city: ["", "", ""] }, 3],
    ["invisible cells", { name: ["\u200b", "\u200b"], city: ["\u00ad", "\u00ad"] }, 2],
    ["numbers only", { a: ["1.5", "1.5", "2"], b: ["7", "7", "9"] }, 2],
    [
      "a column named like a pair",
      { "a=b": ["Acme", "Acme", "Le Monde"], city: ["Bern", "Bern", "Paris"] },
      2,
    ],
  ])("of %s keep what differs", async (_, table, kept) => {
    const report = await dedupe(table);
    expect(report.kept.length).toBe(kept);
    expect(await column("kept.csv", Object.keys(table)[0])).toHaveLength(kept);
  });

  it("of no row are written as they are, and decisions are not read", async () => {
    const notes: string[] = [];
    await writeFile(file("decisions.csv"), "left_row,right_row,decision\n1,2,yes\n");
    const review = file("review.csv");
    const path = await save({ name: [], city: [] });
    const options = { decisionPaths: [file("decisions.csv")], onNote: (note: string) => notes.push(note) };
    const report = await dedupeTable(path, { ...outputs(), review }, { encoder, ...options });
    expect(report).toMatchObject({ rows: 0, groups: [], likely: 0, reviewed: 0 });
    expect(notes.at(-1)).toBe(`${path}: the table has no rows, so there is nothing to compare`);
    expect(Object.keys((await readWholeTable(file("kept.csv"), { column: "1" })).columns)).toEqual([
      "name",
      "city",
    ]);
  });

  it("of decisions are not written over", async () => {
    const review = file("decided.csv");
    await writeFile(review, "left_row,right_row,decision\n1,2,yes\n");
    const path = await save({ name: ["Acme", "Acme Inc"], city: ["Bern", "Bern"] });
    const run = dedupeTable(path, { ...outputs(), review }, { encoder, decisionPaths: [review] });
    await expect(run).rejects.toThrow("decided.csv is an input. Choose another output name.");
  });

  it("lose no row, whatever is removed", async () => {
    const random = createRandom(3);
    const words = ["Acme Inc", "Acme Inc.", "acme", "Le Monde", "Bern", "12", "7.5", "", "a b c d"];
    const ways = [{}, { likely: "remove" }, { on: ["one"] }, { on: ["one"], likely: "remove" }] as const;
    for (const [round, way] of [...ways, ...ways].entries()) {
      const size = Math.floor(random() * 30);
      const cells = () => Array.from({ length: size }, () => words[Math.floor(random() * words.length)]);
      const place = Array.from({ length: size }, (_, row) => `p${row}`);
      const { kept, removed } = await dedupe({ place, one: cells(), two: cells() }, way);
      expect(kept.length + removed.length, `round ${round}`).toBe(size);
      const places = [...(await column("kept.csv", "place")), ...(await column("removed.csv", "place"))];
      expect(places.sort()).toEqual(place.sort());
    }
  }, 120_000);

  it("leave no file beside a failure, and say why it failed wherever the others went", async () => {
    const path = await save({ name: ["Acme", "Acme", "Le Monde"], city: ["Bern", "Bern", "Paris"] });
    const written = vi.spyOn(process.stdout, "write").mockImplementation((...given: unknown[]) => {
      const done = given.at(-1);
      if (typeof done === "function") done();
      return true;
    });
    const failed = { kept: join(path, "kept.csv"), removed: "-", groups: file("beside.csv") };
    const options = { encoder, table: { header: "present" } } as const;
    const run = dedupeTable(path, failed, options).finally(() => written.mockRestore());
    await expect(run).rejects.toThrow(/kept\.csv: /);
    expect(existsSync(file("beside.csv"))).toBe(false);
  });

  it("keep every row but the equal ones while the promise is not established", async () => {
    const table = {
      name: ["Anna Schmidt", "Anna Schmidt", "Anna Schmitt", "Peter Vogel", "Claire Dubois", "Sofia Rossi"],
      email: ["a@b.example", "a@b.example", "a@b.example", "p@v.example", "c@d.example", "s@r.example"],
    };
    const { promise, removed, likely } = await dedupe(table);
    expect(promise?.established).toBe(false);
    expect(removed).toEqual([{ row: 1, keptRow: 0, probability: 1 }]);
    expect(likely).toBe(1);
    expect(await column("groups.csv", "kept")).toEqual(["yes", "no", "yes"]);
    expect((await dedupe(table, { likely: "remove" })).removed.map(({ row }) => row)).toEqual([1, 2]);
  });
});

describe("one column", () => {
  const lone = async (header: string, cells: readonly string[], options: DedupeTableOptions = {}) => {
    const name = file(`${header}.csv`);
    await writeFile(name, [header, ...cells].map((cell) => `"${cell}"\n`).join(""));
    return dedupeTable(
      name,
      { kept: file("lone.kept.csv") },
      { encoder: "none", table: { header: "present" }, ...options },
    );
  };
  const groupsOf = ({ groups }: Awaited<ReturnType<typeof lone>>) =>
    groups.map(({ kept, others }) => [kept, ...others.map(({ row }) => row)].join(" "));
  const inPairs = ["0 1", "2 3", "4 5", "6 7", "8 9"];
  const phones = "+49 30 1234567,030/1234567,+49 40 7654321,040 765 4321,+49 89 2223344,089-2223344";
  const more = "+49 221 998877,0221 99 88 77,+49 711 445566,0711/445566";

  it.each([
    ["phone", `${phones},${more}`.split(",")],
    [
      "born",
      "2001-02-03,3 Feb 2001,1999-12-31,31.12.1999,2020-07-14,14 July 2020,1985-05-06,6 May 1985,2011-11-13,13 Nov 2011".split(
        ",",
      ),
    ],
    ["sku", "AK-1234,AK 1234,BL-7788,bl7788,CM-4711,CM 4711,DN-0815,DN0815,EO-9001,eo 9001".split(",")],
  ])("of kind %s is compared as such: five pairs", async (header, cells) => {
    const found = await lone(header, cells);
    expect(groupsOf(found)).toEqual(inPairs);
    expect(found.removed).toHaveLength(5);
  });

  it("is compared as what the caller says", async () => {
    const found = await lone("contact", `${phones},${more}`.split(","), { kindOf: { contact: "text" } });
    expect(found).toMatchObject({ groups: [], columns: [{ name: "contact", kind: "text", weights: [] }] });
  });

  it("has no duplicates among cells that stand for an empty one", async () => {
    const found = await lone("name", [
      "Anna Keller",
      "n/a",
      "N/A",
      "null",
      "-",
      "-",
      "Boris Novak",
      "Anna Keller",
    ]);
    expect(groupsOf(found)).toEqual(["0 7"]);
  });
});

describe("the kept row", () => {
  it("has the cells that only removed rows have, unless it is kept as it is", async () => {
    const name = file("cells.csv");
    const rows = [
      "Anna Schmidt,Berlin,,7",
      "Anna Schmidt,Berlin,030 123,",
      "Bob Ray,Rome,-,",
      "Bob Ray,Rome,,",
    ];
    await writeFile(name, `name,city,phone,note\n${rows.join("\n")}\n`);
    const run = (fill?: "none") =>
      dedupeTable(name, { kept: file("cells.kept.csv") }, { encoder: "none", on: ["name", "city"], fill });
    expect((await run()).filled).toEqual({ phone: 1 });
    expect(await column("cells.kept.csv", "phone")).toEqual(["030 123", "-"]);
    expect((await run("none")).filled).toEqual({});
    expect(await column("cells.kept.csv", "phone")).toEqual(["", "-"]);
  });
});
