/** Frees disk space: copies the rows that are not deleted into a new generation, removes what killed writers left. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FileSum } from "../../files/checksums/checksum.js";
import type { IndexWork } from "../index-types.js";
import { gatherRows } from "../vectors.js";
import { syncFolder } from "./disk.js";
import { Generation } from "./generation.js";
import { isGenerationName } from "./manifest.js";

/** Writes the new generation's files, closed and safe on disk. @returns its journal's sum; an error leaves the old one untouched */
export async function copyLiveRows(
  old: Generation,
  folder: string,
  { signal, onProgress }: IndexWork,
): Promise<FileSum> {
  const { dimension, extent } = old;
  await rm(folder, { recursive: true, force: true });
  const fresh = await Generation.create(folder, old, extent.next);
  try {
    for await (const entries of old.entries()) {
      signal?.throwIfAborted();
      if (entries.length === 0) continue;
      const first = entries[0].row;
      const block = await old.readVectors(first, entries[entries.length - 1].row + 1 - first);
      const places = entries.map(({ row }) => row - first);
      await fresh.append(entries, gatherRows(block, places, dimension), extent.next);
      onProgress?.(fresh.extent.rows, extent.rows - old.deleted.size);
    }
    await syncFolder(folder);
    return fresh.journal;
  } finally {
    await fresh.close();
  }
}

/** Windows keeps files that another process reads: they stay for the next writer to remove. */
export const removeOld = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true }).catch(() => {});

/** Removes what an interrupted writer has left: generations other than the current folder, and unfinished files. */
export async function removeLeftovers(path: string, current: string): Promise<void> {
  const unfinished = /\.(partial|\d+)$/;
  for (const folder of [path, current]) {
    for (const name of await readdir(folder)) {
      const isOld = isGenerationName(name) && join(folder, name) !== current;
      if (isOld || unfinished.test(name)) await removeOld(join(folder, name));
    }
  }
}
