/** `index.json`: the layout of an index and which generation of its files is current. */
import { join } from "node:path";
import {
  array,
  type InferOutput,
  integer,
  literal,
  minValue,
  number,
  object,
  optional,
  picklist,
  pipe,
  string,
} from "valibot";
import { VectorIndexError } from "../../errors.js";
import { readJson } from "../../files/json.js";
import { writeWholeJson } from "../../files/whole-file.js";
import { syncFolder } from "./disk.js";

const count = pipe(number(), integer(), minValue(0));

/** What fixes an index, as files hold it. */
const layoutFields = {
  dimension: pipe(number(), integer(), minValue(1)),
  metric: picklist(["cosine", "inner-product"]),
  backend: picklist(["auto", "exact", "hnsw", "faiss", "lancedb"]),
  precision: picklist(["float32", "float16"]),
  columns: array(string()),
  phraseColumn: optional(string()),
  keyColumn: optional(string()),
  model: optional(object({ fingerprint: string(), name: optional(string()), prompt: optional(string()) })),
  unfinished: optional(object({ source: string(), rows: count })),
};

/** The layout of an index, with the build that has not ended. */
export const layoutSchema = object(layoutFields);

const manifestSchema = object({
  format: literal("pearl-index"),
  version: literal(1, "written by a newer pearl"),
  ...layoutFields,
  /** The number of the folder that holds the files. */
  generation: count,
  /** Rows when this was written; the journal is authoritative. */
  rows: count,
});

/** The content of index.json. */
export type Manifest = InferOutput<typeof manifestSchema>;

const manifestName = "index.json";

/** How messages about a file that holds a layout end, and their class. */
export const layoutTrouble = { error: VectorIndexError, cure: "Build the index again." };

/** Folder of a generation's files. */
export function generationFolder(path: string, generation: number): string {
  return join(path, `generation-${generation}`);
}

/** True for the name of a generation's folder. */
export const isGenerationName = (name: string): boolean => /^generation-\d+$/.test(name);

/** Reads index.json; undefined where there is none. @throws VectorIndexError where it is not as it should be */
export const findManifest = (path: string): Promise<Manifest | undefined> =>
  readJson(join(path, manifestName), manifestSchema, layoutTrouble);

/** Replaces index.json: at every moment the old or the new one is there, whole. */
export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  await writeWholeJson(join(path, manifestName), manifest);
  await syncFolder(path);
}
