/** An index notices every change of its files that it did not make, and reads large files once per change. */
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { VectorIndex } from "../../../src/search/vector-index.js";

const root = mkdtempSync(join(tmpdir(), "pearl-checks-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const dimension = 64;

function rowsOf(count: number, seed: number) {
  const random = createRandom(seed);
  const vectors = Float32Array.from({ length: count * dimension }, () => random() - 0.5);
  return { vectors, cells: Array.from({ length: count }, () => []) };
}

async function build(name: string, rows: number, backend: "exact" | "hnsw", seed = 1): Promise<string> {
  const path = join(root, name);
  await (await VectorIndex.build(path, [rowsOf(rows, seed)], { dimension, backend })).close();
  return path;
}

function flip(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] ^= 1;
  writeFileSync(path, bytes);
}

const stampsOf = (folder: string): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, "checked"), "utf8"));
const stampOf = (path: string): string => {
  const { size, ino, ctimeNs } = statSync(path, { bigint: true });
  return `${size} ${ino} ${ctimeNs}`;
};

describe("a large file of an index", () => {
  it("is remembered as checked by the writer that adds a row to it, and by a reader after a copy", async () => {
    const path = await build("large", 6000, "exact");
    const folder = join(path, "generation-1");
    const index = await VectorIndex.open(path);
    await index.add(rowsOf(1, 2));
    await index.close();
    expect(stampsOf(folder).vectors).toBe(stampOf(join(folder, "vectors")));
    const copy = join(root, "large-copy");
    cpSync(path, copy, { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await (await VectorIndex.open(copy)).close();
    const vectors = join(copy, "generation-1", "vectors");
    expect(stampsOf(join(copy, "generation-1")).vectors).toBe(stampOf(vectors));
    flip(vectors);
    await expect(VectorIndex.open(copy)).rejects.toThrow(/vectors is damaged: .*pearl index build/);
  });
});

describe("an index", () => {
  it("refuses a damaged graph, and repairs it from its rows", async () => {
    const path = await build("graph", 500, "hnsw");
    flip(join(path, "generation-1", "hnsw-500"));
    await expect(VectorIndex.open(path)).rejects.toThrow(
      /hnsw-500 is damaged: .*pearl index check \S+ --repair$/,
    );
    await VectorIndex.rebuildGraph(path);
    const index = await VectorIndex.open(path);
    expect((await index.describe()).searchedBy).toMatch(/^hnsw over 500 rows/);
    await index.verify();
    await index.close();
  });

  it("refuses files of another index of the same shape", async () => {
    const [path, other] = [await build("one", 100, "exact"), await build("two", 100, "exact", 9)];
    for (const name of ["generation-1", "index.json", "generation-1/vectors"]) {
      renameSync(join(path, name), join(root, "kept"));
      cpSync(join(other, name), join(path, name), { recursive: true });
      await expect(VectorIndex.open(path), name).rejects.toThrow(/is damaged/);
      rmSync(join(path, name), { recursive: true });
      renameSync(join(root, "kept"), join(path, name));
    }
    await (await VectorIndex.open(path)).close();
  });

  it("is begun again where its writer was killed before index.json, and not where rows are", async () => {
    const path = await build("begun", 100, "exact");
    const options = { dimension, backend: "exact" } as const;
    rmSync(join(path, "index.json"));
    await expect(VectorIndex.open(path)).rejects.toThrow(/index\.json is missing beside its rows/);
    await expect(VectorIndex.create(path, options)).rejects.toThrow(/already exists/);
    writeFileSync(join(path, "generation-1", "vectors"), "");
    writeFileSync(join(path, "lock"), "a dead writer's");
    utimesSync(join(path, "lock"), 0, 0);
    const index = await VectorIndex.create(path, options);
    await index.add(rowsOf(10, 2));
    await index.close();
    const again = await VectorIndex.open(path);
    expect((await again.describe()).rows).toBe(10);
    await again.close();
  });
});
