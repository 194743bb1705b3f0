/** A graph's file in another order is the same graph to its readers; what is no such file stays as it is. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Index, MetricKind, ScalarKind } from "usearch";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { hnsw } from "../../src/search/hnsw.js";
import { orderNodes } from "../../src/search/node-order.js";
import { unitRows } from "../../src/search/vectors.js";

const root = mkdtempSync(join(tmpdir(), "pearl-node-order-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const dimension = 24;
const rows = 2000;
const connectivity = 16;
/** More links of one node are not told apart. */
const mostLinks = 64;
const settings = { dimension, metric: "cosine" } as const;
const random = createRandom(12);
const vectors = unitRows(
  Float32Array.from({ length: rows * dimension }, () => random() - 0.5),
  dimension,
);

/** A file as usearch writes it. Its keys are a thousand above the numbers of their nodes. */
function graphFile(name: string): string {
  const path = join(root, name);
  const index = new Index({
    dimensions: dimension,
    metric: MetricKind.IP,
    quantization: ScalarKind.I8,
    connectivity,
    expansion_add: 128,
    expansion_search: 256,
    multi: false,
  });
  index.add(
    BigUint64Array.from({ length: rows }, (_, row) => BigInt(row + 1000)),
    vectors,
    1,
  );
  index.save(path);
  return path;
}

/** The nodes' keys and neighbours on the lowest level, in the order of the file, and where a search begins. */
function read(path: string) {
  const bytes = readFileSync(path);
  const graph = 8 + rows * dimension + 64;
  let at = graph + 40 + 2 * rows;
  const nodes = Array.from({ length: rows }, () => {
    const key = Number(bytes.readBigUInt64LE(at));
    const level = bytes.readInt16LE(at + 8);
    const neighbours = Array.from({ length: bytes.readUInt32LE(at + 10) }, (_, place) =>
      bytes.readUInt32LE(at + 14 + 4 * place),
    );
    at += 10 + 4 * (1 + 2 * connectivity) + level * 4 * (1 + connectivity);
    return { key, level, neighbours };
  });
  expect(at).toBe(bytes.length);
  return { nodes, entry: Number(bytes.readBigUInt64LE(graph + 32)) };
}

/** Share of neighbours that lie at most 32 places apart. */
function nearShare({ nodes }: ReturnType<typeof read>): number {
  const distances = nodes.flatMap(({ neighbours }, place) =>
    neighbours.map((other) => Math.abs(other - place)),
  );
  return distances.filter((distance) => distance <= 32).length / distances.length;
}

describe("orderNodes", () => {
  const path = graphFile("ordered");
  const before = read(path);
  const searched = hnsw.open(path, settings).search(vectors, 10);

  it("puts next the node that most of its block lead to, from the entry on, and neighbours so near each other", async () => {
    // Read before the file changes under it.
    await searched;
    const blockNodes = 300;
    expect(orderNodes(path, { blockNodes })).toBe(true);
    const after = read(path);
    expect(after.entry).toBe(0);
    let links = new Int32Array(rows);
    after.nodes.forEach(({ neighbours }, place) => {
      if (place % blockNodes === 0) links = new Int32Array(rows);
      else expect(links[place]).toBe(Math.min(mostLinks, Math.max(...links.subarray(place))));
      for (const neighbour of neighbours) links[neighbour] = Math.min(mostLinks, links[neighbour] + 1);
    });
    expect(nearShare(after)).toBeGreaterThan(2 * nearShare(before));
  });

  it("leaves each key its level and its neighbours, and their order", () => {
    const byKey = ({ nodes }: typeof before) =>
      new Map(
        nodes.map(({ key, level, neighbours }) => [
          key,
          { level, neighbours: neighbours.map((place) => nodes[place].key) },
        ]),
      );
    expect(byKey(read(path))).toEqual(byKey(before));
  });

  it("changes no result of a search", async () => {
    const found = await hnsw.open(path, settings).search(vectors, 10);
    expect(found.cosines).toEqual((await searched).cosines);
    expect(found.rows).toEqual((await searched).rows);
    // Each row is its own nearest.
    const own = Array.from({ length: rows }, (_, row) => found.rows[row * 10] === row + 1000);
    expect(own.filter(Boolean).length).toBeGreaterThan(rows * 0.99);
  });

  it("leaves files alone that are cut off, of another version, or of another kind", () => {
    const bytes = readFileSync(graphFile("whole"));
    const changed = (at: number, value: number): Buffer => {
      const copy = Buffer.from(bytes);
      copy.writeUInt32LE(value, at);
      return copy;
    };
    const head = 8 + rows * dimension;
    const firstList = head + 64 + 40 + 2 * rows + 10;
    const odd = [
      Buffer.alloc(0),
      Buffer.from("phrase\tclass\n".repeat(1000)),
      bytes.subarray(0, bytes.length - 1),
      changed(0, rows - 1),
      changed(head + 7, 3),
      changed(firstList, 2 * connectivity + 1),
      changed(firstList + 4, rows),
    ];
    odd.forEach((content, place) => {
      const file = join(root, `odd-${place}`);
      writeFileSync(file, content);
      expect(orderNodes(file), `file ${place}`).toBe(false);
      expect(readFileSync(file).equals(content), `file ${place}`).toBe(true);
    });
  });
});

describe("a graph of hnsw", () => {
  it("is saved in that order, loaded from it, and grows", async () => {
    const path = join(root, "grown");
    const half = (rows / 2) * dimension;
    const first = hnsw.create(settings);
    await first.add(0, vectors.subarray(0, half));
    first.save(path);
    const second = hnsw.load(path, settings);
    await second.add(rows / 2, vectors.subarray(half));
    second.save(path);
    const { nodes, entry } = read(path);
    expect(entry).toBe(0);
    expect(nodes.map(({ key }) => key).sort((a, b) => a - b)).toEqual(nodes.map((_, row) => row));
    expect(nodes.map(({ key }) => key)).not.toEqual(nodes.map((_, row) => row));
    const found = await hnsw.open(path, settings).search(vectors, 1);
    expect(found.rows.filter((row, place) => row === place).length).toBeGreaterThan(rows * 0.99);
  });
});
