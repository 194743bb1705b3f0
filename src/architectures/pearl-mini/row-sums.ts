/** Rows of a word encoder's tables, and their sums, in WebAssembly where a table allows it. */
import type { KernelFunction, SharedMemory } from "../../runtime/wasm/assembler.js";
import { i32, instantiate, loopWhile, PAGE, repeatWhile, v128 } from "../../runtime/wasm/assembler.js";

/** A table of the graph, in memory that threads share. */
export interface WordTable {
  /** The input of the cut graph that takes its rows, float32 [words, width]. */
  readonly input: string;
  /** What a word gets: the sum of its n-grams' rows, or the row of its number. */
  readonly gives: "sum" | "row";
  readonly width: number;
  /** Row-major [rows, width]. */
  readonly values: Int8Array | Float32Array;
  /** What each row is multiplied by: [rows], of int8 values only. */
  readonly scales: Float32Array | undefined;
  /** WebAssembly's memory, where the values lie in one. */
  readonly memory?: SharedMemory;
}

/** Writes the sum of rows `some[0]` to `some[count - 1]` to `target` from `at` on, where zeros are. */
export type SumRows = (some: Int32Array, count: number, target: Float32Array, at: number) => void;

/** Int8 values in WebAssembly's memory are added there, in float32; others here, in float64. */
export function openSums(table: WordTable, most: number): SumRows {
  return kernelSums(table, most) ?? ((some, count, target, at) => addRows(table, some, count, target, at));
}

function kernelSums({ values, scales, width, memory }: WordTable, most: number): SumRows | undefined {
  const columns = [32, 16, 8].find((number) => width % number === 0);
  if (memory === undefined || scales === undefined || columns === undefined) return undefined;
  if (!(values instanceof Int8Array)) return undefined;
  const bytes = scales.byteLength + 4 * (width + most);
  let place: number;
  let sum: (...numbers: number[]) => number;
  try {
    // pages behind the others are this thread's own
    place = memory.grow(Math.ceil(bytes / PAGE)) * PAGE;
    ({ sum } = instantiate([sumFunction(width, columns)], memory));
  } catch {
    return undefined;
  }
  const { buffer } = memory;
  const own = new Float32Array(buffer, place, scales.length);
  own.set(scales);
  const result = new Float32Array(buffer, own.byteOffset + own.byteLength, width);
  const rows = new Int32Array(buffer, result.byteOffset + result.byteLength, most);
  return (some, count, target, at) => {
    for (let i = 0; i < count; i++) rows[i] = some[i];
    sum(values.byteOffset, own.byteOffset, rows.byteOffset, count, result.byteOffset);
    target.set(result, at);
  };
}

const parameters = ["values", "scales", "rows", "count", "result"] as const;

/** Sums up some columns over all rows, then the next. @param columns summed at once, a multiple of 8 */
function sumFunction(width: number, columns: number): KernelFunction<(typeof parameters)[number]> {
  const sums = Array.from({ length: columns / 4 }, (_, i) => `sum${i}`);
  return {
    name: "sum",
    parameters,
    locals: {
      ...{ column: "i32", place: "i32", end: "i32", row: "i32", from: "i32" },
      ...{ scale: "v128", eight: "v128" },
      ...Object.fromEntries(sums.map((name) => [name, "v128"] as const)),
    },
    body: (v) => [
      ...v.end.set(i32.add(v.rows.get, i32.multiply(v.count.get, i32.constant(4)))),
      ...repeatWhile(
        i32.less(v.column.get, i32.constant(width)),
        ...sums.map((name) => v[name].set(v128.zeros)),
        v.place.set(v.rows.get),
        loopWhile(
          i32.less(v.place.get, v.end.get),
          v.row.set(i32.load(v.place.get)),
          v.scale.set(v128.loadRepeated(i32.add(v.scales.get, i32.multiply(v.row.get, i32.constant(4))))),
          v.from.set(
            i32.add(i32.add(v.values.get, v.column.get), i32.multiply(v.row.get, i32.constant(width))),
          ),
          ...sums.flatMap((name, i) => {
            const numbers = i % 2 === 0 ? v128.firstToFloats : v128.lastToFloats;
            const more = v[name].set(v128.add(v[name].get, v128.multiply(numbers(v.eight.get), v.scale.get)));
            return i % 2 === 0 ? [v.eight.set(v128.loadBytes(v.from.get, 4 * i)), more] : [more];
          }),
          v.place.set(i32.add(v.place.get, i32.constant(4))),
        ),
        ...sums.map((name, i) =>
          v128.store(i32.add(v.result.get, i32.multiply(v.column.get, i32.constant(4))), v[name].get, 16 * i),
        ),
        v.column.set(i32.add(v.column.get, i32.constant(columns))),
      ),
      ...v.count.get,
    ],
  };
}

export function writeRow(
  { values, scales, width }: WordTable,
  row: number,
  target: Float32Array,
  at: number,
) {
  const scale = scales?.[row] ?? 1;
  const from = row * width;
  for (let i = 0; i < width; i++) target[at + i] = scale * values[from + i];
}

/** Adds rows `some[0]` to `some[count - 1]` to the numbers in `target` from `at` on. */
function addRows(
  { values, scales, width }: WordTable,
  some: Int32Array,
  count: number,
  target: Float32Array,
  at: number,
): void {
  const scaleOf = (row: number): number => scales?.[row] ?? 1;
  // four at a time: reading and writing the sums costs as much as adding
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const [a, b, c, d] = [some[i] * width, some[i + 1] * width, some[i + 2] * width, some[i + 3] * width];
    const [p, q] = [scaleOf(some[i]), scaleOf(some[i + 1])];
    const [r, s] = [scaleOf(some[i + 2]), scaleOf(some[i + 3])];
    for (let k = 0; k < width; k++)
      target[at + k] += p * values[a + k] + q * values[b + k] + r * values[c + k] + s * values[d + k];
  }
  for (; i < count; i++) {
    const from = some[i] * width;
    const scale = scaleOf(some[i]);
    for (let k = 0; k < width; k++) target[at + k] += scale * values[from + k];
  }
}
