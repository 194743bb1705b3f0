/** An index in LanceDB, if it is installed, behind the same interface as one in a folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { LockedError, MissingDataError } from "../../src/errors.js";
import { createRandom } from "../../src/random.js";
import { VectorIndex } from "../../src/search/vector-index.js";

const root = mkdtempSync(join(tmpdir(), "pearl-backends-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const dimension = 16;
const rows = 1000;
const random = createRandom(3);
const vectors = Float32Array.from({ length: rows * dimension }, () => random() - 0.5);
const cells = Array.from({ length: rows }, (_, row) => [`id${row}`, `it's name ${row}`]);
const queries = Float32Array.from({ length: 50 * dimension }, () => random() - 0.5);
const base = { dimension, columns: ["id", "name"], phraseColumn: "name" } as const;
const [backend, part] = ["lancedb", "@lancedb/lancedb"] as const;

describe("an index in LanceDB", () => {
  const isHere = isInstalled(part);
  if (!isHere) console.info(`skipped: ${part} is not installed (pearl doctor says how to get it)`);

  it.skipIf(isHere)("names the missing package and the cure, and creates nothing", async () => {
    const path = join(root, backend);
    const building = VectorIndex.build(path, [{ vectors, cells }], { ...base, backend });
    await expect(building).rejects.toThrow(MissingDataError);
    await expect(building).rejects.toThrow(new RegExp(`${part}.*pearl doctor`));
    await expect(VectorIndex.open(path)).rejects.toThrow(/is not an index/);
  });

  it.skipIf(!isHere)("finds what an exact search finds, adds, deletes, and opens again", async () => {
    const exact = await VectorIndex.build(join(root, `${backend}-exact`), [{ vectors, cells }], base);
    const path = join(root, backend);
    const index = await VectorIndex.build(path, [{ vectors, cells }], { ...base, backend });
    const [expected, found] = await Promise.all([
      exact.search(queries, { k: 5 }),
      index.search(queries, { k: 5 }),
    ]);
    let same = 0;
    expected.forEach((hits, query) => {
      for (const hit of hits) {
        const other = found[query].find(({ key }) => key === hit.key);
        if (other === undefined) continue;
        expect(other.score).toBeCloseTo(hit.score, 4);
        expect(other.cells).toEqual(hit.cells);
        same++;
      }
    });
    expect(same / 250).toBeGreaterThan(0.95);
    const seventh = vectors.slice(6 * dimension, 7 * dimension);
    expect(await index.delete({ keys: ["7", "none"] })).toBe(1);
    expect(await index.delete({ phrases: ["it's name 8"] })).toBe(1);
    await index.add({ vectors: seventh, cells: [["new", "again"]] });
    await index.close();
    const again = await VectorIndex.open(path);
    expect((await again.describe()).rows).toBe(rows - 1);
    const [[hit]] = await again.search(seventh, { k: 1 });
    expect(hit).toMatchObject({ key: "1001", cells: { id: "new", name: "again" } });
    await Promise.all([exact.close(), again.close()]);
  });

  it.skipIf(!isHere)("takes keys from a column", async () => {
    const path = join(root, `${backend}-keys`);
    const index = await VectorIndex.build(path, [{ vectors, cells }], { ...base, backend, keyColumn: "id" });
    const row = { vectors: vectors.slice(0, dimension), cells: [["id3", "new"]] };
    await expect(index.add(row)).rejects.toThrow(/already has a row with the key .*id3/);
    await index.add(row, { existing: "replace" });
    expect((await index.describe()).rows).toBe(rows);
    const hits = await index.search(row.vectors, { k: 2 });
    expect(hits[0].map(({ key }) => key).sort()).toEqual(["id0", "id3"]);
    await index.close();
    const again = VectorIndex.create(path, { ...base, backend });
    await expect(again).rejects.toThrow("already holds an index. Choose another place, or remove it.");
  });
});

describe("an index in LanceDB, of which several are open,", () => {
  const add = (index: VectorIndex, row: number) =>
    index.add({ vectors: vectors.slice(row * dimension, (row + 1) * dimension), cells: [cells[row]] });
  const keysOf = async (index: VectorIndex) => {
    const keys: string[] = [];
    for await (const { key } of index.entries()) keys.push(key);
    return keys.map(Number).sort((a, b) => a - b);
  };

  it.skipIf(!isInstalled(part))(
    "is changed by one at a time, which numbers its rows behind all others",
    async () => {
      const path = join(root, `${backend}-several`);
      await (await VectorIndex.create(path, { ...base, backend })).close();
      const [one, other] = [await VectorIndex.open(path), await VectorIndex.open(path)];
      await add(one, 0);
      await expect(add(other, 1)).rejects.toThrow(LockedError);
      await expect(other.delete({ keys: ["1"] })).rejects.toThrow(
        "is writing to it. Wait until it has finished.",
      );
      await add(one, 2);
      await one.close();
      await add(other, 1);
      expect(await keysOf(other)).toEqual([1, 2, 3]);
      await other.close();
    },
  );

  it.skipIf(!isInstalled(part))("under a URI numbers rows behind those of an earlier writer", async () => {
    const path = pathToFileURL(join(root, `${backend}-uri`)).href;
    await (await VectorIndex.create(path, { ...base, backend })).close();
    const [one, other] = [await VectorIndex.open(path), await VectorIndex.open(path)];
    for (const [row, index] of [one, other, one].entries()) await add(index, row);
    expect(await keysOf(one)).toEqual([1, 2, 3]);
    await Promise.all([one.close(), other.close()]);
  });
});

describe("a URI", () => {
  it("is refused for backends other than LanceDB", async () => {
    await expect(VectorIndex.create("gs://bucket/names", { ...base, backend: "hnsw" })).rejects.toThrow(
      /lancedb/,
    );
  });
});

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
