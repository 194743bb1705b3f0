/** The folder of an index: its lock, and troubles with its files, each with a cure. */
import { open, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isDiskFull, messageOf, VectorIndexError } from "../../errors.js";
import { acquireLock, type Lock } from "../../files/lock.js";

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
