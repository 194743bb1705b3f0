/**
 * Phrases as words and letters: what a search compares beside embeddings. Case, accents, ae for ä and the legal form at the end
 * of a name make no difference.
 */
import { folded, INNER_CAPITALS } from "./accents.js";
import { hashFeature, normalizedWords } from "./hashed-ngrams.js";
import { wordList } from "./word-lists.js";

/** "Müller" and "Mueller" are both "muller". */
const wordsOf = (phrase: string): string[] =>
  normalizedWords(phrase.replace(INNER_CAPITALS, " "))
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .map((word) => word.replace(/([aou])e/g, "$1"));

const legalForms = wordList(
  "legal-forms",
  (forms) => new Set(forms.flat().map((spelling) => wordsOf(spelling).join(" "))),
);
/** Letters as they are, unlike `wordsOf`: Coe is no "Co", and "& Co" more than "Co". */
const formKey = (text: string): string => folded(text).replace(/[.,]/g, "");
/** The usual spelling of each legal form, by any. */
const usualForms = wordList(
  "legal-forms",
  (forms) => new Map(forms.flatMap((form) => form.map((spelling) => [formKey(spelling), form[0]] as const))),
);
/** "S.A. de C.V." has five. */
const mostFormWords = 5;

function withoutLegalForm(words: string[]): string[] {
  for (let count = Math.min(mostFormWords, words.length - 1); count > 0; count--)
    if (legalForms().has(words.slice(-count).join(" "))) return withoutLegalForm(words.slice(0, -count));
  return words;
}

/** A text with the legal form at its end in its usual spelling: "Acme Incorporated" gives "Acme Inc.". */
export function withUsualForm(text: string): string {
  const words = text.split(" ");
  for (let count = Math.min(mostFormWords, words.length - 1); count > 0; count--) {
    const form = usualForms().get(formKey(words.slice(-count).join(" ")));
    if (form !== undefined) return [...words.slice(0, -count), form].join(" ");
  }
  return text;
}

/** Rows that the terms of a query lead to; those of its rarest term are always looked at. */
export const mostVisited = 5000;

/** The hashes of a phrase's words and of their 3-grams, each once; of a phrase of signs alone, such as "!!!", its own. */
export function phraseTerms(phrase: string): ReadonlySet<number> {
  const terms = new Set<number>();
  const words = withoutLegalForm(wordsOf(phrase));
  if (words.length === 0 && phrase.trim()) terms.add(hashFeature(phrase.trim()));
  for (const word of words) {
    const marked = ` ${word} `;
    terms.add(hashFeature(word));
    for (let from = 0; from + 3 <= marked.length; from++)
      terms.add(hashFeature(marked.slice(from, from + 3)));
  }
  return terms;
}
