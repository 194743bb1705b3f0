/** The graph a session runs: a folder's ONNX file as it is, rewritten for speed, or quantised. */
import { stat } from "node:fs/promises";
import type { ModelFolder } from "./model-folder.js";

/** The path of the graph's file, or the bytes of a rewritten graph. */
export async function loadGraph(
  folder: ModelFolder,
  precision: "full" | "int8",
): Promise<string | Uint8Array> {
  if (precision === "int8" && folder.quantizedGraph !== undefined) return folder.quantizedGraph;
  await stat(folder.graph);
  return folder.graph;
}
