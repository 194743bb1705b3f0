/** The word encoder's graph and tables in memory that all workers share. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { ModelError, messageOf } from "../../errors.js";
import { encodeModel, readModel } from "../../onnx/io/file.js";
import type { Model } from "../../onnx/model.js";
import { prepareForInference } from "../../onnx/rewrite/inference.js";
import { quantizeDynamic } from "../../onnx/rewrite/quantize.js";
import { type SharedMemory, shareMemory } from "../../runtime/wasm/assembler.js";
import type { ModelFolder } from "../architecture.js";
import { WORDS_FILE } from "./feature.js";
import { indexWords } from "./word-index.js";
import type { WordGraph } from "./word-row-features.js";
import { takeOutTables } from "./word-tables.js";

/**
 * The graph of a word encoder without its tables, which workers share on processors.
 * @returns undefined where the graph is another, which each worker loads for itself
 * @throws ModelError for a file that cannot be read
 */
export function loadWordGraph(folder: ModelFolder, precision: "full" | "int8"): WordGraph | undefined {
  if (precision === "int8" && folder.quantizedGraph !== undefined) return undefined;
  const { bytes, memory } = readShared(folder.graph, kernelMemory);
  const cut = takeOutTables(readModel(bytes, { label: folder.graph, folder: dirname(folder.graph) }));
  if (cut === undefined) return undefined;
  const model: Model = precision === "full" ? cut.model : quantizeDynamic(prepareForInference(cut.model));
  // not memory.buffer: while another model's memory grows, that becomes another object over the same bytes
  const tables = cut.tables.map((table) =>
    table.values.buffer === bytes.buffer ? { ...table, memory } : table,
  );
  return { bytes: encodeModel(model), tables, words: indexWords(shareWords(folder)) };
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

function shareWords(folder: ModelFolder): Uint8Array {
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
