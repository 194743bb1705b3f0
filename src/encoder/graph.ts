/** The graph a session runs: a folder's ONNX file as it is, or with its weights quantised to int8. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { ModelError, messageOf } from "../errors.js";
import { encodeModel, type Model, readModel } from "../onnx/index.js";
import type { Precision } from "./encode-protocol.js";
import { prepareForInference } from "./inference.js";
import type { ModelFolder } from "./model-folder.js";
import { quantizeDynamic } from "./quantize.js";
import { takeOutTables, type WordTable } from "./word-tables.js";

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

/** A graph without its tables, as threads get it. */
export interface ThreadGraph {
  /** The ONNX file. */
  readonly bytes: Uint8Array;
  readonly tables: readonly WordTable[];
}

/**
 * The graph of a word encoder for processors, its tables taken out, so that threads share them.
 * @returns undefined for other models, which each thread loads for itself
 * @throws ModelError for a file that cannot be read
 */
export function loadWordGraph(folder: ModelFolder, precision: Precision): ThreadGraph | undefined {
  if (folder.features.length !== 1 || folder.features[0].kind !== "words") return undefined;
  if (precision === "int8" && folder.quantizedGraph !== undefined) return undefined;
  const cut = takeOutTables(
    readModel(readShared(folder.graph), { label: folder.graph, folder: dirname(folder.graph) }),
  );
  if (cut === undefined) return undefined;
  const model: Model = precision === "full" ? cut.model : quantizeDynamic(prepareForInference(cut.model));
  return { bytes: encodeModel(model), tables: cut.tables };
}

/** A file in memory that threads share, so that tables are read in place. @throws ModelError */
function readShared(path: string): Uint8Array {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = new Uint8Array(new SharedArrayBuffer(fstatSync(file).size));
      let done = 0;
      for (let read = -1; read !== 0; done += read)
        read = readSync(file, bytes, done, bytes.length - done, done);
      return bytes.subarray(0, done);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new ModelError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** The output of pearl's own graphs that holds unit-length vectors, float32 [rows, width]. */
export const EMBEDDING = "embedding";
/** The output of type scores, float32 [rows, types], where a model has a type head. */
export const TYPE_LOGITS = "type_logits";

/** Outputs that hold a phrase's or its tokens' vectors, best first, as exporters name them. */
const OUTPUTS = [EMBEDDING, "last_hidden_state", "token_embeddings", "sentence_embedding", "hidden_states"];

/**
 * The output that a folder's vectors come from.
 * @throws ModelError where none is known as an embedding
 */
export function chooseOutput(names: readonly string[], folder: ModelFolder): string {
  const known = OUTPUTS.find((name) => names.includes(name)) ?? (names.length === 1 ? names[0] : undefined);
  if (known !== undefined) return known;
  throw new ModelError(
    `${folder.graph}: no output that pearl knows as an embedding among ${names.join(", ")} ` +
      `(known: ${OUTPUTS.join(", ")})`,
  );
}
