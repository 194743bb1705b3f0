/** The graph a session runs: a folder's ONNX file as it is, or with its weights quantised to int8. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { ModelError, messageOf } from "../errors.js";
import { encodeModel, type Model, readModel } from "../onnx/index.js";
import { type SharedMemory, shareMemory } from "../runtime/web-assembly.js";
import { indexWords } from "../text/word-index.js";
import type { Precision } from "./encode-protocol.js";
import { prepareForInference } from "./inference.js";
import { type ModelFolder, WORDS_FILE } from "./model-folder.js";
import { quantizeDynamic } from "./quantize.js";
import type { SharedWords } from "./word-row-features.js";
import { takeOutTables } from "./word-tables.js";

export { EMBEDDING, TYPE_LOGITS } from "./graph-outputs.js";

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
export interface ThreadGraph extends SharedWords {
  /** The ONNX file. */
  readonly bytes: Uint8Array;
}

/**
 * The graph of a word encoder for processors, its tables taken out, so that threads share them.
 * @returns undefined for other models, which each thread loads for itself
 * @throws ModelError for a file that cannot be read
 */
export function loadWordGraph(folder: ModelFolder, precision: Precision): ThreadGraph | undefined {
  if (folder.features.length !== 1 || folder.features[0].kind !== "words") return undefined;
  if (precision === "int8" && folder.quantizedGraph !== undefined) return undefined;
  const { bytes, memory } = readShared(folder.graph, kernelMemory);
  const cut = takeOutTables(readModel(bytes, { label: folder.graph, folder: dirname(folder.graph) }));
  if (cut === undefined) return undefined;
  const model: Model = precision === "full" ? cut.model : quantizeDynamic(prepareForInference(cut.model));
  // not memory.buffer: while another model's memory grows, that becomes another object over the same bytes
  const tables = cut.tables.map((table) =>
    table.values.buffer === bytes.buffer ? { ...table, memory } : table,
  );
  return { bytes: encodeModel(model), tables, words: indexWords(readWords(folder)) };
}

/** Memory that threads share, and whether WebAssembly can read it too. */
interface FileMemory {
  readonly buffer: SharedArrayBuffer;
  readonly memory?: SharedMemory;
}

const plainMemory = (bytes: number): FileMemory => ({ buffer: new SharedArrayBuffer(bytes) });

/** Plain memory where there is too little address space for WebAssembly's, which may grow. */
function kernelMemory(bytes: number): FileMemory {
  try {
    const memory = shareMemory(bytes);
    return { buffer: memory.buffer, memory };
  } catch {
    return plainMemory(bytes);
  }
}

function readWords(folder: ModelFolder): Uint8Array {
  const path = join(folder.path, WORDS_FILE);
  try {
    return readShared(path, plainMemory).bytes;
  } catch (error) {
    throw new ModelError(`${path} is missing; the graph reads words, and this file numbers them`, {
      cause: error,
    });
  }
}

/** A file in memory that threads share, so that tables are read in place. @throws ModelError */
function readShared(path: string, room: (bytes: number) => FileMemory): FileMemory & { bytes: Uint8Array } {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const shared = room(size);
      const bytes = new Uint8Array(shared.buffer, 0, size);
      let done = 0;
      for (let read = -1; read !== 0; done += read) read = readSync(file, bytes, done, size - done, done);
      return { ...shared, bytes: bytes.subarray(0, done) };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new ModelError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
