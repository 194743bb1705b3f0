/** `index.json`: the layout of an index and which generation of its files is current. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { VectorIndexError } from "../../errors.js";
import { readJson } from "../../files/json.js";
import { writeCheckedJson } from "../../files/whole-file.js";
import { syncFolder } from "./disk.js";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const layoutFields = {
  dimension: v.pipe(v.number(), v.integer(), v.minValue(1)),
  metric: v.picklist(["cosine", "inner-product"]),
  backend: v.picklist(["auto", "exact", "hnsw", "postgres"]),
  precision: v.picklist(["float32", "float16"]),
  columns: v.array(v.string()),
  types: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  phraseColumn: v.optional(v.string()),
  keyColumn: v.optional(v.string()),
  model: v.optional(
    v.object({ fingerprint: v.string(), name: v.optional(v.string()), prompt: v.optional(v.string()) }),
  ),
  unfinished: v.optional(v.object({ source: v.string(), rows: count })),
};

/** The layout of an index, with the build that has not ended. */
export const layoutSchema = v.object(layoutFields);

const manifestSchema = v.object({
  format: v.literal("pearl-index"),
  version: v.literal(1, "written by a newer pearl"),
  ...layoutFields,
  /** The number of the folder that holds the files. */
  generation: count,
  /** Rows when this was written; the journal is authoritative. */
  rows: count,
  /** Length and checksum of the journal when this was written. */
  journal: v.pipe(v.tuple([count, v.string()]), v.readonly()),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;

const manifestName = "index.json";

export const layoutTrouble = {
  error: VectorIndexError,
  cure: "Restore the index from a backup, or remove it and build it again.",
};

export function generationFolder(path: string, generation: number): string {
  return join(path, `generation-${generation}`);
}

export const isGenerationName = (name: string): boolean => /^generation-\d+$/.test(name);

/**
 * Reads index.json; undefined where there is none.
 * @throws VectorIndexError where it is not as it should be, or is missing beside a generation
 */
export async function findManifest(path: string): Promise<Manifest | undefined> {
  const manifest = await readJson(join(path, manifestName), manifestSchema, layoutTrouble);
  const names = manifest === undefined ? await readdir(path).catch(() => [] as string[]) : [];
  if (!names.some(isGenerationName)) return manifest;
  throw new VectorIndexError(
    `${path} is not an index: index.json is missing beside its rows. Restore it from a backup, or remove the folder and ` +
      `build the index again: pearl index build FILE -o ${path}`,
  );
}

/** Replaces index.json as a whole. */
export async function writeManifest(path: string, manifest: Manifest): Promise<void> {
  await writeCheckedJson(join(path, manifestName), manifest);
  await syncFolder(path);
}
