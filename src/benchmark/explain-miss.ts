/**
 * Explains a miss by spelling: the words and letter groups that the choice and the answer share with the query. The
 * model may have other reasons; these are the ones that a reader can check.
 */
import { charWbNgrams } from "../text/char-ngrams.js";
import type { Miss } from "./task.js";

export function explainMiss({ query, expected, chosen, expectedScore }: Miss): string {
  if (expectedScore === null) return "the answer, in this spelling, is not among the candidates";
  const [own, inChosen, inExpected] = [query, chosen, expected].map(wordsOf);
  const chosenOnly = [...inChosen].filter((word) => own.has(word) && !inExpected.has(word));
  const expectedOnly = [...inExpected].filter((word) => own.has(word) && !inChosen.has(word));
  const [inChoice, inAnswer] = [chosen, expected].map((text) => Math.round(100 * overlap(query, text)));
  const parts = [
    chosenOnly.length > 0 ? `only the choice shares ${listed(chosenOnly)} with the query` : "",
    expectedOnly.length > 0 ? `only the answer shares ${listed(expectedOnly)}` : "",
    `the query shares ${inChoice} % of its letter groups with the choice, ${inAnswer} % with the answer`,
  ];
  return parts.filter((part) => part !== "").join("; ");
}

const wordsOf = (text: string): Set<string> =>
  new Set(text.toLowerCase().match(/[\p{Letter}\p{Mark}\p{Number}]+/gu) ?? []);

function listed(words: readonly string[]): string {
  const shown = words.slice(0, 4).map((word) => `“${word}”`);
  return words.length > 4 ? `${shown.join(", ")} and ${words.length - 4} more` : shown.join(", ");
}

/** The fraction of the query's distinct letter groups of three that the text has too. */
function overlap(query: string, text: string): number {
  const [own, other] = [query, text].map((phrase) => new Set(charWbNgrams(phrase, { min: 3, max: 3 })));
  return own.size === 0 ? 0 : [...own].filter((group) => other.has(group)).length / own.size;
}
