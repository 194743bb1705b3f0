/** Opens a model's graph: its file, bytes of it in int8 or half precision, or a graph rewritten for a GPU. */
import type { ModelFolder } from "../../architectures/architecture.js";
import { architectureOf, inheritArchitectures } from "../../architectures/registry.js";
import { DeviceError, ModelError } from "../../errors.js";
import type { Model } from "../../onnx/model.js";
import { createOrtSession } from "../../runtime/ort-session.js";
import type { GraphSession, OpenRequest } from "../encode-protocol.js";

/** Bytes of a graph hold at most 2 GiB. */
const LARGEST = 1.8e9;

/** @throws ModelError, DeviceError */
export async function openGraph(request: OpenRequest): Promise<GraphSession> {
  const { folder, device, threads, graph } = request;
  const options = { device, threads, label: folder.graph };
  const source = graph?.bytes ?? (await graphSource(request));
  if (typeof source !== "string" && "graph" in source)
    return (await import("./device-session.js")).openDeviceSession(source, options);
  return createOrtSession(source, options).catch(async (error) => {
    // reading the file names the cure, unless it is a whole ONNX file
    if (error instanceof ModelError && typeof source === "string")
      (await import("../../onnx/io/file.js")).readModel(source, { label: folder.graph });
    throw error;
  });
}

async function graphSource({ folder, precision, device }: OpenRequest): Promise<string | Uint8Array | Model> {
  if (precision === "int8") return int8Graph(folder);
  const onCpu = device === "cpu";
  const isLarge = folder.sizeBytes > LARGEST;
  if (isLarge && precision === "half")
    throw new DeviceError(
      `${folder.name}: a graph of over 1.8 GB cannot be converted to half precision. Use "full".`,
    );
  if (isLarge || (precision === "full" && onCpu)) return folder.graph;
  await inheritArchitectures();
  const isTransformer = folder.features.some((feature) => architectureOf(feature).padsRows === true);
  if (!isTransformer && onCpu) return folder.graph;
  const { encodeModel, readModel } = await import("../../onnx/io/file.js");
  if (!isTransformer) return readModel(folder.graph);
  const model = await (await import("./device-graph.js")).deviceGraph(folder, precision, device);
  return onCpu ? encodeModel(model) : model;
}

/** The graph with weights in int8, or its path. Code that reads ONNX files is loaded only here: loading takes time. */
async function int8Graph({ graph, quantizedGraph }: ModelFolder): Promise<string | Uint8Array> {
  if (quantizedGraph !== undefined) return quantizedGraph;
  const { encodeModel, readModel } = await import("../../onnx/io/file.js");
  const { prepareForInference } = await import("../../onnx/rewrite/fuse.js");
  const { quantizeDynamic } = await import("../../onnx/rewrite/quantize.js");
  return encodeModel(quantizeDynamic(prepareForInference(await readModel(graph))));
}
