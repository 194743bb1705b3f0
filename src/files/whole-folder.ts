/** Folders: written whole, copied from. */
import { copyFile, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ArgumentError, ModelError, messageOf } from "../errors.js";
import { isObjectAddress, refuseUnknownAddress } from "./place.js";
import { exists, isSystemError, makeFolder, partialPath } from "./whole-file.js";

/** Refuses a path that exists, before any work; an empty folder is accepted. @throws ArgumentError, ObjectStorageError */
export async function checkIsFree(target: string): Promise<void> {
  refuseUnknownAddress(target);
  if (isObjectAddress(target)) {
    const { checkIsFreeFolder } = await import("./object-storage/folder.js");
    return checkIsFreeFolder(target);
  }
  const inside = await readdir(target).catch(async ({ code }: NodeJS.ErrnoException) => {
    if (code === "ENOENT") return [];
    if (code !== "ENOTDIR") return ["something"];
    const file = (await exists(target)) ? target : dirname(target);
    throw new ArgumentError(`${file} is a file: name a new folder for the output.`);
  });
  if (inside.length > 0)
    throw new ArgumentError(`${target} is not empty: remove it, or name another folder for the output.`);
}

/**
 * Lets `fill` write into a temporary folder beside `target`, which then gets the target's name. Of a folder in object storage
 * (s3://...) it is uploaded.
 * @returns what `fill` returns
 * @throws ArgumentError where `target` exists and is not empty; ModelError where it cannot be written
 */
export async function writeWholeFolder<Result>(
  target: string,
  fill: (temporary: string) => Promise<Result>,
): Promise<Result> {
  if (isObjectAddress(target)) {
    const { uploadWholeFolder } = await import("./object-storage/folder.js");
    return uploadWholeFolder(target, fill);
  }
  await checkIsFree(target);
  const path = resolve(target);
  const temporary = partialPath(path);
  try {
    await makeFolder(temporary);
    const result = await fill(temporary);
    await makeFolder(dirname(path));
    await rmdir(path).catch(() => {}); // an empty folder: not every system renames over it
    await rename(temporary, path);
    return result;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new ModelError(`${target} cannot be written: ${messageOf(error)}`, { cause: error });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export async function copyPresent(names: Iterable<string>, source: string, target: string): Promise<void> {
  for (const name of names) {
    if (!(await exists(join(source, name)))) continue;
    await makeFolder(dirname(join(target, name)));
    await copyFile(join(source, name), join(target, name));
  }
}

/** Removes the temporary folders of {@link writeWholeFolder} that killed processes left beside `target`. */
export async function removePartialFolders(target: string): Promise<void> {
  const path = resolve(target);
  const name = basename(path);
  for (const entry of await readdir(dirname(path)).catch(() => []))
    if (entry.startsWith(`${name}.`) && /^\.[0-9a-f]{12}\.partial$/.test(entry.slice(name.length)))
      await rm(join(dirname(path), entry), { recursive: true, force: true });
}
