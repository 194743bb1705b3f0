/** Rows of random vectors for small indexes, and the keys that an index holds. */
import { createRandom } from "../../src/random.js";
import type { VectorIndex } from "../../src/search/vector-index.js";

export const dimension = 16;
export const base = { dimension, columns: ["id", "name"], phraseColumn: "name" } as const;

/** Random rows called `name 0`, `name 1` ... */
export function rowsOf(rows: number, seed = 1, first = 0) {
  const random = createRandom(seed);
  const vectors = Float32Array.from({ length: rows * dimension }, () => random() - 0.5);
  const cells = Array.from({ length: rows }, (_, row) => [`id${first + row}`, `name ${first + row}`]);
  return { vectors, cells };
}

export async function keysOf(index: VectorIndex): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of index.entries()) keys.push(key);
  return keys;
}
