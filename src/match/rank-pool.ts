/** Ranks rows in worker threads, or in the calling thread if there are too few rows to be worth starting workers. */

import { nearestByEmbedding } from "./candidates/nearest-by-embedding.js";
import { openParts, type PartOptions, type RunOptions } from "./parts/in-parts.js";
import { type RankedRows, type RankRequest, type RankSettings, sentSettings } from "./rank-rows.js";

/** Rows from which a further thread is worth starting: ranking one takes half a millisecond. */
const rowsPerThread = 2048;

/** Two tables whose rows can be ranked; workers stay between calls. */
export interface OpenRanking {
  /** Ranks the base rows for each of these rows of the other table, or of the same, in the order of `queries`. */
  rank(queries: Uint32Array, request: RankRequest, options?: RunOptions): Promise<RankedRows>;
  /** Ends the workers; a later call starts others. */
  close(): Promise<void>;
}

export function openRanking(
  settings: RankSettings,
  options: Pick<PartOptions, "threads" | "itemsPerThread"> = {},
): OpenRanking {
  const { column, candidates } = settings;
  const parts = openParts("rank", sentSettings(settings), { itemsPerThread: rowsPerThread, ...options });
  return {
    async rank(queries, request, options) {
      const { keep, sameTable } = request;
      const asked = sameTable ? { ...column, queries: column.base } : column;
      const k = candidates + (sameTable ? 1 : 0);
      parts.start(queries.length);
      // The sizes of the tables decide how neighbours are found, not how many rows are asked for.
      const total = column.queries.texts.length;
      const near = await nearestByEmbedding(asked, queries, { k, total, signal: options?.signal });
      const rows = new Int32Array(queries.length * keep);
      const scores = new Float32Array(queries.length * keep);
      const work = {
        total: queries.length,
        partAt: (from: number, to: number) => ({
          ...request,
          queries: queries.slice(from, to),
          near: { k: near.k, rows: near.rows.slice(from * near.k, to * near.k) },
        }),
        take: (found: Omit<RankedRows, "keep">, from: number) => {
          rows.set(found.rows, from * keep);
          scores.set(found.scores, from * keep);
        },
      };
      await parts.run(work, options);
      return { keep, rows, scores };
    },
    close: () => parts.close(),
  };
}
