/** Parts of open files, in pieces below the 2 GiB that one system call can move. */
import { readSync, writeSync } from "node:fs";
import { ModelError } from "../../errors.js";

const gibibyte = 2 ** 30;

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

/** Writes all bytes from `offset` on. */
export function writePart(file: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, Math.min(gibibyte, bytes.length - done), offset + done);
}
