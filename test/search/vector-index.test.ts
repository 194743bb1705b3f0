/** The index keeps what it has acknowledged, finds what an exhaustive search finds, and refuses what does not fit. */
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { ArgumentError, LockedError, ModelError, VectorIndexError } from "../../src/errors.js";
import { createRandom } from "../../src/random.js";
import { addTable, type IndexTableOptions, indexTable } from "../../src/search/phrase-index.js";
import { VectorIndex } from "../../src/search/vector-index.js";

const root = mkdtempSync(join(tmpdir(), "pearl-index-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const place = (): string => join(root, `index-${count++}`);

const dimension = 16;
const columns = ["id", "name"];
const base = { dimension, columns, phraseColumn: "name" } as const;

/** Random rows called `name 0`, `name 1` ... */
function rowsOf(rows: number, seed = 1, first = 0) {
  const random = createRandom(seed);
  const vectors = Float32Array.from({ length: rows * dimension }, () => random() - 0.5);
  const cells = Array.from({ length: rows }, (_, row) => [`id${first + row}`, `name ${first + row}`]);
  return { vectors, cells };
}

/** Rows by descending cosine, computed here. */
function exhaustive(query: Float32Array, vectors: Float32Array): { row: number; score: number }[] {
  const length = (values: Float32Array): number => Math.hypot(...values);
  return Array.from({ length: vectors.length / dimension }, (_, row) => {
    const vector = vectors.subarray(row * dimension, (row + 1) * dimension);
    const product = vector.reduce((sum, value, index) => sum + value * query[index], 0);
    return { row, score: product / length(vector) / length(query) };
  }).sort((left, right) => right.score - left.score);
}

const names = (hits: readonly { cells: Readonly<Record<string, string>> }[]): string[] =>
  hits.map(({ cells }) => cells.name);

describe.each(["exact", "hnsw"] as const)("an index searched by %s", (backend) => {
  const { vectors, cells } = rowsOf(2000);
  const queries = rowsOf(40, 2).vectors;

  it("finds the rows of an exhaustive search, with their cosines", async () => {
    const index = await VectorIndex.build(place(), [{ vectors, cells }], { ...base, backend });
    await expect(index.search(queries, { phrases: ["one"] })).rejects.toThrow("Pass one phrase per query.");
    const hits = await index.search(queries, { k: 5 });
    expect((await index.describe()).searchedBy).toContain(backend);
    let found = 0;
    hits.forEach((list, query) => {
      const vector = queries.subarray(query * dimension, (query + 1) * dimension);
      const expected = exhaustive(vector, vectors);
      expect(list).toHaveLength(5);
      for (const hit of list) {
        const row = Number(hit.key) - 1;
        expect(hit.cells).toEqual({ id: `id${row}`, name: `name ${row}` });
        const score = expected.find((other) => other.row === row)?.score;
        expect(hit.score).toBeCloseTo(score!, 5);
        if (expected.slice(0, 5).some((other) => other.row === row)) found++;
      }
    });
    expect(found / 200).toBeGreaterThan(backend === "exact" ? 0.9999 : 0.98);
    await index.close();
  });

  it("finds added rows at once, and never deleted ones, before and after optimising and reopening", async () => {
    const path = place();
    const index = await VectorIndex.build(path, [{ vectors, cells }], { ...base, backend });
    const more = rowsOf(300, 3, 2000);
    await index.add(more);
    const query = more.vectors.slice(7 * dimension, 8 * dimension);
    expect(names((await index.search(query, { k: 1 }))[0])).toEqual(["name 2007"]);
    // Delete the nearest 600 rows of the query.
    const all = Float32Array.from([...vectors, ...more.vectors]);
    const order = exhaustive(query, all).map(({ row }) => row);
    expect(await index.delete({ keys: order.slice(0, 600).map((row) => String(row + 1)) })).toBe(600);
    const expected = order.slice(600, 605).map((row) => `name ${row}`);
    expect(names((await index.search(query, { k: 5 }))[0])).toEqual(expected);
    await index.optimise();
    expect(await index.describe()).toMatchObject({ rows: 1700, deleted: 0 });
    expect(names((await index.search(query, { k: 5 }))[0])).toEqual(expected);
    await index.close();
    const again = await VectorIndex.open(path);
    expect(names((await again.search(query, { k: 5 }))[0])).toEqual(expected);
    // Numbering continues: no key is used twice.
    await again.add(rowsOf(1, 4, 9999));
    const keys = await keysOf(again);
    expect(keys).toHaveLength(1701);
    expect(keys.at(-1)).toBe("2301");
    await again.close();
  });
});

describe("VectorIndex", () => {
  it("stores float16 in half the space with scores within 0.001", async () => {
    const { vectors, cells } = rowsOf(500);
    const whole = await VectorIndex.build(place(), [{ vectors, cells }], base);
    const half = await VectorIndex.build(place(), [{ vectors, cells }], { ...base, precision: "float16" });
    const query = rowsOf(1, 9).vectors;
    const [exact] = await whole.search(query, { k: 500 });
    const [rounded] = await half.search(query, { k: 500 });
    const scores = new Map(rounded.map(({ key, score }) => [key, score]));
    for (const { key, score } of exact) expect(Math.abs(scores.get(key)! - score)).toBeLessThan(1e-3);
    expect((await half.describe()).bytes).toBe((await whole.describe()).bytes - 500 * dimension * 2);
    await Promise.all([whole.close(), half.close()]);
  });

  it("takes keys from a column: refuses a second row, replaces it on request, deletes by key and phrase", async () => {
    const index = await VectorIndex.build(place(), [rowsOf(10)], { ...base, keyColumn: "id" });
    await expect(index.add(rowsOf(1, 5, 3))).rejects.toThrow(/already has.*id3/);
    await index.add(rowsOf(1, 5, 3), { existing: "replace" });
    expect((await index.describe()).rows).toBe(10);
    const [[hit]] = await index.search(rowsOf(1, 5).vectors, { k: 1 });
    expect(hit.key).toBe("id3");
    expect(hit.score).toBeCloseTo(1, 5);
    expect(await index.delete({ keys: ["id3", "nobody"] })).toBe(1);
    expect(await index.delete({ phrases: ["name 4"] })).toBe(1);
    expect(await keysOf(index)).toEqual(["id0", "id1", "id2", "id5", "id6", "id7", "id8", "id9"]);
    const twice = {
      vectors: rowsOf(2).vectors,
      cells: [
        ["new", "a"],
        ["new", "b"],
      ],
    };
    await expect(index.add(twice)).rejects.toThrow(/twice/);
    await index.close();
  });

  it("refuses another dimension, another model, NaN and incomplete rows, and stays unchanged", async () => {
    const model = { fingerprint: "aaaa", name: "our-model" };
    const index = await VectorIndex.build(place(), [rowsOf(5)], { ...base, model });
    await expect(index.add({ vectors: new Float32Array(15), cells: [["", ""]] })).rejects.toThrow(
      ArgumentError,
    );
    await expect(index.add({ vectors: new Float32Array(16), cells: [] })).rejects.toThrow(
      "There are 1 vectors, but cells of 0 rows. Pass one row of cells per vector.",
    );
    await expect(index.add({ vectors: new Float32Array(16), cells: [["one"]] })).rejects.toThrow(/2 columns/);
    await expect(index.add({ vectors: new Float32Array(16).fill(NaN), cells: [["", ""]] })).rejects.toThrow(
      /NaN/,
    );
    await expect(index.add(rowsOf(1), { fingerprint: "bbbb" })).rejects.toThrow(ModelError);
    await expect(index.search(rowsOf(1).vectors, { fingerprint: "bbbb" })).rejects.toThrow(/our-model.*aaaa/);
    await expect(index.search(new Float32Array(17))).rejects.toThrow(ArgumentError);
    await expect(index.search(rowsOf(1).vectors, { k: 0 })).rejects.toThrow(ArgumentError);
    expect(await keysOf(index)).toHaveLength(5);
    await index.close();
  });

  it("finds nothing for a zero vector, no row with one, and no more rows than exist, however many are asked for", async () => {
    const index = await VectorIndex.build(place(), [rowsOf(3)], base);
    await index.add({
      vectors: new Float32Array(2 * dimension),
      cells: [
        ["4", ""],
        ["5", ""],
      ],
    });
    const hits = await index.search(Float32Array.from([...new Float32Array(16), ...rowsOf(1).vectors]), {
      k: 10,
    });
    expect(hits.map((list) => list.length)).toEqual([0, 3]);
    expect((await index.search(rowsOf(1).vectors, { k: 1e12 }))[0]).toHaveLength(3);
    expect(await index.search(new Float32Array(0))).toEqual([]);
    await index.close();
  });

  it("allows one writer and many readers, and takes over the lock of a dead process", async () => {
    const path = place();
    const writer = await VectorIndex.build(path, [rowsOf(5)], base);
    const reader = await VectorIndex.open(path);
    await expect(reader.add(rowsOf(1))).rejects.toThrow(LockedError);
    await expect(reader.add(rowsOf(1))).rejects.toThrow(
      `process ${process.pid} is writing to it. Wait until it has finished.`,
    );
    await writer.add(rowsOf(1, 2, 5));
    await writer.close();
    // The reader reads what was written since it opened, and adds to it.
    await reader.add(rowsOf(1, 3, 6));
    expect(await keysOf(reader)).toHaveLength(7);
    await reader.close();
    writeFileSync(
      join(path, "lock"),
      JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), started: null, token: "x" }),
    );
    const next = await VectorIndex.open(path);
    await next.add(rowsOf(1, 4, 7));
    await next.close();
    // A living process with another start time has reused the number.
    const reused = { pid: process.pid, host: hostname(), started: "1", token: "x" };
    writeFileSync(join(path, "lock"), JSON.stringify(reused));
    const last = await VectorIndex.open(path);
    await last.delete({ keys: ["1"] });
    await last.close();
    writeFileSync(join(path, "lock"), JSON.stringify({ ...reused, host: "elsewhere" }));
    const other = await VectorIndex.open(path);
    await expect(other.add(rowsOf(1))).rejects.toThrow(/on elsewhere .* if it has died, remove .*lock/);
    await other.close();
    expect(readdirSync(path).sort()).toEqual(["generation-1", "index.json", "lock"]);
  });

  it("makes changes that are called at once one after the other", async () => {
    const path = place();
    const index = await VectorIndex.create(path, base);
    const added = [0, 1, 2].map((part) => index.add(rowsOf(4, 1 + part, 4 * part)));
    const deleted = index.delete({ phrases: ["name 5"] });
    await Promise.all([...added, deleted, index.optimise(), index.close()]);
    expect(await deleted).toBe(1);
    const again = await VectorIndex.open(path);
    expect(await keysOf(again)).toEqual(["1", "2", "3", "4", "5", "7", "8", "9", "10", "11", "12"]);
    await again.verify();
    await again.close();
  });

  it.each(["exact", "hnsw"] as const)(
    "is verified as it is now where another has compacted it (%s)",
    async (backend) => {
      const path = place();
      await (await VectorIndex.build(path, [rowsOf(300)], { ...base, backend })).close();
      const [index, writer] = [await VectorIndex.open(path), await VectorIndex.open(path)];
      await writer.delete({ keys: Array.from({ length: 100 }, (_, row) => String(row + 1)) });
      await writer.optimise();
      await writer.close();
      await index.verify();
      truncateSync(join(path, "generation-2", "vectors"), 99);
      await expect(index.verify()).rejects.toThrow(/vectors is damaged/);
      rmSync(join(path, "generation-2", "vectors"));
      await expect(index.verify()).rejects.toThrow(/vectors is damaged: it is missing/);
      rmSync(path, { recursive: true });
      await expect(index.verify()).rejects.toThrow(/vectors is damaged: it is missing/);
      await index.close();
    },
  );

  it("refuses calls after it was closed, and takes no lock again", async () => {
    const path = place();
    const index = await VectorIndex.build(path, [rowsOf(4)], base);
    await index.close();
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      add: () => index.add(rowsOf(1, 1, 4)),
      delete: () => index.delete({ keys: ["1"] }),
      search: () => index.search(rowsOf(1).vectors),
      entries: () => index.entries().next(),
      verify: () => index.verify(),
      optimise: () => index.optimise(),
    };
    for (const [name, call] of Object.entries(calls))
      await expect(call(), name).rejects.toThrow(`${path}: the index was closed. Open it again.`);
    await index.close();
    const again = await VectorIndex.open(path);
    await again.add(rowsOf(1, 1, 4));
    expect(await keysOf(again)).toEqual(["1", "2", "3", "4", "5"]);
    await again.close();
  });

  it("answers searches and lists its rows while the space of deleted ones is freed", async () => {
    const path = place();
    const built = await VectorIndex.build(path, [rowsOf(9000)], base);
    await built.delete({ keys: Array.from({ length: 3000 }, (_, row) => String(row + 1)) });
    await built.close();
    const index = await VectorIndex.open(path);
    const rows = index.entries();
    await rows.next();
    const query = rowsOf(9000).vectors.subarray(8900 * dimension);
    const found: string[] = [];
    let isDone = false;
    const searching = (async () => {
      while (!isDone) for (const [hit] of await index.search(query, { k: 1 })) found.push(hit.cells.name);
    })();
    await index.optimise();
    isDone = true;
    await searching;
    let listed = 1;
    for await (const _ of rows) listed++;
    expect(listed).toBe(6000);
    expect(new Set(found).size).toBe(100);
    expect((await index.describe()).deleted).toBe(0);
    await index.close();
  });

  it("drops what was not acknowledged: a torn journal line, vectors and cells without a commit", async () => {
    const path = place();
    const index = await VectorIndex.build(path, [rowsOf(20)], base);
    await index.close();
    const folder = join(path, "generation-1");
    appendFileSync(join(folder, "vectors"), Buffer.alloc(100, 7));
    appendFileSync(join(folder, "cells"), '["21","torn');
    appendFileSync(join(folder, "journal"), '0123456789abcdef {"rows":99');
    const again = await VectorIndex.open(path);
    expect(await keysOf(again)).toHaveLength(20);
    await again.add(rowsOf(2, 8, 20));
    await again.close();
    const last = await VectorIndex.open(path);
    expect(await keysOf(last)).toHaveLength(22);
    const [[hit]] = await last.search(rowsOf(2, 8).vectors.slice(dimension), { k: 1 });
    expect(hit.cells.name).toBe("name 21");
    await last.close();
  });

  it("names the damaged place instead of searching a damaged index", async () => {
    const path = place();
    const index = await VectorIndex.build(path, [rowsOf(20), rowsOf(20, 2, 20)], base);
    await index.close();
    const folder = join(path, "generation-1");
    const journal = readFileSync(join(folder, "journal"), "utf8");
    writeFileSync(join(folder, "journal"), journal.replace('"rows":20', '"rows":21'));
    await expect(VectorIndex.open(path)).rejects.toThrow(/journal is damaged: it is not the journal that/);
    writeFileSync(join(folder, "journal"), journal);
    truncateSync(join(folder, "vectors"), 1000);
    await expect(VectorIndex.open(path)).rejects.toThrow(/vectors is damaged: it ends at byte 1000/);
    rmSync(join(folder, "cells"));
    await expect(VectorIndex.open(path)).rejects.toThrow(VectorIndexError);
    writeFileSync(join(path, "index.json"), "{}");
    await expect(VectorIndex.open(path)).rejects.toThrow(/index\.json/);
    await expect(VectorIndex.open(place())).rejects.toThrow(/is not an index/);
    await expect(VectorIndex.create(path, base)).rejects.toThrow(/is already an index/);
    await expect(VectorIndex.create(folder, base)).rejects.toThrow(/already exists/);
    const file = place();
    writeFileSync(file, "a user's table");
    await expect(VectorIndex.create(file, base)).rejects.toThrow(/is a file, and an index is a folder/);
    expect(readFileSync(file, "utf8")).toBe("a user's table");
  });
});

