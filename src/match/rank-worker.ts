/** The worker that ranks rows: it receives the settings once, then parts of the queries. */
import { serve } from "../runtime/worker-server.js";
import { createRanker, type Ranker, type RankPart, type RankSettings } from "./rank-rows.js";

let ranker: Ranker | undefined;

serve({
  async open(settings: RankSettings) {
    ranker = createRanker(settings);
    return { result: undefined };
  },
  async rank(part: RankPart) {
    if (ranker === undefined) throw new Error("rank before open");
    const ranked = ranker(part);
    return {
      result: ranked,
      transfer: [ranked.rows.buffer as ArrayBuffer, ranked.scores.buffer as ArrayBuffer],
    };
  },
  async close() {
    ranker = undefined;
    return { result: undefined };
  },
});
