/** Writes files that appear under their name only when they are complete. */
import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { checksum } from "./crc.js";
import { exists } from "./disk.js";
import { isObjectAddress } from "./object-storage/address.js";

export { exists };

/** True for an error of the operating system, such as a full disk; not for what a caller's own code throws. */
export const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

/**
 * Replaces a file by content in memory: written beside it, flushed to disk, renamed; or an object in object storage.
 * A missing folder is made.
 * @throws the system's error; the old file is then unchanged
 */
export async function writeWholeFile(path: string, content: string | NodeJS.ArrayBufferView): Promise<void> {
  if (isObjectAddress(path)) return replaceFile(path, (temporary) => writeFile(temporary, content));
  // Loaded late, since most programs only read.
  const { default: writeFileAtomic } = await import("write-file-atomic");
  await mkdir(dirname(path), { recursive: true });
  await writeFileAtomic(path, typeof content === "string" ? content : asBuffer(content));
}

const asBuffer = ({ buffer, byteOffset, byteLength }: NodeJS.ArrayBufferView): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Writes a value as indented JSON with {@link writeWholeFile}. */
export const writeWholeJson = (path: string, value: unknown): Promise<void> =>
  writeWholeFile(path, `${JSON.stringify(value, null, 2)}\n`);

/** Writes an object with its own checksum, the field `crc32`, which parseJson compares. */
export const writeCheckedJson = (path: string, value: object): Promise<void> =>
  writeWholeJson(path, { ...value, crc32: checksum(JSON.stringify(value)) });

/** A name beside `path` that no other process uses, for incomplete content. */
export const partialPath = (path: string): string => `${path}.${randomBytes(6).toString("hex")}.partial`;

/**
 * Replaces a file by what `write` puts into a temporary file beside it, flushed to disk before it is renamed.
 * A missing folder is made. An object in object storage (s3://...) is uploaded from a temporary folder.
 * @returns what `write` returns
 * @throws what `write` throws; the old file is then unchanged and the temporary one removed
 */
export async function replaceFile<Result>(
  path: string,
  write: (temporary: string) => Promise<Result>,
): Promise<Result> {
  if (isObjectAddress(path)) {
    const { throughUpload } = await import("./object-storage/write.js");
    return throughUpload(path, write);
  }
  const temporary = partialPath(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    const result = await write(temporary);
    await flush(temporary);
    await rename(temporary, path);
    return result;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}

/** Writes all bytes at a position, in as many calls as that takes. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset, position + offset);
    offset += bytesWritten;
  }
}
