/** Fingerprints: the first 16 hexadecimal digits of a SHA-256 hash. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { messageOf, TableError } from "../../errors.js";
import { readPieces } from "../disk.js";

/** The fingerprint of content that arrives in parts. */
export function openFingerprint() {
  const hash = createHash("sha256");
  return {
    add: (part: string | Uint8Array): void => void hash.update(part),
    /** @param digits 64 for the whole hash, where content must be unchanged rather than recognised */
    end: (digits = 16): string => hash.digest("hex").slice(0, digits),
  };
}

/** The fingerprint of text and bytes, one part after the other. Callers separate the parts where that matters. */
export function fingerprint(...parts: readonly (string | Uint8Array)[]): string {
  const hash = openFingerprint();
  for (const part of parts) hash.add(part);
  return hash.end();
}

/** The fingerprint of a file's content. @throws TableError where it cannot be read */
export async function fileFingerprint(path: string): Promise<string> {
  const hash = openFingerprint();
  try {
    for await (const piece of readPieces(path)) hash.add(piece);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    const message = isAbsent ? "no such file. Check the name" : `cannot be read (${messageOf(error)})`;
    throw new TableError(`${path}: ${message}.`, { cause: error });
  }
  return hash.end();
}

/** The fingerprint of a file, with the logs beside it that hold what a database has not put into it yet; "" for none. */
export async function databaseFingerprint(file: string): Promise<string> {
  const files = [file, `${file}-wal`, `${file}.wal`].filter((name) => existsSync(name));
  return (await Promise.all(files.map(fileFingerprint))).join(" ");
}
