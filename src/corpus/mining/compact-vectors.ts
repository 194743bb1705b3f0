/** Embeddings of a whole corpus at one byte per dimension, in shared memory. */
import { createRandom } from "../../random.js";
import { mean } from "../../statistics.js";

export interface CompactVectors {
  readonly dimension: number;
  /** [rows, dimension]: each vector scaled so that its largest number is 127. */
  readonly values: Int8Array;
}

export function shareVectors(rows: number, dimension: number): CompactVectors {
  return { dimension, values: new Int8Array(new SharedArrayBuffer(rows * dimension)) };
}

/** Rounds vectors, [rows, dimension], into rows from `first` on. */
export function storeVectors({ dimension, values }: CompactVectors, first: number, data: Float32Array): void {
  for (let start = 0; start < data.length; start += dimension) {
    const row = data.subarray(start, start + dimension);
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = largest > 0 ? 127 / largest : 0;
    values.set(
      row.map((value) => Math.round(value * scale)),
      first * dimension + start,
    );
  }
}

/** Cosine of two rows, within 0.01 of the exact one; 0 where one of them is zero. */
export function compactCosine({ dimension, values }: CompactVectors, a: number, b: number): number {
  const startA = a * dimension;
  const startB = b * dimension;
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let index = 0; index < dimension; index++) {
    const left = values[startA + index];
    const right = values[startB + index];
    both += left * right;
    squaresA += left * left;
    squaresB += right * right;
  }
  return both === 0 ? 0 : both / Math.sqrt(squaresA * squaresB);
}

/** The mean cosine of ten thousand random pairs of rows; 0 for fewer than two rows. */
export function meanCosine(vectors: CompactVectors): number {
  const rows = vectors.values.length / vectors.dimension;
  if (rows < 2) return 0;
  const random = createRandom(0);
  const cosines = Array.from({ length: 10_000 }, () => {
    const a = Math.floor(random() * rows);
    return compactCosine(vectors, a, (a + 1 + Math.floor(random() * (rows - 1))) % rows);
  });
  return mean(cosines);
}
