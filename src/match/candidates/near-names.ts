/** Candidates by the embeddings of the naming column. */
import { dotRows } from "../../search/vectors.js";
import type { Field } from "../columns/fields.js";
import { textCount } from "../columns/texts.js";
import { nearestByEmbedding, pickRows } from "./nearest-by-embedding.js";
import type { AddPair } from "./pair-set.js";

/** Embeddings of the values of the naming column, [values, dimension] at unit length. */
export interface NamingVectors {
  readonly data: Float32Array;
  readonly dimension: number;
}

const leastCosine = 0.3;

interface NameSearch {
  readonly vectors: NamingVectors;
  readonly k: number;
  readonly isOneTable: boolean;
  readonly signal?: AbortSignal;
  onShare(share: number): void;
}

/** Rows whose naming values have near embeddings; of equal values, `k` rows at most. */
export async function nearNames(
  { set, left, right }: Field,
  options: NameSearch,
  add: AddPair,
): Promise<void> {
  const { vectors, k, isOneTable, signal, onShare } = options;
  const { data, dimension } = vectors;
  const [leftRows, rightRows] = [left, right].map((values) => rowsByValue(values, textCount(set.texts)));
  const search = async (
    from: number[][],
    to: number[][],
    onProgress: (done: number, total: number) => void,
    take: AddPair,
  ): Promise<void> => {
    const base = [...to.keys()].filter((value) => to[value].length > 0);
    const filled = [...from.keys()].filter((value) => from[value].length > 0);
    const columns = {
      dimension,
      base: { vectors: pickRows(data, Uint32Array.from(base), dimension) },
      queries: { vectors: pickRows(data, Uint32Array.from(filled), dimension) },
    };
    const places = Uint32Array.from(filled.keys());
    const limits = { k: k + (isOneTable ? 1 : 0), total: filled.length, signal, onProgress };
    const near = await nearestByEmbedding(columns, places, limits);
    filled.forEach((value, place) => {
      let left = k;
      for (let at = place * near.k; at < (place + 1) * near.k && near.rows[at] >= 0 && left > 0; at++) {
        const other = base[near.rows[at]];
        if (dotRows(data, value, data, other, dimension) <= leastCosine) continue;
        const partners = to[other];
        const count = Math.min(left, partners.length);
        // Rows with equal values get different partners, so that every row with the value is met.
        from[value].forEach((row, first) => {
          for (let step = 0; step < count; step++) take(row, partners[(first + step) % partners.length]);
        });
        left -= count;
      }
    });
  };
  const half = isOneTable ? 1 : 0.5;
  await search(leftRows, rightRows, (done, total) => onShare((half * done) / total), add);
  if (!isOneTable)
    await search(
      rightRows,
      leftRows,
      (done, total) => onShare(half + (half * done) / total),
      (row, base) => add(base, row),
    );
}

function rowsByValue(values: Int32Array, count: number): number[][] {
  const rows: number[][] = Array.from({ length: count }, () => []);
  values.forEach((value, row) => {
    if (value >= 0) rows[value].push(row);
  });
  return rows;
}
