/** The open files of a generation: changes reach the disk, and a failed one gives its cure. */
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isDiskFull, messageOf, VectorIndexError } from "../../errors.js";
import { acquireLock, type Lock } from "../../files/lock.js";
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

/** Whether a folder is empty, or holds only what a writer killed before the first row leaves. */
export async function isUnbegun(path: string, names: readonly string[]): Promise<boolean> {
  const vectors = await stat(join(path, "generation-1", "vectors")).catch(() => undefined);
  return names.every((name) => /^(lock(\..*)?|generation-1)$/.test(name)) && !vectors?.size;
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

/** The error for a damaged file of a generation. @param cure what helps; default a backup or a new build in its place */
export function damaged(file: string, how: string, cure?: "rebuild the graph"): VectorIndexError {
  const index = dirname(dirname(file));
  const advice =
    cure === undefined
      ? `Restore the index from a backup, or remove ${index} and build it again: pearl index build TABLE -o ${index}`
      : `The rows are safe. Build the graph again: pearl index check ${index} --repair`;
  return new VectorIndexError(`${file} is damaged: ${how}. ${advice}`);
}

/** The error for a file of an index that is missing; other errors stay as they are. */
export function missingFile(index: string, error: unknown): unknown {
  const { code, path = index } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT") return error;
  return damaged(path, "it is missing", /^hnsw-/.test(basename(path)) ? "rebuild the graph" : undefined);
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
