/** Gives back disk space: copies the rows that are not deleted into a new generation, removes leftovers of writers. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { InterruptedError } from "../../errors.js";
import type { IndexWork } from "../index-types.js";
import { Generation } from "./generation.js";
import { isGenerationName, syncFolder } from "./manifest.js";

const rowsPerCopy = 4096;

/** Writes the new generation's files, closed and safe on disk. @throws InterruptedError; the old one is untouched */
export async function copyLiveRows(
  old: Generation,
  folder: string,
  { signal, onProgress }: IndexWork,
): Promise<void> {
  const { dimension, precision, extent } = old;
  await rm(folder, { recursive: true, force: true });
  const fresh = await Generation.create(folder, dimension, precision, extent.next);
  try {
    for await (const batch of batchesOf(old.entries(), rowsPerCopy)) {
      if (signal?.aborted)
        throw new InterruptedError("stopped; the index is unchanged", { cause: signal.reason });
      const first = batch[0].row;
      const block = await old.readVectors(first, batch[batch.length - 1].row + 1 - first);
      const vectors = new Float32Array(batch.length * dimension);
      batch.forEach(({ row }, index) => {
        const start = (row - first) * dimension;
        vectors.set(block.subarray(start, start + dimension), index * dimension);
      });
      const entries = batch.map(({ entry }) => entry);
      await fresh.append(entries, vectors, extent.next);
      onProgress?.(fresh.extent.rows, extent.rows - old.deleted.size);
    }
    await syncFolder(folder);
  } finally {
    await fresh.close();
  }
}

async function* batchesOf<Item>(items: AsyncIterable<Item>, size: number): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Removes what an interrupted writer has left: generations other than the current folder, and unfinished files. */
export async function removeLeftovers(path: string, current: string): Promise<void> {
  const unfinished = /\.(partial|\d+)$/;
  for (const folder of [path, current]) {
    for (const name of await readdir(folder)) {
      const isOld = isGenerationName(name) && join(folder, name) !== current;
      if (isOld || unfinished.test(name)) await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
