/** Folders in object storage: copied once into pearl's cache, and uploaded so that no reader takes half of one. */
import { randomUUID } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ArgumentError, messageOf, ObjectStorageError } from "../../errors.js";
import { fingerprint } from "../checksums/fingerprint.js";
import { exists, filesIn } from "../disk.js";
import { cachePath } from "../package.js";
import { isSystemError } from "../whole-file.js";
import { notS3, objectName, request, transferSignal } from "./client.js";
import { fetchObject, type ObjectState } from "./read.js";
import { inTemporaryFolder, writeTemporary } from "./temporary-folder.js";
import { createObject, removeObject, uploadFile } from "./write.js";

/** An object of a folder. */
interface Entry extends ObjectState {
  /** Within the folder, with slashes. */
  readonly name: string;
}

/** Marks a folder that is being uploaded. */
export const uploadMark = ".pearl-upload";

/** Called with the bytes of a file that have been copied, and all of them. */
type OnBytes = (progress: { readonly file: string; readonly done: number; readonly total: number }) => void;

/** The objects below an address; none where there is no such folder. @throws ObjectStorageError */
export const listObjects = (address: string): Promise<Entry[]> =>
  request(address, transferSignal(), async (client, { Bucket, Key }, { paginateListObjectsV2 }) => {
    const entries: Entry[] = [];
    const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: `${Key}/` });
    for await (const { Name, Contents = [] } of pages) {
      if (Name === undefined) throw notS3();
      for (const { Key: key = "", Size: size = 0, ETag: etag = "" } of Contents)
        if (!key.endsWith("/")) entries.push({ name: key.slice(Key.length + 1), size, etag });
    }
    return entries;
  });

/**
 * The path of a copy of a folder as it is now. Copies are kept by names, sizes and ETags of the objects; old ones may be deleted.
 * @param entries of {@link listObjects}
 * @throws ObjectStorageError where there is no such folder, or it is being uploaded
 */
export async function fetchFolder(
  address: string,
  onBytes?: OnBytes,
  entries?: readonly Entry[],
): Promise<string> {
  const found = entries ?? (await listObjects(address));
  if (found.length === 0)
    throw new ObjectStorageError(
      `${address}: there is no such folder. Check the bucket and the beginning of the keys.`,
    );
  if (found.some(({ name }) => name === uploadMark)) throw unfinished(address);
  const odd = found.find(({ name }) => name.split(/[/\\]/).some((part) => /^\.{0,2}$/.test(part)));
  if (odd !== undefined)
    throw new ObjectStorageError(`${address}: ${odd.name} is no name of a file. Rename the object.`);
  const folder = join(cachePath("objects"), fingerprint(JSON.stringify(found)), objectName(address));
  if (await exists(folder)) return folder;
  const temporary = `${folder}.${randomUUID()}.partial`;
  try {
    for (const { name, size: total, etag } of found) {
      const file = join(temporary, name);
      await mkdir(dirname(file), { recursive: true });
      await fetchObject(`${address.replace(/\/+$/, "")}/${name}`, file, {
        etag: total > 0 ? etag : undefined,
        onBytes: (done) => onBytes?.({ file: name, done, total }),
      });
    }
    await rename(temporary, folder);
  } catch (error) {
    // Another process may have been quicker.
    if (await exists(folder)) return folder;
    if (!isSystemError(error)) throw error;
    throw new ObjectStorageError(
      `${address}: no copy can be kept in ${folder} (${messageOf(error)}). Make room, or set XDG_CACHE_HOME to a folder that can be written.`,
      { cause: error },
    );
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
  return folder;
}

/** Refuses a folder with objects, before any work. @throws ArgumentError, ObjectStorageError */
export async function checkIsFreeFolder(address: string): Promise<void> {
  const entries = await listObjects(address);
  if (entries.some(({ name }) => name === uploadMark)) throw unfinished(address);
  if (entries.length > 0)
    throw new ArgumentError(`${address} has objects: remove them, or name another folder for the output.`);
}

const unfinished = (address: string): ObjectStorageError =>
  new ObjectStorageError(
    `${address}: another run is uploading this folder, or was killed while it did. Wait until it has finished; after a kill, remove the folder.`,
  );

/**
 * Lets `fill` make a folder, and uploads it.
 * @returns what `fill` returns
 * @throws ArgumentError where there are objects already; ObjectStorageError; what `fill` throws
 */
export async function uploadWholeFolder<Result>(
  address: string,
  fill: (temporary: string) => Promise<Result>,
): Promise<Result> {
  await checkIsFreeFolder(address);
  return inTemporaryFolder(async (temporary) => {
    const folder = join(temporary, objectName(address));
    await mkdir(folder);
    const result = await writeTemporary(() => fill(folder));
    await uploadFolder(folder, address.replace(/\/+$/, ""));
    return result;
  });
}

async function uploadFolder(folder: string, address: string): Promise<void> {
  // Only one of two runs can make the mark; then nobody else writes here.
  if (!(await createObject(`${address}/${uploadMark}`))) throw unfinished(address);
  const uploaded: string[] = [];
  try {
    if ((await listObjects(address)).length > 1) throw unfinished(address);
    for (const name of await filesIn(folder)) {
      const target = `${address}/${name}`;
      uploaded.push(target);
      await uploadFile(join(folder, name), target);
    }
  } catch (error) {
    for (const target of uploaded) await removeObject(target).catch(() => {});
    await removeObject(`${address}/${uploadMark}`).catch(() => {});
    throw error;
  }
  await removeObject(`${address}/${uploadMark}`);
}