describe("an index whose build was interrupted", () => {
  it("takes no other rows and deletes none, so that --resume adds each row of its table once", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    const [path, table, more] = [place(), join(root, "names.txt"), join(root, "more.txt")];
    const all = Array.from({ length: 8195 }, (_, row) => `name ${row}`);
    writeFileSync(table, `${all.join("\n")}\n`);
    writeFileSync(more, "another\n");
    const stop = new AbortController();
    const begun = indexTable(table, path, encoder, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(begun).rejects.toThrow(/abort/i);
    const index = await VectorIndex.open(path);
    const cure = "Finish it first: run that `pearl index build` again with --resume.";
    const unused = () => Promise.reject(new Error("a refused addition loads no model"));
    await expect(addTable(index, more, unused)).rejects.toThrow(cure);
    await expect(index.delete({ keys: ["1"] })).rejects.toThrow(cure);
    await expect(index.delete({ phrases: ["name 2"] })).rejects.toThrow(cure);
    await index.close();
    const resumed = await indexTable(table, path, encoder, { resume: "continue" });
    expect(resumed).toMatchObject({ added: 3, resumedRows: 8192, rows: 8195 });
    const notes: string[] = [];
    const onNote = (note: string) => notes.push(note);
    const again = await indexTable(table, path, unused, { resume: "continue", onNote });
    expect(again).toMatchObject({ added: 0, resumedRows: 8195, rows: 8195 });
    expect(notes[0]).toContain("is finished: there is nothing to resume.");
    const finished = await VectorIndex.open(path);
    expect(await addTable(finished, more, encoder)).toMatchObject({ added: 1, rows: 8196 });
    const names: string[] = [];
    for await (const { cells } of finished.entries()) names.push(cells[0]);
    expect(names).toEqual([...all, "another"]);
    await finished.close();
    await encoder.dispose();
  });

  it("adds all rows of a table or none: a key that exists is found before", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    const [path, file, more] = [place(), join(root, "keyed.csv"), join(root, "keyed-more.csv")];
    writeFileSync(file, "id,name\n1,one\n2,two\n");
    await indexTable(file, path, encoder, { keyColumn: "id" });
    // In the second batch, and in a column whose name is written otherwise.
    const rows = Array.from({ length: 8200 }, (_, row) => `${row + 3},name ${row}`);
    writeFileSync(more, `ID,Name\n${rows.join("\n")}\n2,again\n`);
    const index = await VectorIndex.open(path);
    const unused = () => Promise.reject(new Error("a refused addition loads no model"));
    await expect(addTable(index, more, unused)).rejects.toThrow("already has a row with the key 2.");
    expect((await index.describe()).rows).toBe(2);
    expect(await addTable(index, more, encoder, { existing: "replace" })).toMatchObject({ rows: 8202 });
    expect(await index.delete({ phrases: ["again"] })).toBe(1);
    await index.close();
    await encoder.dispose();
  });

  it("takes keys that are the phrases from a phrase column of another name", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    const [path, file, more] = [place(), join(root, "names.csv"), join(root, "more-names.csv")];
    writeFileSync(file, "name,place\nNoe,Lyon\n");
    await indexTable(file, path, encoder, { keyColumn: "name", table: { column: "name" } });
    writeFileSync(more, "title,place\nMia,Bern\n");
    const index = await VectorIndex.open(path);
    expect(await addTable(index, more, encoder, { table: { column: "title" } })).toMatchObject({ rows: 2 });
    expect(await index.delete({ keys: ["Mia"] })).toBe(1);
    await index.close();
    await encoder.dispose();
  });

  it("continues with the columns that it was begun with, and no others", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings", { device: "cpu" });
    const [path, file] = [place(), join(root, "titles.csv")];
    const lines = Array.from({ length: 8195 }, (_, row) => `a${row},name ${row},title ${row}`);
    writeFileSync(file, `id,name,title\n${lines.join("\n")}\n`);
    const stop = new AbortController();
    const table = { column: "title" };
    const begun = indexTable(file, path, encoder, {
      ...{ table, keyColumn: "id", signal: stop.signal },
      onProgress: () => stop.abort(),
    });
    await expect(begun).rejects.toThrow(/abort/i);
    const resume = (options: IndexTableOptions) =>
      indexTable(file, path, encoder, { resume: "continue", ...options });
    const trouble =
      "was begun with other columns. Resume with -c title --key id, or remove it and build again.";
    await expect(resume({ table: { column: "name" } })).rejects.toThrow(trouble);
    await expect(resume({ keyColumn: "name" })).rejects.toThrow(trouble);
    const others: [IndexTableOptions, string][] = [
      [{ prompt: "query: " }, 'was begun with another prompt, "". Resume without --prompt'],
      [{ precision: "float16" }, 'was begun with another storage, "float32". Resume without --storage'],
      [{ backend: "exact" }, 'was begun with another backend, "auto". Resume without --backend'],
      [{ truncateDim: 8 }, "was begun with another truncate-dim, 56. Resume without --truncate-dim"],
    ];
    for (const [settings, said] of others) await expect(resume(settings)).rejects.toThrow(said);
    const other = join(root, "others.csv");
    writeFileSync(other, "id,name,title\na,b,c\n");
    await expect(indexTable(other, path, encoder, { resume: "continue" })).rejects.toThrow(
      "belongs to another table, or the table has changed.",
    );
    expect(await resume({})).toMatchObject({ added: 3, resumedRows: 8192, rows: 8195 });
    const index = await VectorIndex.open(path);
    const last = await encoder.encodeMatrix(["title 8194"]);
    const [[hit]] = await index.search(last.data, { k: 1 });
    expect(hit).toMatchObject({ key: "a8194", score: expect.closeTo(1, 3) });
    await index.close();
    await encoder.dispose();
  });
});

async function keysOf(index: VectorIndex): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of index.entries()) keys.push(key);
  return keys;
}
