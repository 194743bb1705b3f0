/** The fingerprint of a model: equal for equal vectors. */
import { createReadStream, existsSync } from "node:fs";
import type { ModelFolder } from "../architectures/architecture.js";
import { filesOf } from "../architectures/registry.js";
import { openFingerprint } from "../files/fingerprint.js";

/** Bytes of a file read at a time: reading a stream's default small pieces takes longer than hashing them. */
const PIECE = 2 ** 20;

/** SHA-256 over the precision, the graph and the files that number its inputs: 16 hexadecimal digits. */
export async function modelFingerprint({ path, graph }: ModelFolder, precision: string): Promise<string> {
  const hash = openFingerprint();
  hash.add(precision);
  for (const file of [graph, ...filesOf().map((name) => `${path}/${name}`)]) {
    if (!existsSync(file)) continue;
    for await (const piece of createReadStream(file, { highWaterMark: PIECE })) hash.add(piece);
  }
  return hash.end();
}
