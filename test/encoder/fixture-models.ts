/** Folders with safetensors weights to import: copies of the fixtures with PyTorch's results. */
import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newFolder } from "../setup/new-folder.js";
import { oracleFolder } from "./oracle-model.js";

/** What test/oracles/encoders.py computed in float64, and families.py in float32. */
export interface Expected {
  readonly phrases: string[];
  readonly ids: number[][];
  /** Mean-pooled vectors, not scaled. */
  readonly pooled: number[][];
  readonly first_row_states: number[][];
}

/** What only families.py computes. */
export interface FamilyExpected extends Expected {
  /** Length of each parameter's gradient, for the loss that families.py names. */
  readonly norms: Readonly<Record<string, number>>;
}

/** Of the whole folder of sentence-transformers. */
export interface SentenceExpected extends FamilyExpected {
  readonly poolings: Readonly<Record<string, number[][]>>;
  readonly dense: number[][];
  readonly query: number[][];
}

/** The encoders of families.py. */
export type FamilyName = "mpnet" | "modernbert" | "distilbert";

const fixtures = fileURLToPath(new URL("./fixtures/", import.meta.url));

/** A copy of a fixture that a test may damage. */
export function fixtureModel(name: "distilbert"): { folder: string; expected: SentenceExpected };
export function fixtureModel(name: FamilyName): { folder: string; expected: FamilyExpected };
export function fixtureModel(name: FamilyName | "roberta" | "bert"): { folder: string; expected: Expected };
export function fixtureModel(name: FamilyName | "roberta" | "bert") {
  const folder = join(newFolder(), name);
  cpSync(join(fixtures, name), folder, { recursive: true });
  return { folder, expected: readJsonFile(join(folder, "expected.json")) as Expected };
}

/** The oracle's weights as a repository without prefix; phrases are words t1 … t499. */
export function oracleCheckpoint(): string {
  const folder = newFolder();
  const { config } = readJsonFile(join(oracleFolder, "golden.json")) as { config: object };
  writeFileSync(join(folder, "config.json"), JSON.stringify({ model_type: "bert", ...config }));
  copyFileSync(join(oracleFolder, "weights.safetensors"), join(folder, "model.safetensors"));
  const special: Record<number, string> = { 0: "[PAD]", 100: "[UNK]", 101: "[CLS]", 102: "[SEP]" };
  const words = Array.from({ length: 500 }, (_, id) => special[id] ?? `t${id}`);
  writeFileSync(join(folder, "vocab.txt"), `${words.join("\n")}\n`);
  return folder;
}

export const readJsonFile = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

/** Changes keys of a JSON file. */
export function editJson(path: string, changes: object): void {
  writeFileSync(path, JSON.stringify({ ...(readJsonFile(path) as object), ...changes }));
}

/** The largest difference from the expected vectors. */
export function largestError(vectors: readonly ArrayLike<number>[], expected: readonly number[][]): number {
  if (vectors.length !== expected.length) return Number.POSITIVE_INFINITY;
  return Math.max(
    ...expected.map((row, i) =>
      vectors[i].length === row.length
        ? Math.max(...row.map((value, j) => Math.abs(value - vectors[i][j])))
        : Number.POSITIVE_INFINITY,
    ),
  );
}
