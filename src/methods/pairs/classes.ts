/** Classes of a table of pairs: labels where the table has them, else phrases that its pairs join. */
import { disjointSets } from "../../disjoint-sets.js";
import type { Pair } from "./pairs.js";

/** Numbers that are equal for phrases of a class. */
export interface PairClasses {
  /** Class of a pair's text and positive. */
  ofPair(pair: Pair): number;
  /** Class of a hard negative. */
  ofPhrase(phrase: string): number;
}

/**
 * @param pairs all of them: pairs without a label that share a phrase are one class
 * @param given numbers below a count, equal for phrases that look the same to the model
 */
export function classesOf(
  pairs: readonly Pair[],
  { groupOf, count }: { groupOf(phrase: string): number; readonly count: number },
): PairClasses {
  const sets = disjointSets(count);
  const setOf = (phrase: string): number => sets.rootOf(groupOf(phrase));
  const labels = new Map<string, number>();
  const labelled = new Map<number, number>();
  const labelOf = (label: string): number => {
    const number = labels.get(label) ?? -1 - labels.size;
    labels.set(label, number);
    return number;
  };
  for (const { text, positive, label = "" } of pairs)
    if (label === "") sets.unite(groupOf(text), groupOf(positive));
    else
      for (const phrase of [text, positive])
        if (!labelled.has(groupOf(phrase))) labelled.set(groupOf(phrase), labelOf(label));
  return {
    ofPair: ({ text, label = "" }) => (label === "" ? setOf(text) : labelOf(label)),
    ofPhrase: (phrase) => labelled.get(groupOf(phrase)) ?? setOf(phrase),
  };
}
