/** The fingerprint of a model: equal for equal vectors. */
import type { ModelFolder } from "../architectures/architecture.js";
import { vectorSources } from "../architectures/vector-sources.js";
import { openFingerprint } from "../files/checksums/fingerprint.js";
import { exists, readPieces } from "../files/disk.js";

/**
 * SHA-256 over the precision, the graph with its external weights, the files that number its inputs, and how inputs are read
 * and outputs pooled: 16 hexadecimal digits.
 */
export async function modelFingerprint(folder: ModelFolder, precision: string): Promise<string> {
  const hash = openFingerprint();
  const { files, facts } = await vectorSources(folder, precision);
  hash.add(precision);
  for (const file of files)
    if (await exists(file)) for await (const piece of readPieces(file)) hash.add(piece);
  hash.add(facts);
  return hash.end();
}
