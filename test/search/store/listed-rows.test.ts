/** An index finds rows that its graph misses: each once, and none after it is deleted. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fileSum } from "../../../src/files/checksums/checksum.js";
import { createRandom } from "../../../src/random.js";
import { Generation } from "../../../src/search/store/generation.js";
import { findUnreached } from "../../../src/search/store/graph-search.js";
import { findManifest } from "../../../src/search/store/manifest.js";
import { VectorIndex } from "../../../src/search/vector-index.js";

const root = mkdtempSync(join(tmpdir(), "pearl-listed-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const dimension = 16;
const rows = 1000;
const random = createRandom(4);
const vectors = Float32Array.from({ length: rows * dimension }, () => random() - 0.5);
const cells = Array.from({ length: rows }, () => []);
const vectorOf = (row: number): Float32Array => vectors.slice(row * dimension, (row + 1) * dimension);

describe("findUnreached", () => {
  it("lists the rows that a search for their own vector misses, except those replaced by an equal row", async () => {
    const layout = {
      dimension,
      precision: "float32",
      metric: "cosine",
      backend: "hnsw",
      columns: [],
    } as const;
    const generation = await Generation.create(join(root, "generation"), layout);
    const own = Float32Array.from([
      ...vectorOf(1),
      ...vectorOf(2),
      ...vectorOf(3),
      ...vectorOf(2),
      ...new Float32Array(dimension),
    ]);
    const entries = Array.from({ length: 5 }, (_, row) => ({ key: String(row), cells: [] }));
    await generation.append(entries, own, 6);
    // A graph without rows 2 and 3; row 3 equals row 1, and row 4 is zero: no search needs it.
    const search = async (queries: Float32Array, width: number) => {
      const candidates = [0, 1, ...Array(width - 2).fill(-1)];
      const lists = Array.from({ length: queries.length / dimension }, () => candidates);
      return Int32Array.from(lists.flat());
    };
    expect(await findUnreached(generation, [search], 0, {})).toEqual(Int32Array.of(2));
    await generation.close();
  });
});

describe("an index with listed rows", () => {
  it("finds each of them once, in order of score, and none that is deleted", async () => {
    const options = { dimension, backend: "hnsw" } as const;
    const path = join(root, "index");
    await (await VectorIndex.build(path, [{ vectors, cells }], options)).close();
    // As if the graph missed every third row. It does not, so each of them could be found twice.
    const listed = Int32Array.from({ length: 333 }, (_, place) => place * 3);
    const folder = join(path, "generation-1");
    writeFileSync(join(folder, "hnsw-1000.unreached"), new Uint8Array(listed.buffer));
    const changed = await Generation.open(path, (await findManifest(path))!);
    await changed.startWriting();
    const list = await fileSum(join(folder, "hnsw-1000.unreached"));
    await changed.recordGraph({ ...changed.graph, "hnsw-1000.unreached": list });
    await changed.close();
    const index = await VectorIndex.open(path);
    expect((await index.describe()).searchedBy).toBe("hnsw over 1,000 rows (333 of them one by one)");
    const exact = await VectorIndex.build(join(root, "exact"), [{ vectors, cells }], {
      ...options,
      backend: "exact",
    });
    const queries = vectors.slice(0, 60 * dimension);
    const keys = async (from: VectorIndex): Promise<string[][]> =>
      (await from.search(queries, { k: 8 })).map((hits) => hits.map(({ key }) => key));
    const [found, expected] = [await keys(index), await keys(exact)];
    for (const list of found) expect(new Set(list).size).toBe(8);
    const same = found.flatMap((list, query) => list.filter((key) => expected[query].includes(key)));
    expect(same.length / (60 * 8)).toBeGreaterThan(0.98);
    await index.delete({ keys: ["1", "4"] });
    const [hits] = await index.search(vectorOf(0), { k: 1000 });
    expect(hits.map(({ key }) => key)).not.toContain("1");
    expect(new Set(hits.map(({ key }) => key)).size).toBe(hits.length);
    await Promise.all([index.close(), exact.close()]);
  });
});
