/** `index.json`: the layout of an index and which generation of its files is current. It is replaced, never changed in place. */
import { open, readFile } from "node:fs/promises";
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
import { messageOf, VectorIndexError } from "../../errors.js";
import { parseJson } from "../../files/json.js";
import { writeWholeJson } from "../../files/whole-file.js";

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
export async function findManifest(path: string): Promise<Manifest | undefined> {
  const file = join(path, manifestName);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new VectorIndexError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  return text === undefined ? undefined : parseJson(text, file, manifestSchema, layoutTrouble);
}

/** Replaces index.json: at every moment the old or the new one is there, whole. */
export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  await writeWholeJson(join(path, manifestName), manifest);
  await syncFolder(path);
}

/** Makes the names in a folder survive a power cut, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}
