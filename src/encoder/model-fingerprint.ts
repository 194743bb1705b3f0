/** The fingerprint of a model: equal for equal vectors. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { ModelFolder } from "../architectures/architecture.js";
import { filesOf } from "../architectures/registry.js";

/** SHA-256 over the precision, the graph and the files that number its inputs: 16 hexadecimal digits. */
export function modelFingerprint({ path, graph }: ModelFolder, precision: string): Promise<string> {
  const texts = filesOf().map((name) => `${path}/${name}`);
  return hashFiles([graph, ...texts], precision);
}

/** Bytes of a file hashed at a time: reading a stream's small pieces takes longer than hashing them. */
const HASHED = 2 ** 20;

async function hashFiles(paths: readonly string[], salt: string): Promise<string> {
  const hash = createHash("sha256").update(salt);
  const piece = Buffer.allocUnsafe(HASHED);
  for (const path of paths) {
    const file = await open(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (file === undefined) continue;
    try {
      for (let bytes = -1; bytes !== 0; ) {
        ({ bytesRead: bytes } = await file.read(piece, 0, HASHED));
        hash.update(piece.subarray(0, bytes));
      }
    } finally {
      await file.close();
    }
  }
  return hash.digest("hex").slice(0, 16);
}
