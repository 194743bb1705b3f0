/** A word encoder with tables outside the graph gives the vectors of the whole graph. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TYPE_LOGITS } from "../../../src/architectures/architecture.js";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { writeWordModel } from "../../../src/architectures/pearl-mini/model.js";
import type { WordTable } from "../../../src/architectures/pearl-mini/row-sums.js";
import { loadWordGraph, takeOutTables } from "../../../src/architectures/pearl-mini/shared-graph.js";
import { openFeaturizers } from "../../../src/architectures/registry.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import type { Feeds } from "../../../src/runtime/tensor.js";
import { fromSeed } from "../../../src/train.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-tables-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reading = {
  minimum: 2,
  maximum: 4,
  buckets: 1024,
  ngrams: 12,
  phraseLength: 4,
  unknownWords: "nearest",
} as const;
// tables of 65,536 numbers become int8
const words = Array.from({ length: 3000 }, (_, i) => `w${i.toString(36)}`).concat(
  "the",
  "york",
  "times",
  "&",
);
const sizes = {
  ...{ vocabulary: words.length, buckets: 1024, phraseLength: 4, marks: 9, characters: 72, vectors: 24 },
  ...{ width: 32, heads: 2, feedForward: 64, layers: 1, meaning: 40, types: 19, classes: 5 },
};
/** Draws all weights at random, also those that start as zeros. */
const weights = (name: string, dims: readonly number[]) =>
  fromSeed(5)(name, dims, (random) => 0.6 * (random() - 0.5));

async function written(tables: "int8" | "float32"): Promise<string> {
  const path = join(folder, tables);
  await writeWordModel(path, { weights, sizes, words, reading, tables });
  return path;
}

const phrases = [
  "the York Times",
  "York",
  "Zürich & York, THE (extraordinarily) long phrase",
  "unheard-of wordage 2024",
  "extraordinarily wa wb wc",
  "…",
  "the the",
  "tiems",
  "timess times tiems",
];

/** Output of the folder's graph over all phrases at once. */
async function whole(path: string, output: string) {
  const model = await readModelFolder(path);
  const session = await createOrtSession(model.graph);
  return run(session, await openFeaturizers(model, session.inputNames), output, [phrases]);
}

async function run(
  session: Awaited<ReturnType<typeof createOrtSession>>,
  [featurizer]: Awaited<ReturnType<typeof openFeaturizers>>,
  output: string,
  calls: readonly (readonly string[])[],
) {
  const rows: Float32Array[] = [];
  let truncated = 0;
  for (const some of calls) {
    const read = featurizer.read(some);
    truncated += read.truncated;
    const feeds: Feeds = {};
    const length = Math.max(1, ...(featurizer.lengths?.(read.rows) ?? []));
    featurizer.fill(read.rows, Int32Array.from(some.keys()), length, feeds);
    const { data, dims } = (await session.run(feeds, [output]))[output];
    for (let row = 0; row < dims[0]; row++)
      rows.push((data as Float32Array).slice(row * dims[1], (row + 1) * dims[1]));
  }
  return { rows, truncated };
}

function largestDifference(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  expect(a.map(({ length }) => length)).toEqual(b.map(({ length }) => length));
  return Math.max(...a.flatMap((row, i) => Array.from(row, (value, k) => Math.abs(value - b[i][k]))));
}

describe.each(["int8", "float32"] as const)("a word encoder without its tables (%s)", (tables) => {
  it.each(["embedding", TYPE_LOGITS])("gives the same %s", async (output) => {
    const path = await written(tables).catch(() => join(folder, tables));
    const expected = await whole(path, output);
    const model = await readModelFolder(path);
    const graph = await loadWordGraph(model, "full");
    if (!graph) throw new Error("the graph was not cut");
    const session = await createOrtSession(graph.bytes);
    expect(session.inputNames).not.toContain("word_ngrams");
    const featurizers = await openFeaturizers(model, session.inputNames, graph);
    // words of earlier calls are cached
    const calls = [phrases.slice(0, 2), phrases.slice(2, 3), phrases.slice(3)];
    const { rows, truncated } = await run(session, featurizers, output, calls);
    expect(largestDifference(rows, expected.rows)).toBeLessThan(1e-5);
    expect(truncated).toBe(expected.truncated);
    expect(truncated).toBeGreaterThan(0);
    expect(rows[0].some((value) => Math.abs(value) > 0.01)).toBe(true);
  });
});

it("gives the same rows after more words than are remembered", async () => {
  const path = await written("float32").catch(() => join(folder, "float32"));
  const model = await readModelFolder(path);
  const graph = await loadWordGraph(model, "full");
  if (!graph) throw new Error("the graph was not cut");
  const session = await createOrtSession(graph.bytes);
  const open = () => openFeaturizers(model, session.inputNames, graph);
  const many = Array.from({ length: 3000 }, (_, i) => {
    const letters = String(i).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]);
    return ["a", "b", "c", "d"].map((first) => first + letters).join(" ");
  });
  const [featurizer] = await open();
  const before = featurizer.read(many.slice(0, 1)).rows;
  // more words than the cache holds: it drops the first
  featurizer.read(many);
  const { rows } = await run(session, [featurizer], "embedding", [phrases]);
  expect(rows).toEqual((await run(session, await open(), "embedding", [phrases])).rows);
  const feeds: Feeds = {};
  featurizer.fill(before, Int32Array.of(0), 4, feeds);
  await expect(session.run(feeds, ["embedding"])).rejects.toThrow(/is missing/);
});

describe("tables", () => {
  const tableOf = (model: ReturnType<typeof readModel>): readonly WordTable[] =>
    takeOutTables(model)?.tables ?? [];

  it("are taken out of the graph, in memory that threads share", async () => {
    const path = await written("int8").catch(() => join(folder, "int8"));
    const model = readModel(join(path, "onnx/model.onnx"));
    const cut = takeOutTables(model);
    const left = [...(cut?.model.graph.initializers.keys() ?? [])].filter((name) =>
      /int8|_scale$/.test(name),
    );
    expect(left).toEqual([]);
    expect(
      tableOf(model)
        .map(({ gives }) => gives)
        .sort(),
    ).toEqual(["row", "row", "row", "sum"]);
    for (const { values } of tableOf(model)) expect(values.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it("stay as they are in a graph of another shape", () => {
    const g = new GraphBuilder();
    const table = g.weight("table", tensor("float32", [4, 2], [1, 2, 3, 4, 5, 6, 7, 8]));
    g.output("embedding", g.add("Gather", [table, g.input("word_ids", "int32", ["words"])]), "float32");
    expect(takeOutTables(g.model())).toBeUndefined();
  });
});

describe("PhraseEncoder", () => {
  it("gives a phrase the same vector in any batch", async () => {
    const path = await written("int8").catch(() => join(folder, "int8"));
    const { rows } = await whole(path, "embedding");
    const encoder = await PhraseEncoder.load(path, { threads: 2 });
    const many = Array.from({ length: 900 }, (_, i) => `${words[i]} ${words[(i * 7) % 3000]} york`);
    const vectors = await encoder.encode([...many, ...phrases], { normalize: false });
    expect(largestDifference(vectors.slice(many.length), rows)).toBeLessThan(1e-5);
    await encoder.dispose();
  });
});
