/** `index.json`: the layout of an index, which generation of its files is current, and how far each of them counts. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { VectorIndexError } from "../../errors.js";
import { readJson } from "../../files/json.js";
import { writeCheckedJson } from "../../files/whole-file.js";
import { syncFolder } from "./disk.js";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The files of rows in a generation. */
export const rowFiles = ["vectors", "cells", "places", "deleted"] as const;

const fileSum = v.pipe(v.tuple([count, v.string()]), v.readonly());

const manifestSchema = v.object({
  format: v.literal("pearl-index"),
  version: v.literal(1, "written by a newer pearl"),
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
  /** The number of the folder that holds the files. */
  generation: count,
  /** The number of the next row without a key of its own. */
  next: count,
  /** Length and checksum of the files of rows and of the graph. */
  files: v.objectWithRest(v.entriesFromList(rowFiles, fileSum), fileSum),
});

export type Manifest = v.InferOutput<typeof manifestSchema>;

const manifestName = "index.json";

const layoutTrouble = {
  error: VectorIndexError,
  cure: "Restore the index from a backup, or remove it and build it again.",
};

export const generationFolder = (path: string, { generation }: Pick<Manifest, "generation">): string =>
  join(path, `generation-${generation}`);

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
