/** `index.json`: the layout of an index, which generation of its files is current, and how far each of them counts. */
import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as v from "valibot";
import { isDiskFull, messageOf, VectorIndexError } from "../../errors.js";
import { readJson } from "../../files/json.js";
import { acquireLock, type Lock } from "../../files/lock.js";
import { writeCheckedJson } from "../../files/whole-file.js";

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

/** Whether a folder is empty, or holds only what a writer killed before the first row leaves. */
export async function isUnbegun(path: string, names: readonly string[]): Promise<boolean> {
  const vectors = await stat(join(path, "generation-1", "vectors")).catch(() => undefined);
  return names.every((name) => /^(lock(\..*)?|generation-1)$/.test(name)) && !vectors?.size;
}

/** Makes the names in a folder survive a power cut, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** The error for a damaged file of a generation, with what helps. */
export function damaged(file: string, how: string): VectorIndexError {
  const index = dirname(dirname(file));
  const cure = /^hnsw-/.test(basename(file))
    ? `The rows are safe. Build the graph again: pearl index check ${index} --repair`
    : `Restore the index from a backup, or remove ${index} and build it again: pearl index build TABLE -o ${index}`;
  return new VectorIndexError(`${file} is damaged: ${how}. ${cure}`);
}

/** The error for a file of an index that is missing; other errors stay as they are. */
export function missingFile(index: string, error: unknown): unknown {
  const { code, path = index } = error as NodeJS.ErrnoException;
  return code === "ENOENT" ? damaged(path, "it is missing") : error;
}

/** Takes the lock of an index in a folder. @throws LockedError, VectorIndexError where the folder cannot be written */
export const lockIndex = (path: string): Promise<Lock> =>
  acquireLock(path).catch((error: unknown) => {
    throw error instanceof VectorIndexError ? error : writeTrouble(error, path);
  });

/** The error for a failed write, with its cure. Earlier acknowledged changes are safe. */
export function writeTrouble(error: unknown, place: string): VectorIndexError {
  const code = String((error as NodeJS.ErrnoException).code);
  const kept = "rows added before are safe, and a build continues with --resume.";
  const trouble = isDiskFull(error)
    ? `no space left on the disk. Free some; ${kept}`
    : ["EACCES", "EPERM", "EROFS"].includes(code)
      ? "no permission to write here. Change the permissions or choose another folder."
      : `cannot be written (${messageOf(error)}). Check that the disk has room; ${kept}`;
  return new VectorIndexError(`${place}: ${trouble}`, { cause: error });
}
