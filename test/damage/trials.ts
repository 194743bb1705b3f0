/** The folders to damage: indexes with and without a graph, and models of three architectures. */
import { cpSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import { importModel } from "../../src/hub/convert/import-model.js";
import { createRandom } from "../../src/random.js";
import { VectorIndex } from "../../src/search/vector-index.js";
import { fixtureModel } from "../encoder/fixture-models.js";
import type { Case, Trial } from "./damages.js";

type Folders = Pick<Trial, "copy" | "other" | "program" | "remembers">;

const dimension = 96;

const searchProgram = `
  const { VectorIndex } = await import("./dist/search/vector-index.js");
  const index = await VectorIndex.open(folder);
  try {
    const queries = Float32Array.from({ length: 30 * ${dimension} }, (_, i) => Math.sin(i * 7.7) * (i % ${dimension} < 32 ? 1 : 0.1));
    const hits = await index.search(queries, { k: 5 });
    const entries = [];
    for await (const entry of index.entries()) entries.push(entry);
    const { model, columns, metric, rows } = await index.describe();
    return JSON.stringify([hits, entries, model, columns, metric, rows]);
  } finally {
    await index.close();
  }`;

/** An index with several commits, deleted rows and, for "hnsw", a graph along axes. */
async function makeIndex(path: string, backend: "hnsw" | "exact", seed: number): Promise<void> {
  const random = createRandom(seed);
  const rowsOf = (count: number) => ({
    vectors: Float32Array.from(
      { length: count * dimension },
      (_, place) => (random() - 0.5) * (place % dimension < 32 ? 1 : 0.15),
    ),
    cells: Array.from({ length: count }, (_, row) => [`name ${row} of ${seed}`]),
  });
  const model = { fingerprint: "0123456789abcdef", name: "some model", prompt: "query: " };
  const options = { dimension, backend, columns: ["name"], model };
  const index = await VectorIndex.build(path, [rowsOf(2000), rowsOf(1000)], options);
  await index.delete({ keys: ["5", "17"] });
  await index.add(rowsOf(50));
  await index.close();
}

export async function indexFolders(root: string, backend: "hnsw" | "exact"): Promise<Folders> {
  const [pristine, other] = [join(root, `${backend}-index`), join(root, `${backend}-other`)];
  await makeIndex(pristine, backend, 1);
  await makeIndex(other, backend, 2);
  return {
    copy: (target) => cpSync(pristine, target, { recursive: true }),
    other,
    program: searchProgram,
    remembers: true,
  };
}

const encodeProgram = `
  const { PhraseEncoder } = await import("./dist/encoder/phrase-encoder.js");
  const encoder = await PhraseEncoder.load(folder, { threads: 1 });
  try {
    const phrases = Array.from({ length: 200 }, (_, i) => "t" + (i * 7 + 1) % 499 + " the new york times Zürich " + i);
    const vectors = await encoder.encodeMatrix(phrases);
    return Buffer.from(vectors.data.buffer);
  } finally {
    await encoder.dispose();
  }`;

/** Links to a folder's files: only the damaged one takes space. */
function linkFiles(source: string, target: string): void {
  for (const name of readdirSync(source, { recursive: true }) as string[]) {
    if (!statSync(join(source, name)).isFile()) continue;
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(resolve(source, name), join(target, name));
  }
}

export function embeddedModel(name: string, other: string): Folders {
  const [folder, replacement] = [join("models", name), join("models", other)];
  return {
    copy: (target) => linkFiles(folder, target),
    other: replacement,
    program: encodeProgram,
    remembers: false,
  };
}

/** Transformers as `pearl import` writes them. */
export async function importedModel(root: string): Promise<Folders> {
  const [folder, other] = [join(root, "bert"), join(root, "roberta")];
  await importModel(fixtureModel("bert").folder, folder);
  await importModel(fixtureModel("roberta").folder, other);
  return { copy: (target) => linkFiles(folder, target), other, program: encodeProgram, remembers: false };
}

/** Every case kept its answers, or ended in one line with a cure, which names a damaged file of the model or index. */
export function expectClearErrors(cases: readonly Case[]): void {
  const bad = cases.filter(({ outcome }) => !["same answers", "error with cure"].includes(outcome));
  expect(bad).toEqual([]);
  const errors = cases.filter(({ outcome }) => outcome === "error with cure");
  expect(errors.length).toBeGreaterThan(0);
  for (const { kind, file, error = "" } of errors) {
    expect(error.split("\n"), `${kind} ${file}`).toHaveLength(1);
    expect(error).toMatch(/pearl index (build|check)|Restore|Install|Remove/);
    // A part swapped for another index's is told by what it does not fit.
    if (kind !== "swapped") expect(error, kind).toContain(file);
  }
}
