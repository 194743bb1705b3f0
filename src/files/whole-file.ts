/** Writes files that appear under their name only when they are complete. */
import { randomBytes } from "node:crypto";
import { constants, createReadStream, type Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { copyFile, mkdir, open, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { checksum } from "./checksums/crc.js";
import { exists } from "./disk.js";
import { inTemporaryFolder, writeTemporary } from "./object-storage/temporary-folder.js";
import { isObjectAddress, refuseUnknownAddress } from "./place.js";

export { exists };

/** True for an error of the operating system, such as a full disk; not for what a caller's own code throws. */
export const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

/**
 * Replaces a file by content in memory: written beside it, flushed to disk, renamed; or an object in object storage.
 * A missing folder is made.
 * @throws the system's error; the old file is then unchanged
 */
export async function writeWholeFile(path: string, content: string | NodeJS.ArrayBufferView): Promise<void> {
  refuseUnknownAddress(path);
  if (isObjectAddress(path) || (await isDevice(path)))
    return replaceFile(path, (temporary) => writeFile(temporary, content));
  // Loaded late, since most programs only read.
  const { default: writeFileAtomic } = await import("write-file-atomic");
  await makeFolder(dirname(path));
  if (typeof content === "string") return writeFileAtomic(path, content);
  await writeFileAtomic(path, Buffer.from(content.buffer, content.byteOffset, content.byteLength));
}

/** Writes a value as indented JSON with {@link writeWholeFile}. */
export const writeWholeJson = (path: string, value: unknown): Promise<void> =>
  writeWholeFile(path, `${JSON.stringify(value, null, 2)}\n`);

/** Writes an object with its own checksum, the field `crc32`, which parseJson compares. */
export const writeCheckedJson = (path: string, value: object): Promise<void> =>
  writeWholeJson(path, { ...value, crc32: checksum(JSON.stringify(value)) });

/** A name beside `path` that no other process uses, for incomplete content. */
export const partialPath = (path: string): string => `${path}.${randomBytes(6).toString("hex")}.partial`;

const found = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);

/**
 * Makes a folder, and those above it that are missing. The `recursive` of Node's mkdir never ends in a folder that answers
 * ENOENT to each new name, such as /proc.
 * @throws the system's error
 */
export async function makeFolder(path: string): Promise<void> {
  const exists = async (): Promise<boolean> => (await found(path))?.isDirectory() === true;
  if (await exists()) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  // Another process may have made it since.
  await mkdir(path).catch(async (error: unknown) => {
    if (!(await exists())) throw error;
  });
}

/** Whether a name is that of a device, a pipe or a socket, such as /dev/null: its content goes in, and it stays. */
export async function isDevice(path: string): Promise<boolean> {
  const entry = await found(path);
  return entry !== undefined && !entry.isFile() && !entry.isDirectory();
}

/**
 * Replaces a file by what `write` puts into a temporary file beside it, flushed to disk before it is renamed. The new file
 * takes over the old one's mode and, where the system allows it, its owner; a link stays, and the file it names is replaced.
 * A missing folder is made. What goes to a device or pipe, or to an object in object storage (s3://...), is first written
 * into a temporary folder.
 * @returns what `write` returns
 * @throws what `write` throws; the old file is then unchanged and the temporary one removed
 */
export async function replaceFile<Result>(
  path: string,
  write: (temporary: string) => Promise<Result>,
): Promise<Result> {
  refuseUnknownAddress(path);
  if (isObjectAddress(path)) {
    const { throughUpload } = await import("./object-storage/write.js");
    return throughUpload(path, write);
  }
  if (await isDevice(path))
    return inTemporaryFolder(async (folder) => {
      const temporary = join(folder, basename(path));
      const result = await writeTemporary(() => write(temporary));
      await moveFile(temporary, path);
      return result;
    });
  const target = await realpath(path).catch(() => path);
  const temporary = partialPath(target);
  try {
    await makeFolder(dirname(target));
    const result = await write(temporary);
    await flush(temporary, await found(target));
    await rename(temporary, target);
    return result;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Gives a finished file the name `path`, with the rules of {@link replaceFile}. @throws the system's error */
export async function moveFile(finished: string, path: string): Promise<void> {
  if (await isDevice(path)) {
    // Without O_CREAT: where the device has just gone, no file takes its place.
    const device = await open(path, constants.O_WRONLY);
    return pipeline(createReadStream(finished), device.createWriteStream());
  }
  const target = await realpath(path).catch(() => path);
  await flush(finished, await found(target));
  await rename(finished, target).catch(async (error: NodeJS.ErrnoException) => {
    // The link leads to another disk.
    if (error.code !== "EXDEV") throw error;
    await replaceFile(path, (temporary) => copyFile(finished, temporary));
  });
}

/** @param replaced the file whose owner and mode this one takes over */
async function flush(path: string, replaced: Stats | undefined): Promise<void> {
  const file = await open(path, "r+");
  try {
    if (replaced !== undefined) {
      // Not every user may, and not every file system can.
      await file.chown(replaced.uid, replaced.gid).catch(() => {});
      await file.chmod(replaced.mode & 0o777).catch(() => {});
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Bytes of a write: Node.js refuses 2 GB. */
const mostAtOnce = 2 ** 30;

/** Writes all bytes at a position, in as many calls as that takes. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const length = Math.min(bytes.length - offset, mostAtOnce);
    const { bytesWritten } = await file.write(bytes, offset, length, position + offset);
    offset += bytesWritten;
  }
}
