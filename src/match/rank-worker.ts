/** The worker that ranks rows: it receives the settings once, then parts of the queries. */
import { serve } from "../runtime/worker-server.js";
import { createRanker, type Ranker, type RankPart, type RankSettings } from "./rank-rows.js";

let rank: Ranker;

serve({
  async open(settings: RankSettings) {
    rank = createRanker(settings);
    return { result: undefined };
  },
  async rank(part: RankPart) {
    const result = rank(part);
    return { result, transfer: [result.rows.buffer as ArrayBuffer, result.scores.buffer as ArrayBuffer] };
  },
});
