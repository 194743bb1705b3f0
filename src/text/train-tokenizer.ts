/** Trains a tokenizer on phrases: pieces by byte-pair merges, used like WordPiece's, the longest first. */
import { ArgumentError } from "../errors.js";
import { tokenizerSettings, wordPieceTokenizer } from "./tokenizer-file.js";
import { frequentCharacters, learnPieces, mostFrequent } from "./word-pieces.js";

const specialTokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] as const;
/** The most words that pieces are learned from, the most frequent ones. */
const mostWords = 100_000;

/**
 * @param phrases with their counts
 * @param size the most entries of the vocabulary, including special tokens and single characters
 * @param maximumLength tokens that the model will read, special ones included
 * @returns the contents of tokenizer.json and tokenizer_config.json, which transformers reads like BERT's, and the
 * number of entries
 * @throws ArgumentError for a vocabulary that has no room for characters
 */
export function trainTokenizer(
  phrases: Iterable<readonly [phrase: string, count: number]>,
  size: number,
  maximumLength: number,
): { tokenizer: object; config: object; size: number } {
  const words = new Map<string, number>();
  for (const [phrase, count] of phrases)
    for (const word of bertWords(phrase)) words.set(word, (words.get(word) ?? 0) + count);
  // Other characters become [UNK].
  const single = frequentCharacters(words);
  const alone = [...specialTokens, ...single, ...single.map((letter) => `##${letter}`)];
  if (size <= alone.length)
    throw new ArgumentError(
      `a vocabulary of ${size} entries is too small: ${specialTokens.length} special tokens and ${single.length} ` +
        `characters, each at the start of a word and inside it, take ${alone.length}. Choose a larger vocabulary.`,
    );
  const frequent = new Map(mostFrequent(words, mostWords).map((word) => [word, words.get(word)!]));
  const vocabulary = [...new Set([...alone, ...learnPieces(frequent, size - alone.length)])];
  const tokenizer = wordPieceTokenizer(vocabulary, {}, "the trained vocabulary");
  const config = tokenizerSettings(JSON.stringify(tokenizer), maximumLength);
  return { tokenizer, config, size: vocabulary.length };
}

const marks = /\p{Mn}+/gu;
/** A run of anything but spaces, punctuation, signs and Chinese characters, or one of the latter three. */
const wordOrSign = /[^\s\p{P}\p{S}\p{C}\p{Script=Han}]+|[\p{P}\p{S}\p{Script=Han}]/gu;

/** Words as by BERT's normaliser and pre-tokeniser: lower case, without accents, signs separate. */
const bertWords = (phrase: string): string[] =>
  phrase.toLowerCase().normalize("NFD").replace(marks, "").match(wordOrSign) ?? [];
