/** The open files of a generation: changes reach the disk, and a failed one gives its cure. */
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, VectorIndexError } from "../../errors.js";
import { writeAll } from "../../files/whole-file.js";

const fileNames = ["vectors", "cells", "places", "journal"] as const;
export type Files = Readonly<Record<(typeof fileNames)[number], FileHandle>>;

export async function openFiles(folder: string, flags: "r" | "r+" | "w+"): Promise<Files> {
  const opened: [string, FileHandle][] = [];
  try {
    for (const name of fileNames) opened.push([name, await open(join(folder, name), flags)]);
  } catch (error) {
    await closeAll(Object.fromEntries(opened));
    throw error;
  }
  return Object.fromEntries(opened) as Files;
}

export async function closeAll(files: Readonly<Record<string, FileHandle>>): Promise<void> {
  await Promise.all(Object.values(files).map((file) => file.close()));
}

/** Writes bytes at a position. When it returns they are on disk. */
export async function writeSafely(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  await writeAll(file, bytes, position);
  await file.datasync();
}

/** Makes the names in a folder survive a power cut, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

/** The error for a failed write, with its cure. Earlier acknowledged changes are safe. */
export function writeTrouble(error: unknown, place: string): VectorIndexError {
  const code = String((error as NodeJS.ErrnoException).code);
  const trouble = ["ENOSPC", "EDQUOT", "EFBIG"].includes(code)
    ? "no space left on the disk. The rows added before are safe. Free some space and add the rest."
    : ["EACCES", "EPERM", "EROFS"].includes(code)
      ? "no permission to write here. Change the permissions or choose another folder."
      : `cannot be written (${messageOf(error)}).`;
  return new VectorIndexError(`${place}: ${trouble}`, { cause: error });
}
