/**
 * Masks of dropout, computed where the graph runs from two small numbers. An element is kept or dropped by the product
 *
 *     (row + a) (row + b) place column    modulo 2^32, as int32
 *
 * whose factors are odd: `row` and `column` are random constants for each row and column, `place` one for each mask, and
 * a, b follow from the seed. Its high bits decide. Products of int32 wrap in the same way on each device, so that masks
 * do not depend on it. A GPU gets a and b alone, and takes six operators for each mask.
 */
import { createRandom } from "../../random.js";
import type { GraphBuilder } from "../builder.js";

/** Input of the graph, int64 [1], below 2^31: decides all masks. */
export const dropoutSeed = "dropout_seed";

/** Factors of rows that follow each other; a block of rows has one more. */
const blockRows = 1024;
/** Constants for blocks of rows, and for columns: their number must be lower. */
const tableSize = 16384;

const randomOdd = (count: number, seed: number): Int32Array => {
  const random = createRandom(seed);
  return Int32Array.from({ length: count }, () => Math.floor(random() * 2 ** 32) | 1);
};

/** The factors of a shape: rows int32 [..., 1], columns int32 [width]. */
export interface MaskFactors {
  readonly rows: string;
  readonly columns: string;
}

/** Adds the seed to the inputs. The graph holds 135 kB of constants for all masks together. */
export function openMasks(g: GraphBuilder, ratio: number) {
  g.input(dropoutSeed, "int64", [1]);
  const [a, b] = seedTerms(g);
  const blocks = g.constant("int32", [tableSize, 1], randomOdd(tableSize, 1));
  const withinBlock = g.constant("int32", [blockRows], randomOdd(blockRows, 2));
  const columns = g.constant("int32", [tableSize], randomOdd(tableSize, 3));
  return {
    /** Factors for a value of at least two dimensions: below 16,384 columns, and below 16,384 × 1,024 rows. */
    factors(value: string): MaskFactors {
      const leading = g.add("Shape", [value], { start: 0, end: -1 });
      const rows = g.add("ReduceProd", [leading], { keepdims: 1 });
      const count = g.add("Add", [g.add("Div", [rows, g.ints(blockRows)]), g.ints(1)]);
      const all = g.add("Reshape", [
        g.add("Mul", [head(g, blocks, count, g.ints(tableSize)), withinBlock]),
        g.ints(-1),
      ]);
      const row = head(g, all, rows, g.add("Mul", [count, g.ints(blockRows)]));
      const seeded = g.add("Mul", [g.add("Add", [row, a]), g.add("Add", [row, b])]);
      return {
        rows: g.add("Reshape", [seeded, g.add("Concat", [leading, g.ints(1)], { axis: 0 })]),
        columns: head(g, columns, g.add("Shape", [value], { start: -1 }), g.ints(tableSize)),
      };
    },
    /** The mask of place `number`: 0 or 1 / (1 - ratio), float32. */
    mask({ rows, columns }: MaskFactors, number: number): string {
      const [place] = randomOdd(1, 4 + number);
      const hash = g.add("Mul", [g.add("Mul", [rows, g.scalar("int32", place)]), columns]);
      const kept = g.add("GreaterOrEqual", [hash, g.scalar("int32", Math.round((ratio - 0.5) * 2 ** 32))]);
      const mask = g.cast(kept, "float32");
      return g.add("Mul", [mask, g.scalar("float32", 1 / (1 - ratio))]);
    },
  };
}

/** Two even numbers below 2^24, int32 [1], as float32 holds them exactly on their way to a GPU. */
function seedTerms(g: GraphBuilder): [string, string] {
  // products of two residues modulo the prime 2^31 - 1 fit 64 bits
  const residue = (x: string) => g.add("Mod", [x, g.ints(2 ** 31 - 1)]);
  const even = (x: string) => g.add("Mul", [g.add("Mod", [x, g.ints(2 ** 23)]), g.ints(2)]);
  const first = residue(g.add("Mul", [g.add("Add", [dropoutSeed, g.ints(7919)]), g.ints(48271)]));
  const second = residue(g.add("Mul", [first, g.add("Add", [first, g.ints(16807)])]));
  const [a, b] = [first, second].map((x) => g.cast(even(x), "int32"));
  return [a, b];
}

/** The first elements along axis 0. For int32, ONNX Runtime's WebGPU has Split, but no Slice. */
const head = (g: GraphBuilder, values: string, count: string, length: string): string =>
  g.addMany("Split", [values, g.add("Concat", [count, g.add("Sub", [length, count])], { axis: 0 })], 2, {
    axis: 0,
  })[0];
