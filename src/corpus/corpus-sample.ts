/** A sample of a corpus: frequent phrases of each class and type, and the distribution of counts. */
import { LEXICAL_CLASSES } from "../pearl/phrase-types.js";
import { type Corpus, UNKNOWN_TYPE } from "./corpus-folder.js";
import { FINE_TYPES } from "./typing/fine-types.js";

export type CorpusSample = ReturnType<typeof sampleCorpus>;

/** Phrases shown of each class and type. */
const examples = 3;

/**
 * Describes a corpus.
 * @returns the most frequent phrases of each class and type; phrases by their number of words, the last also of longer
 *   ones; and counts: least, lower quartile, median, upper quartile, most
 */
export function sampleCorpus(corpus: Corpus) {
  const frequentByClass: Record<string, string[]> = {};
  const frequentByType: Record<string, string[]> = {};
  const byWords = new Array<number>(8).fill(0);
  const note = (table: Record<string, string[]>, key: string, phrase: string): void => {
    table[key] ??= [];
    if (table[key].length < examples) table[key].push(phrase);
  };
  for (const [row, phrase] of corpus.phrases.entries()) {
    note(frequentByClass, LEXICAL_CLASSES[corpus.classes[row]], phrase);
    if (corpus.types[row] !== UNKNOWN_TYPE) note(frequentByType, FINE_TYPES[corpus.types[row]], phrase);
    byWords[Math.min(phrase.split(" ").length, byWords.length) - 1]++;
  }
  const sorted = corpus.counts.slice().sort();
  const at = (fraction: number): number => sorted[Math.round(fraction * (sorted.length - 1))] ?? 0;
  return { frequentByClass, frequentByType, byWords, countQuartiles: [0, 0.25, 0.5, 0.75, 1].map(at) };
}
