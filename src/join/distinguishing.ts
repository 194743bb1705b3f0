/**
 * Words that tell things apart in this table: where several pairs differ in nothing but the same two words
 * ("football" and "baseball"), the table means different things by them. After the negative rules of AutoFJ
 * (Li et al. 2021), which learns them from a table without duplicates; here a difference must recur. A word against
 * nothing is no rule: variants leave out the same words as well.
 */
import type { Links } from "./linkage.js";
import type { WeighedPhrase } from "./views.js";
import { alignWords } from "./words.js";

/** True where two phrases differ by words that tell things apart. */
export type Distinguisher = (a: WeighedPhrase, b: WeighedPhrase) => boolean;

/** Pairs that must differ by the same two words. */
const RECURRING = 3;
/** Only pairs that look alike otherwise are evidence. */
const ALIKE = 0.6;

/** Learns the words from pairs that look alike. */
export function learnDistinguishing(weighed: readonly WeighedPhrase[], links: Links): Distinguisher {
  const counts = new Map<string, number>();
  links.scores.forEach((score, link) => {
    if (score < ALIKE) return;
    const key = difference(weighed[links.left[link]], weighed[links.right[link]]);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  return (a, b) => {
    const key = difference(a, b);
    return key !== undefined && (counts.get(key) ?? 0) >= RECURRING;
  };
}

/** The two words by which phrases differ where one on either side is all; undefined for no or another difference. */
function difference(a: WeighedPhrase, b: WeighedPhrase): string | undefined {
  const met = alignWords(a.words, b.words);
  const left = unmet(a, met.left);
  const right = unmet(b, met.right);
  return left.length === 1 && right.length === 1 ? [left[0], right[0]].sort().join(" | ") : undefined;
}

/** Words without a counterpart, but for those in parentheses. */
function unmet({ words, aside }: WeighedPhrase, met: Float64Array): string[] {
  return words.filter((_, index) => met[index] < 0.5 && !aside[index]);
}
