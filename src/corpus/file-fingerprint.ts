/** What tells one file from another. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { messageOf, TableError } from "../errors.js";

/** SHA-256 of a file, first 16 hexadecimal digits. @throws TableError where it cannot be read */
export async function fileFingerprint(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    throw new TableError(`${path}: ${isAbsent ? "no such file" : `cannot be read (${messageOf(error)})`}`, {
      cause: error,
    });
  }
  return hash.digest("hex").slice(0, 16);
}
