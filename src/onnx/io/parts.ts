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
export function readPart(file: number, offset: number, bytes: number): Uint8Array {
  const part = new Uint8Array(bytes);
  for (let done = 0; done < bytes; ) {
    const read = readSync(file, part, done, Math.min(gibibyte, bytes - done), offset + done);
    if (read === 0) throw new ModelError("the file became shorter while it was read");
    done += read;
  }
  return part;
}

export function writePart(file: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, Math.min(gibibyte, bytes.length - done), offset + done);
}
