/** Fingerprints: the first 16 hexadecimal digits of a SHA-256 hash. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { messageOf, TableError } from "../errors.js";

/** The fingerprint of text and bytes, one part after the other. Callers separate the parts where that matters. */
export function fingerprint(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex").slice(0, 16);
}

/** The fingerprint of a file's content. @throws TableError where it cannot be read */
export async function fileFingerprint(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    const message = isAbsent ? "no such file. Check the name" : `cannot be read (${messageOf(error)})`;
    throw new TableError(`${path}: ${message}.`, { cause: error });
  }
  return hash.digest("hex").slice(0, 16);
}
