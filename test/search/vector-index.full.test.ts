/** The slow tests beside vector-index.test.ts. */
import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { addTable, type IndexTableOptions, indexTable, rebuildIndex } from "../../src/search/phrase-index.js";
import { VectorIndex } from "../../src/search/vector-index.js";
import { newFolder } from "../setup/new-folder.js";
import { base, dimension, keysOf, rowsOf } from "./sample-index.js";

const root = newFolder();
let count = 0;
const place = (): string => join(root, `index-${count++}`);

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
});

describe("another model", () => {
  it("encodes all rows of an index again, whose keys, cells and deletions stay; a search as before goes on", async () => {
    const [strings, mini] = await Promise.all(
      ["pearl-strings", "pearl-mini"].map((model) => PhraseEncoder.load(model, { device: "cpu" })),
    );
    const [path, file] = [place(), join(root, "models.csv")];
    writeFileSync(file, "name,city\nAcme,Berlin\nToyota,Aichi\nZed,Bonn\n");
    await indexTable(file, path, strings);
    const [index, reader] = [await VectorIndex.open(path), await VectorIndex.open(path)];
    await index.delete({ keys: ["1"] });
    const report = await rebuildIndex(index, mini, { truncateDim: 128 });
    expect(report).toMatchObject({ rows: 2, dimension: 128 });
    expect(index.layout).toMatchObject({ dimension: 128, model: { fingerprint: await mini.fingerprint() } });
    const { data } = await mini.encodeMatrix(["Toyota"], { truncateDim: 128 });
    const [[best]] = await index.search(data, { k: 1, fingerprint: await mini.fingerprint() });
    expect(best).toMatchObject({ key: "2", cells: { name: "Toyota", city: "Aichi" } });
    expect(best.score).toBeCloseTo(1, 5);
    const before = await strings.encodeMatrix(["Zed"]);
    expect((await reader.search(before.data, { k: 1 }))[0]).toMatchObject([{ key: "3" }]);
    // The numbers of rows go on, too.
    await addTable(index, file, mini);
    const keys: string[] = [];
    for await (const { key } of index.entries()) keys.push(key);
    expect(keys).toEqual(["2", "3", "4", "5", "6"]);
    await Promise.all([index, reader].map((one) => one.close()));
    const again = await VectorIndex.open(path);
    expect(await again.describe()).toMatchObject({ rows: 5, dimension: 128 });
    await again.verify();
    await again.close();
    await Promise.all([strings, mini].map((encoder) => encoder.dispose()));
  });

  it("is refused for an index without phrases", async () => {
    const { vectors, cells } = rowsOf(10);
    const index = await VectorIndex.build(place(), [{ vectors, cells }], {
      ...base,
      phraseColumn: undefined,
    });
    const model = { fingerprint: "other" };
    const change = index.rebuild({ model, dimension: 3 }, () =>
      Promise.reject(new Error("nothing to encode")),
    );
    await expect(change).rejects.toThrow("has no phrase column to encode. Build a new index.");
    await index.close();
  });

  it("is refused without a vector for each phrase, and leaves the index as it was", async () => {
    const { vectors, cells } = rowsOf(10);
    const path = place();
    const index = await VectorIndex.build(path, [{ vectors, cells }], base);
    const [names, before] = [readdirSync(path), await index.describe()];
    const model = { fingerprint: "other" };
    const change = index.rebuild({ model, dimension: 3 }, () => Promise.resolve(new Float32Array(27)));
    await expect(change).rejects.toThrow("There are 9 vectors of 10 phrases. Give one for each.");
    expect(readdirSync(path)).toEqual(names);
    expect(await index.describe()).toEqual(before);
    await index.verify();
    await index.close();
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
    await expect(indexTable(table, path, encoder)).rejects.toThrow(cure);
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
