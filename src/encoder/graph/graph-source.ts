/** The session that a model's graph is opened in: from its path, its bytes, or a graph rewritten for the device. */
import type { ModelFolder } from "../../architectures/architecture.js";
import { architectureOf, inheritArchitectures } from "../../architectures/registry.js";
import { ModelError } from "../../errors.js";
import type { Model } from "../../onnx/model.js";
import { createOrtSession, type OrtSession } from "../../runtime/ort-session.js";
import type { OpenRequest } from "../encode-protocol.js";

/** A session that may keep ids which all rows begin with. */
export interface GraphSession extends OrtSession {
  /** Called before the runs of some batches. @param opening the first ids of each of their rows */
  pin?(opening: Int32Array): Promise<void>;
}

/** @throws ModelError, DeviceError */
export async function openGraph(request: OpenRequest): Promise<GraphSession> {
  const { folder, device, threads, graph } = request;
  const options = { device, threads, label: folder.graph };
  const source = graph?.bytes ?? (await graphSource(request));
  try {
    if (typeof source === "string" || source instanceof Uint8Array)
      return await createOrtSession(source, options);
    return await (await import("./device-session.js")).openDeviceSession(source, options);
  } catch (error) {
    // names the cure, for what is not a whole ONNX file
    if (error instanceof ModelError && source === folder.graph)
      await (await import("../../onnx/io/file.js")).readModel(source, { label: folder.graph });
    throw error;
  }
}

async function graphSource({ folder, precision, device }: OpenRequest): Promise<string | Uint8Array | Model> {
  if (precision === "int8") return int8Graph(folder);
  // bytes of a graph hold at most 2 GiB
  if (folder.sizeBytes > 1.8e9 || (precision === "full" && device === "cpu")) return folder.graph;
  await inheritArchitectures();
  const isTransformer = folder.features.some((feature) => architectureOf(feature).cost === "transformer");
  if (!isTransformer && device === "cpu") return folder.graph;
  const { encodeModel, readModel } = await import("../../onnx/io/file.js");
  if (!isTransformer) return readModel(folder.graph);
  const model = await (await import("./device-graph.js")).deviceGraph(folder, precision);
  return device === "cpu" ? encodeModel(model) : model;
}

/** The graph with weights in int8, or its path. Code that reads ONNX files is loaded only here: loading takes time. */
async function int8Graph({ graph, quantizedGraph }: ModelFolder): Promise<string | Uint8Array> {
  if (quantizedGraph !== undefined) return quantizedGraph;
  const { encodeModel, readModel } = await import("../../onnx/io/file.js");
  const { prepareForInference } = await import("../../onnx/rewrite/inference.js");
  const { quantizeDynamic } = await import("../../onnx/rewrite/quantize.js");
  return encodeModel(quantizeDynamic(prepareForInference(await readModel(graph))));
}
