/** The fingerprint of a model: equal for equal vectors. */
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import type { ModelFolder } from "../architectures/architecture.js";
import { filesOf } from "../architectures/registry.js";
import { openFingerprint } from "../files/fingerprint.js";

/** Bytes of a file read at a time: reading small pieces takes longer than hashing them. */
const PIECE = 2 ** 20;

/** SHA-256 over the precision, the graph and the files that number its inputs: 16 hexadecimal digits. */
export async function modelFingerprint({ path, graph }: ModelFolder, precision: string): Promise<string> {
  const hash = openFingerprint();
  hash.add(precision);
  const piece = Buffer.allocUnsafe(PIECE); // one for all: a stream would allocate as much as the file holds
  for (const file of [graph, ...filesOf().map((name) => `${path}/${name}`)]) {
    if (!existsSync(file)) continue;
    const handle = await open(file);
    try {
      for (let size = -1; size !== 0; hash.add(piece.subarray(0, size)))
        ({ bytesRead: size } = await handle.read(piece));
    } finally {
      await handle.close();
    }
  }
  return hash.end();
}
