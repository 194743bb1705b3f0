/** The worker that counts the phrases of texts, and types phrases. */
import { serve } from "../runtime/worker-server.js";
import { type RankedPhrase, writeCounts } from "./text/phrase-ranking.js";
import { createTagger } from "./text/tagger.js";
import { countPhrases, type ReadWords } from "./text/text-phrases.js";
import { createPhraseTyper, type TypeLabel } from "./typing/phrase-typer.js";

/** A block of text, the path of its counts, and the number of characters up to its end. */
export interface CountRequest {
  readonly texts: readonly string[];
  readonly path: string;
  readonly end: number;
}

// wink-nlp remembers the words it has met: a new tagger or typer for each request gives it the same answer in any worker.
serve({
  async count({ texts, path }: CountRequest) {
    const { counts, read } = countPhrases(createTagger(), texts);
    await writeCounts(path, counts);
    return { result: read satisfies ReadWords };
  },
  async type(batch: readonly RankedPhrase[]) {
    const typer = await createPhraseTyper();
    const labels = batch.map(({ phrase, lexicalClass }) => typer(phrase, lexicalClass));
    return { result: labels satisfies readonly (TypeLabel | undefined)[] };
  },
});
