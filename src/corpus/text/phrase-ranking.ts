/** Ranks the phrases of texts and tables, and keeps the most frequent in memory of a fixed bound. */
import { InterruptedError } from "../../errors.js";
import { LEXICAL_CLASSES, type LexicalClass } from "../../pearl/phrase-types.js";
import type { GatheredPhrases } from "../phrase-tables.js";
import type { CountedPhrase } from "./phrase-runs.js";

/** A phrase with its total count, and its most frequent class. */
export interface RankedPhrase {
  readonly phrase: string;
  readonly lexicalClass: LexicalClass;
  readonly count: number;
}

interface RankingOptions {
  /** Rarer phrases of texts are dropped; those of tables are not. */
  readonly minimum: number;
  /** Phrases to keep. */
  readonly maximum: number;
  readonly signal?: AbortSignal;
  /** Called with the number of phrases of texts so far. */
  readonly onProgress: (done: number) => void;
}

interface Ranking {
  /** By falling count, equal ones in UTF-16 order: an order without ties. */
  readonly phrases: readonly RankedPhrase[];
  /** Phrases of texts below the minimum. */
  readonly droppedRare: number;
  /** Phrases beyond the maximum. */
  readonly droppedBeyond: number;
}

const PROGRESS_EVERY = 65_536;

export async function rankPhrases(
  ofTexts: AsyncIterable<CountedPhrase>,
  ofTables: GatheredPhrases,
  { minimum, maximum, signal, onProgress }: RankingOptions,
): Promise<Ranking> {
  const phrases: RankedPhrase[] = [];
  let [droppedRare, droppedBeyond, done] = [0, 0, 0];
  const cut = (): void => {
    phrases.sort((left, right) => right.count - left.count || (left.phrase < right.phrase ? -1 : 1));
    droppedBeyond += phrases.splice(maximum).length;
  };
  const add = (phrase: string, counts: readonly number[], least: number): void => {
    const count = counts.reduce((sum, some) => sum + some, 0);
    if (count < least) droppedRare++;
    else phrases.push({ phrase, lexicalClass: LEXICAL_CLASSES[counts.indexOf(Math.max(...counts))], count });
    if (phrases.length >= 2 * maximum) cut();
  };
  const met = new Set<string>();
  for await (const { phrase, counts } of ofTexts) {
    if (++done % PROGRESS_EVERY === 0) {
      onProgress(done);
      if (signal?.aborted) throw new InterruptedError("interrupted; nothing was written");
    }
    const known = ofTables.countsOf(phrase);
    if (known === undefined) add(phrase, counts, minimum);
    else {
      met.add(phrase);
      add(
        phrase,
        counts.map((count, index) => count + known[index]),
        0,
      );
    }
  }
  for (const phrase of ofTables.phrases())
    if (!met.has(phrase)) add(phrase, ofTables.countsOf(phrase) as readonly number[], 0);
  cut();
  return { phrases, droppedRare, droppedBeyond };
}
