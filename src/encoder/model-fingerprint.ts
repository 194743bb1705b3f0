/** The fingerprint of a model: equal for equal vectors. */
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ModelFolder } from "../architectures/architecture.js";
import { vectorSources } from "../architectures/vector-sources.js";
import { exists, readPieces } from "../files/disk.js";
import { openFingerprint } from "../files/fingerprint.js";

/**
 * SHA-256 over the precision, the graph with its external weights, the files that number its inputs, and how inputs are read
 * and outputs pooled: 16 hexadecimal digits.
 */
export async function modelFingerprint(folder: ModelFolder, precision: string): Promise<string> {
  const hash = openFingerprint();
  const { graphs, others, facts } = await vectorSources(folder, precision);
  hash.add(precision);
  for (const file of [...(await Promise.all(graphs.map(withWeights))).flat(), ...others])
    if (await exists(file)) for await (const piece of readPieces(file)) hash.add(piece);
  hash.add(facts);
  return hash.end();
}

/** A graph and the files of its weights, which exporters name like it: model.onnx_data, model.onnx.data, model.onnx_data_1. */
async function withWeights(graph: string): Promise<string[]> {
  const names = await readdir(dirname(graph));
  const beside = names.filter(
    (name) => name.startsWith(basename(graph)) && /^[._]data/.test(name.slice(basename(graph).length)),
  );
  return [graph, ...beside.sort().map((name) => join(dirname(graph), name))];
}
