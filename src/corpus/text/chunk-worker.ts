/** The worker that counts the phrases of a block of text and writes the counts. */
import { serve } from "../../runtime/worker-server.js";
import { writeRun } from "./phrase-runs.js";
import { createTagger } from "./tagger.js";
import { countPhrases, type ReadWords } from "./text-phrases.js";

/** A block, and the path of its counts. */
export interface ChunkRequest {
  readonly texts: readonly string[];
  readonly path: string;
}

serve({
  // A tagger remembers what it has met: a new one for each block gives a block the same phrases in any worker.
  count: async ({ texts, path }: ChunkRequest) => {
    const { counts, read } = countPhrases(createTagger(), texts);
    await writeRun(path, counts);
    return { result: read satisfies ReadWords };
  },
});
