/** What a session is made from: the path of a model's graph, or its bytes. */
import type { ModelFolder } from "../../architectures/architecture.js";
import { architectureOf, inheritArchitectures } from "../../architectures/registry.js";
import type { Device } from "../../runtime/device.js";
import type { Precision } from "../encode-protocol.js";

export async function graphSource(
  folder: ModelFolder,
  precision: Precision,
  device: Device,
): Promise<string | Uint8Array> {
  if (precision === "int8") return int8Graph(folder);
  if (precision === "full" && device === "cpu") return folder.graph;
  await inheritArchitectures();
  const isTransformer = folder.features.some((feature) => architectureOf(feature).cost === "transformer");
  // bytes of a graph hold at most 2 GiB
  if (!isTransformer || folder.sizeBytes > 1.8e9) return folder.graph;
  return (await import("./device-graph.js")).deviceGraph(folder, precision);
}

/** The graph with weights in int8, or its path. Code that reads ONNX files is loaded only here: loading takes time. */
async function int8Graph({ graph, quantizedGraph }: ModelFolder): Promise<string | Uint8Array> {
  if (quantizedGraph !== undefined) return quantizedGraph;
  const { encodeModel, readModel } = await import("../../onnx/io/file.js");
  const { prepareForInference } = await import("../../onnx/rewrite/inference.js");
  const { quantizeDynamic } = await import("../../onnx/rewrite/quantize.js");
  return encodeModel(quantizeDynamic(prepareForInference(await readModel(graph))));
}

/** Where no session opens: returns for a whole ONNX file. @throws ModelError naming the cure, for any other file */
export async function explainGraph(source: string | Uint8Array, label: string): Promise<void> {
  if (typeof source === "string") (await import("../../onnx/io/file.js")).readModel(source, { label });
}
