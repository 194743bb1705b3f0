/** The graph a session runs: a folder's ONNX file as it is, or with its weights quantised to int8. */
import type { ModelFolder } from "../architectures/architecture.js";
import { encodeModel, readModel } from "../onnx/io/file.js";
import { prepareForInference } from "../onnx/rewrite/inference.js";
import { quantizeDynamic } from "../onnx/rewrite/quantize.js";
import type { Precision } from "./encode-protocol.js";

export { EMBEDDING, TYPE_LOGITS } from "../architectures/architecture.js";

/**
 * The path of the graph's file, or the bytes of a rewritten graph.
 * The full-precision file goes to ONNX Runtime as it is: what it fuses by itself is as fast as graphs rewritten
 * by us (measured: benchmarks/encode-speed.mjs).
 * @throws ModelError for a file that cannot be read
 */
export async function loadGraph(folder: ModelFolder, precision: Precision): Promise<string | Uint8Array> {
  if (precision === "full") return folder.graph;
  if (folder.quantizedGraph !== undefined) return folder.quantizedGraph;
  return encodeModel(quantizeDynamic(prepareForInference(await readModel(folder.graph))));
}
