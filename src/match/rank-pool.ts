/** Ranks rows in worker threads, or in the calling thread if there are too few rows to be worth starting workers. */
import type { Range } from "../files/shards/shard.js";
import { nearestByEmbedding } from "./candidates/nearest-by-embedding.js";
import { type RankedRows, type RankRequest, type RankSettings, sentSettings } from "./rank-rows.js";
import { openRanges, type RangeOptions, type RunOptions } from "./run/partition.js";

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
  options: Pick<RangeOptions, "threads" | "itemsPerThread"> = {},
): OpenRanking {
  const { column, candidates } = settings;
  const ranges = openRanges("rank", sentSettings(settings), { itemsPerThread: rowsPerThread, ...options });
  return {
    async rank(queries, request, options) {
      const { keep, sameTable } = request;
      const asked = sameTable ? { ...column, queries: column.base } : column;
      const k = candidates + (sameTable ? 1 : 0);
      ranges.start(queries.length);
      // The sizes of the tables decide how neighbours are found, not how many rows are asked for.
      const total = column.queries.texts.length;
      const near = await nearestByEmbedding(asked, queries, { k, total, signal: options?.signal });
      const rows = new Int32Array(queries.length * keep);
      const scores = new Float32Array(queries.length * keep);
      const work = {
        total: queries.length,
        itemsIn: ({ from, to }: Range) => ({
          ...request,
          queries: queries.slice(from, to),
          near: { k: near.k, rows: near.rows.slice(from * near.k, to * near.k) },
        }),
        take: (found: Omit<RankedRows, "keep">, { from }: Range) => {
          rows.set(found.rows, from * keep);
          scores.set(found.scores, from * keep);
        },
      };
      await ranges.run(work, options);
      return { keep, rows, scores };
    },
    close: () => ranges.close(),
  };
}
