/** Ranks rows in worker threads, or in the calling thread if there are too few rows to be worth starting workers. */
import { nearestByEmbedding } from "./candidates/nearest-by-embedding.js";
import { inParts, type PartOptions } from "./parts/in-parts.js";
import type { RankedRows, RankSettings } from "./rank-rows.js";

/** Rows from which a further thread is worth starting: ranking one takes half a millisecond. */
const rowsPerThread = 2048;

/** Ranks the base rows for each of the query rows, in the order of `queries`. */
export async function rankRows(
  settings: RankSettings,
  queries: Uint32Array,
  options: PartOptions,
): Promise<RankedRows> {
  const { keep, column, sameTable } = settings;
  const k = settings.candidates + (sameTable ? 1 : 0);
  const near = await nearestByEmbedding(column, queries, { k, signal: options.signal });
  const rows = new Int32Array(queries.length * keep);
  const scores = new Float32Array(queries.length * keep);
  await inParts(
    "rank",
    {
      settings,
      total: queries.length,
      partAt: (from, to) => ({
        queries: queries.slice(from, to),
        near: { k: near.k, rows: near.rows.slice(from * near.k, to * near.k) },
      }),
      take: (found, from) => {
        rows.set(found.rows, from * keep);
        scores.set(found.scores, from * keep);
      },
    },
    { itemsPerThread: rowsPerThread, ...options },
  );
  return { keep, rows, scores };
}
