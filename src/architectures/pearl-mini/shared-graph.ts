/**
 * The word encoder's graph without its tables, which lie in memory that all workers share. Rows and their sums are
 * looked up outside the graph, once for each word of many batches. Each lookup by `word_ids`, and the sum of each
 * word's n-grams, becomes an input of the graph. Results are equal up to rounding.
 */
import { fstatSync } from "node:fs";
import { dirname } from "node:path";
import { ModelError, messageOf } from "../../errors.js";
import { prune } from "../../onnx/graph.js";
import { encodeModel, readInto, readModel, withFile } from "../../onnx/io/file.js";
import { copyModel, type Graph, type Model } from "../../onnx/model.js";
import { prepareForInference } from "../../onnx/rewrite/fuse.js";
import { any, either, find, initializer, made, type Pattern, viewOf } from "../../onnx/rewrite/pattern.js";
import { quantizeDynamic } from "../../onnx/rewrite/quantize.js";
import type { Tensor } from "../../onnx/tensor.js";
import { type SharedMemory, shareMemory } from "../../runtime/wasm/assembler.js";
import type { ModelFolder } from "../architecture.js";
import { indexFor } from "./features.js";
import { readWordsFile, type WordsFeature, wordInputNames } from "./inputs.js";
import type { WordTable } from "./row-sums.js";
import type { WordGraph } from "./shared-features.js";

/** @returns undefined for a graph of another shape @throws ModelError for a file that cannot be read */
export async function loadWordGraph(
  folder: ModelFolder,
  precision: "full" | "int8",
): Promise<WordGraph | undefined> {
  if (precision === "int8" && folder.quantizedGraph !== undefined) return undefined;
  const { bytes, memory } = readShared(folder.graph);
  const cut = takeOutTables(readModel(bytes, { label: folder.graph, folder: dirname(folder.graph) }));
  if (cut === undefined) return undefined;
  const model: Model = precision === "full" ? cut.model : quantizeDynamic(prepareForInference(cut.model));
  // not memory.buffer: while another model's memory grows, that becomes another object over the same bytes
  const tables = cut.tables.map((table) =>
    table.values.buffer === bytes.buffer ? { ...table, memory } : table,
  );
  const feature = folder.features.find(({ kind }) => kind === "words") as WordsFeature;
  const words = indexFor(feature, await readWordsFile(folder));
  return { bytes: encodeModel(model), tables, words };
}

/** A file in memory that threads share, which is WebAssembly's `memory` where that is possible. */
function readShared(path: string): { bytes: Uint8Array; memory: SharedMemory | undefined } {
  try {
    return withFile(path, "r", (file) => {
      const { size } = fstatSync(file);
      const memory = kernelMemory(size);
      const bytes = new Uint8Array(memory?.buffer ?? new SharedArrayBuffer(size), 0, size);
      return { bytes: readInto(bytes, file), memory };
    });
  } catch (error) {
    throw new ModelError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** @returns undefined where there is too little address space for WebAssembly's memory, which may grow */
function kernelMemory(bytes: number): SharedMemory | undefined {
  try {
    return shareMemory(bytes);
  } catch {
    return undefined;
  }
}

/** The numbers in shared memory: unchanged if the file was read into it, else a copy. */
function shared<Values extends WordTable["values"]>(values: Values): Values {
  if (values.buffer instanceof SharedArrayBuffer) return values;
  const Kind = values.constructor as new (buffer: SharedArrayBuffer) => Values;
  const copy = new Kind(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}

/** Rows of a table, plain or as quantizeDynamic writes them. */
const rows = (ids: Pattern): Pattern =>
  either(
    made("Mul", [
      made("Cast", [made("Gather", [initializer("table"), ids])]),
      made("Gather", [initializer("scales"), ids]),
    ]),
    made("Gather", [initializer("table"), ids]),
  );
/** The sum of rows without those that pad, as encoder.ts writes it. */
const sumOfRows = made("Sub", [
  made("ReduceSum", [rows(any("ids"))]),
  made("Mul", [any("count"), rows(any("padding"))]),
]);

/** Cuts the tables out of a copy of a word encoder's graph. @returns undefined for a graph of another shape */
export function takeOutTables(original: Model): { model: Model; tables: readonly WordTable[] } | undefined {
  const model = copyModel(original);
  const { graph } = model;
  const cuts = new Map([
    ...lookups(graph, sumOfRows, wordInputNames.ngrams, "sum"),
    ...lookups(graph, rows(any("ids")), wordInputNames.ids, "row"),
  ]);
  for (const node of graph.nodes) node.inputs = node.inputs.map((name) => cuts.get(name)?.input ?? name);
  for (const { input, width } of cuts.values())
    graph.inputs.push({ name: input, type: "float32", shape: ["words", width] });
  prune(graph);
  const used = new Set(graph.nodes.flatMap(({ inputs }) => inputs));
  if (used.has(wordInputNames.ids) || used.has(wordInputNames.ngrams)) return undefined;
  graph.inputs = graph.inputs.filter(({ name }) => used.has(name));
  const tables = [...cuts.values()].filter(({ input }) => used.has(input));
  return tables.some(({ gives }) => gives === "sum") ? { model, tables } : undefined;
}

/** Tables looked up by values that match a pattern over one of the graph's inputs, by the name of the result. */
function* lookups(
  graph: Graph,
  pattern: Pattern,
  ids: string,
  gives: WordTable["gives"],
): Iterable<[string, WordTable]> {
  const view = viewOf(graph);
  for (const {
    outputs: [name],
  } of graph.nodes) {
    const found = find(pattern, name, view);
    if (found?.ids !== ids) continue;
    const { dims, data, type } = graph.initializers.get(found.table) as Tensor;
    const scales = graph.initializers.get(found.scales)?.data as Float32Array | undefined;
    if (scales === undefined && type !== "float32") continue;
    const values = shared(data as WordTable["values"]);
    yield [name, { input: `${gives} of ${found.table}`, gives, width: dims[1], values, scales }];
  }
}
