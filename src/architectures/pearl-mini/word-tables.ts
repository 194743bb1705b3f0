/**
 * The word encoder without its tables: rows and sums of rows are looked up here, once for each word of many
 * batches, and ONNX Runtime keeps only what multiplies. All threads read the same tables.
 *
 * What becomes an input of the graph is each lookup by `word_ids`, and the sum of each word's n-grams. Results
 * stay equal to rounding.
 */

import { prune } from "../../onnx/graph.js";
import { copyModel, type Graph, type Model } from "../../onnx/model.js";
import { any, either, find, initializer, made, type Pattern, viewOf } from "../../onnx/rewrite/pattern.js";
import type { Tensor } from "../../onnx/tensor.js";
import { wordInputNames } from "./inputs.js";
import type { WordTable } from "./row-sums.js";

/** A graph and what {@link takeOutTables} took out of it. */
export interface CutGraph {
  readonly model: Model;
  readonly tables: readonly WordTable[];
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
/** The sum of rows without those that pad, as src/architectures/pearl-mini/encoder.ts writes it. */
const sumOfRows = made("Sub", [
  made("ReduceSum", [rows(any("ids"))]),
  made("Mul", [any("count"), rows(any("padding"))]),
]);

/**
 * Cuts the tables out of a word encoder's graph.
 * @returns undefined where it is not built as one is. The model given is not changed.
 */
export function takeOutTables(original: Model): CutGraph | undefined {
  const model = copyModel(original);
  const { graph } = model;
  const cuts = new Map<string, WordTable>();
  for (const [pattern, ids, gives] of [
    [sumOfRows, wordInputNames.ngrams, "sum"],
    [rows(any("ids")), wordInputNames.ids, "row"],
  ] as const)
    for (const value of valuesLike(pattern, ids, graph))
      cuts.set(value.name, tableOf(original, value, gives));
  for (const node of graph.nodes) node.inputs = node.inputs.map((name) => cuts.get(name)?.input ?? name);
  for (const { input, width } of cuts.values())
    graph.inputs.push({ name: input, type: "float32", shape: ["words", width] });
  prune(graph);
  const used = new Set(graph.nodes.flatMap(({ inputs }) => inputs));
  if (used.has(wordInputNames.ids) || used.has(wordInputNames.ngrams)) return undefined;
  graph.inputs = graph.inputs.filter(({ name }) => used.has(name));
  const tables = [...cuts.values()].filter(({ input }) => used.has(input));
  return tables.some(({ gives }) => gives === "sum") ? { model, tables: tables.map(shared) } : undefined;
}

interface Lookup {
  /** The value looked up. */
  readonly name: string;
  readonly table: string;
  readonly scales: string | undefined;
}

/** Values that match a pattern over one of the graph's inputs. */
function valuesLike(pattern: Pattern, ids: string, graph: Graph): Lookup[] {
  const view = viewOf(graph);
  return graph.nodes.flatMap(({ outputs: [name] }) => {
    const found = find(pattern, name, view);
    if (found?.ids !== ids) return [];
    const { table, scales } = found;
    const isWhole = scales !== undefined || graph.initializers.get(table)?.type === "float32";
    return isWhole ? [{ name, table, scales }] : [];
  });
}

function tableOf({ graph }: Model, { table, scales }: Lookup, gives: WordTable["gives"]): WordTable {
  const { dims, data } = graph.initializers.get(table) as Tensor;
  return {
    ...{ input: `${gives} of ${table}`, gives, width: dims[1], values: data as Int8Array | Float32Array },
    scales: scales === undefined ? undefined : (graph.initializers.get(scales)?.data as Float32Array),
  };
}

/** The same numbers where every thread can read them: as they are, where the file was read into shared memory. */
function shared(table: WordTable): WordTable {
  if (table.values.buffer instanceof SharedArrayBuffer) return table;
  const values =
    table.values instanceof Int8Array
      ? new Int8Array(new SharedArrayBuffer(table.values.byteLength))
      : new Float32Array(new SharedArrayBuffer(table.values.byteLength));
  values.set(table.values);
  return { ...table, values };
}
