/** Gradients added up over the runs of one step: dense ones, and those of tables by the rows that were read. */
import type { Tensor } from "../../runtime/tensor.js";
import type { GradientSink } from "./gradients.js";

export type Gradient =
  | { readonly kind: "dense"; readonly values: Float32Array }
  | {
      /** Row `r` of the table has the gradient `values[slots.get(r) * width ...]`; other rows have zero. */
      readonly kind: "rows";
      readonly width: number;
      readonly slots: ReadonlyMap<number, number>;
      readonly values: Float32Array;
    };

interface RowSum {
  readonly width: number;
  readonly slots: Map<number, number>;
  values: Float32Array;
}

export class GradientSum implements GradientSink {
  readonly #dense = new Map<string, Float32Array>();
  readonly #rows = new Map<string, RowSum>();

  collect(...[graph, { feeds, outputs }, except]: Parameters<GradientSink["collect"]>): void {
    const read = (name: string) => (outputs[name] ?? feeds[name]) as Tensor;
    for (const [name, output] of graph.gradients)
      if (name !== except) this.add(name, read(output).data as Float32Array);
    for (const [name, parts] of graph.rows)
      for (const { indices, values } of parts)
        this.addRows(name, read(indices).data, read(values).data as Float32Array, feeds[name].dims);
  }

  /** Adds a dense gradient, and may keep its array. */
  add(name: string, values: Float32Array): void {
    const sum = this.#dense.get(name);
    if (!sum) this.#dense.set(name, values);
    else for (let i = 0; i < sum.length; i++) sum[i] += values[i];
  }

  /**
   * Adds rows of a table's gradient.
   * @param indices the row of the table for each row of `values`; may repeat; negative ones count from the end
   * @param shape of the table, [rows, ...]
   */
  addRows(
    name: string,
    indices: ArrayLike<number | bigint>,
    values: Float32Array,
    shape: readonly number[],
  ): void {
    const [rows] = shape;
    const width = shape.slice(1).reduce((product, size) => product * size, 1);
    const sum = this.#rows.get(name) ?? { width, slots: new Map(), values: new Float32Array(0) };
    this.#rows.set(name, sum);
    makeRoom(sum, Math.min(rows, sum.slots.size + indices.length));
    const { slots, values: target } = sum;
    for (let k = 0; k < indices.length; k++) {
      const index = Number(indices[k]);
      const row = index < 0 ? index + rows : index;
      const slot = slots.get(row);
      if (slot === undefined) {
        target.set(values.subarray(k * width, (k + 1) * width), slots.size * width);
        slots.set(row, slots.size);
      } else for (let i = slot * width, j = k * width; j < (k + 1) * width; i++, j++) target[i] += values[j];
    }
  }

  /** The sums. Rows of a weight that has a dense gradient too are added to it. */
  gradients(): Map<string, Gradient> {
    const all = new Map<string, Gradient>();
    for (const [name, values] of this.#dense) all.set(name, { kind: "dense", values });
    for (const [name, { width, slots, values }] of this.#rows) {
      const whole = this.#dense.get(name);
      if (!whole) all.set(name, { kind: "rows", width, slots, values });
      else
        for (const [row, slot] of slots)
          for (let i = 0; i < width; i++) whole[row * width + i] += values[slot * width + i];
    }
    this.#rows.clear();
    return all;
  }
}

function makeRoom(sum: RowSum, rows: number): void {
  if (rows * sum.width <= sum.values.length) return;
  const larger = new Float32Array(rows * sum.width);
  larger.set(sum.values);
  sum.values = larger;
}

/** √ Σ g² over all weights, for gradient clipping (Pascanu et al., 2013). NaN or ∞ if a gradient is. */
export function globalNorm(gradients: Iterable<Gradient>): number {
  let total = 0;
  for (const { values } of gradients) {
    // four sums: a single one would wait for each addition
    const whole = values.length & ~3;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let i = 0; i < whole; i += 4) {
      a += values[i] * values[i];
      b += values[i + 1] * values[i + 1];
      c += values[i + 2] * values[i + 2];
      d += values[i + 3] * values[i + 3];
    }
    for (let i = whole; i < values.length; i++) a += values[i] * values[i];
    total += a + b + c + d;
  }
  return Math.sqrt(total);
}
