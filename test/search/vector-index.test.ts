/** The index keeps what it has acknowledged, finds what an exhaustive search finds, and refuses what does not fit. */
import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArgumentError, LockedError, ModelError, VectorIndexError } from "../../src/errors.js";
import { VectorIndex } from "../../src/search/vector-index.js";
import { newFolder } from "../setup/new-folder.js";
import { base, dimension, keysOf, rowsOf } from "./sample-index.js";

const root = newFolder();
let count = 0;
const place = (): string => join(root, `index-${count++}`);

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
    await expect(index.search(rowsOf(1).vectors, { ranking: "words" })).rejects.toThrow(
      /ranking by words needs the queries as text/,
    );
    expect(await keysOf(index)).toHaveLength(5);
    await index.close();
  });

  it("finds no more than its phrase for a zero vector, else no row with one, and no more rows than exist", async () => {
    const index = await VectorIndex.build(place(), [rowsOf(3)], base);
    await index.add({
      vectors: new Float32Array(2 * dimension),
      cells: [
        ["4", "!!!"],
        ["5", ""],
      ],
    });
    const hits = await index.search(Float32Array.from([...new Float32Array(16), ...rowsOf(1).vectors]), {
      k: 10,
    });
    expect(hits.map((list) => list.length)).toEqual([0, 3]);
    const found = [[{ score: 1, cells: { id: "4", name: "!!!" } }]];
    expect(await index.search(new Float32Array(16), { phrases: ["!!!"] })).toMatchObject(found);
    expect((await index.search(rowsOf(1).vectors, { k: 1e12 }))[0]).toHaveLength(3);
    expect(await index.search(new Float32Array(0))).toEqual([]);
    await index.close();
  });

  it("finds the same first rows, with the same scores, however many are asked for", async () => {
    const { vectors } = rowsOf(25, 3);
    const words = "red blue green white black".split(" ");
    const cells = Array.from({ length: 25 }, (_, row) => [
      `${row}`,
      `${words[row % 5]} ${words[Math.floor(row / 5)]} inn`,
    ]);
    const index = await VectorIndex.build(place(), [{ vectors, cells }], base);
    const query = rowsOf(1, 9).vectors;
    const found = (k: number) => index.search(query, { k, phrases: ["white green inn"] });
    const [whole] = await found(25);
    for (const k of [1, 2, 3, 10]) expect(await found(k)).toEqual([whole.slice(0, k)]);
    // The row with the words of the query is not the one with the nearest vector.
    const [[nearest]] = await index.search(query, { k: 1 });
    expect(whole[0].cells.id).not.toBe(nearest.cells.id);
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

  it("drops what was not acknowledged: vectors, cells and deletions without a commit", async () => {
    const path = place();
    const index = await VectorIndex.build(path, [rowsOf(20)], base);
    await index.close();
    const folder = join(path, "generation-1");
    appendFileSync(join(folder, "vectors"), Buffer.alloc(100, 7));
    appendFileSync(join(folder, "cells"), '["21","torn');
    appendFileSync(join(folder, "deleted"), Buffer.alloc(4));
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
    const manifest = readFileSync(join(path, "index.json"), "utf8");
    writeFileSync(join(path, "index.json"), manifest.replace('"next": 41', '"next": 42'));
    await expect(VectorIndex.open(path)).rejects.toThrow(/index\.json is damaged: its checksum differs/);
    writeFileSync(join(path, "index.json"), manifest);
    truncateSync(join(folder, "vectors"), 1000);
    await expect(VectorIndex.open(path)).rejects.toThrow(/vectors is damaged: it has 1000 bytes instead of /);
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
