/**
 * Trains a tokenizer on phrases: pieces by byte-pair merges (word-pieces.ts), used as WordPiece does, the longest
 * first. The result is a tokenizer.json that transformers and transformers.js read like BERT's.
 */
import { ArgumentError } from "../errors.js";
import { tokenizerSettings, wordPieceTokenizer } from "./tokenizer-file.js";
import { learnPieces } from "./word-pieces.js";

export interface TokenizerTrainingOptions {
  /** Entries of the vocabulary at most, special tokens and single characters included. */
  readonly size: number;
  /** Tokens that the model will read, special ones included: for tokenizer_config.json. */
  readonly maximumLength: number;
  /** Characters at most, the most frequent ones; others become [UNK]. Default 1,000. */
  readonly characters?: number;
  /** Words that pieces are learned from at most, the most frequent ones. Default 100,000. */
  readonly words?: number;
}

export interface TrainedTokenizer {
  /** The contents of tokenizer.json. */
  readonly tokenizer: object;
  /** The contents of tokenizer_config.json. */
  readonly config: object;
  /** Entries; fewer than asked for where the phrases hold no more. */
  readonly size: number;
}

const specialTokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] as const;

/**
 * @param phrases with their counts
 * @throws ArgumentError for a vocabulary that has no room for characters
 */
export function trainTokenizer(
  phrases: Iterable<readonly [phrase: string, count: number]>,
  { size, maximumLength, characters = 1000, words: mostWords = 100_000 }: TokenizerTrainingOptions,
): TrainedTokenizer {
  const words = new Map<string, number>();
  const letters = new Map<string, number>();
  for (const [phrase, count] of phrases)
    for (const word of bertWords(phrase)) {
      words.set(word, (words.get(word) ?? 0) + count);
      for (const letter of word) letters.set(letter, (letters.get(letter) ?? 0) + count);
    }
  const frequent = mostFrequent(letters, characters);
  const single = frequent.map(([letter]) => letter).sort();
  const alone = [...specialTokens, ...single, ...single.map((letter) => `##${letter}`)];
  if (size <= alone.length)
    throw new ArgumentError(
      `a vocabulary of ${size} has no room: ${specialTokens.length} special tokens and ${single.length} characters, ` +
        `within and at the beginning of words, are ${alone.length} already. Ask for more.`,
    );
  const pieces = learnPieces(new Map(mostFrequent(words, mostWords)), { size: size - alone.length });
  const vocabulary = [...new Set([...alone, ...pieces])];
  const tokenizer = wordPieceTokenizer(`${vocabulary.join("\n")}\n`, {}, "the trained vocabulary");
  const config = tokenizerSettings(JSON.stringify(tokenizer), maximumLength);
  return { tokenizer, config, size: vocabulary.length };
}

/** The entries of the largest counts; of equal ones those that sort first. */
const mostFrequent = (counts: ReadonlyMap<string, number>, most: number): [string, number][] =>
  [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, most);

const marks = /\p{Mn}+/gu;
/** A run of anything but spaces, punctuation, signs and Chinese characters, or one of the latter three. */
const wordOrSign = /[^\s\p{P}\p{S}\p{C}\p{Script=Han}]+|[\p{P}\p{S}\p{Script=Han}]/gu;

/** The words that BERT's normaliser and pre-tokeniser make of a phrase: small letters, accents off, signs apart. */
const bertWords = (phrase: string): string[] =>
  phrase.toLowerCase().normalize("NFD").replace(marks, "").match(wordOrSign) ?? [];
