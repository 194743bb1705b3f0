/** The fingerprint of a model: equal for equal vectors. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { ModelFolder } from "../architectures/architecture.js";
import { filesOf } from "../architectures/registry.js";

/** Bytes of a file hashed at a time: reading a stream's small pieces takes longer than hashing them. */
const HASHED = 2 ** 20;

/** SHA-256 over the precision, the graph and the files that number its inputs: 16 hexadecimal digits. */
export async function modelFingerprint({ path, graph }: ModelFolder, precision: string): Promise<string> {
  const hash = createHash("sha256").update(precision);
  const piece = Buffer.allocUnsafe(HASHED);
  for (const name of [graph, ...filesOf().map((file) => `${path}/${file}`)]) {
    const file = await open(name).catch((error: NodeJS.ErrnoException) => {
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
