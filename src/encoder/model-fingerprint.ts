/** The fingerprint of a model: equal for equal vectors. */
import type { ModelFolder } from "../architectures/architecture.js";
import { filesOf } from "../architectures/registry.js";
import { exists, readPieces } from "../files/disk.js";
import { openFingerprint } from "../files/fingerprint.js";

/** SHA-256 over the precision, the graph and the files that number its inputs: 16 hexadecimal digits. */
export async function modelFingerprint({ path, graph }: ModelFolder, precision: string): Promise<string> {
  const hash = openFingerprint();
  hash.add(precision);
  for (const file of [graph, ...filesOf().map((name) => `${path}/${name}`)])
    if (await exists(file)) for await (const piece of readPieces(file)) hash.add(piece);
  return hash.end();
}
