/** Files in parts: pieces stay below the 2 GiB that one system call can move. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { ModelError } from "../../errors.js";

const gibibyte = 2 ** 30;

/** Opens a file for `use` and closes it; a written file is synced. */
export function withFile<Result>(path: string, flags: "r" | "w", use: (file: number) => Result): Result {
  const file = openSync(path, flags);
  try {
    const result = use(file);
    if (flags === "w") fsyncSync(file);
    return result;
  } finally {
    closeSync(file);
  }
}

/** @throws ModelError if the file ends before `offset + bytes` */
export const readPart = (file: number, offset: number, bytes: number): Uint8Array =>
  readInto(new Uint8Array(bytes), file, offset);

/** Fills a part of memory from a file. @throws ModelError if the file ends before */
export function readInto(part: Uint8Array, file: number, offset = 0): Uint8Array {
  for (let done = 0; done < part.length; ) {
    const read = readSync(file, part, done, Math.min(gibibyte, part.length - done), offset + done);
    if (read === 0) throw new ModelError("the file became shorter while it was read");
    done += read;
  }
  return part;
}

export function writePart(file: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, Math.min(gibibyte, bytes.length - done), offset + done);
}
