/**
 * Running text as numbers in memory: words by falling frequency. It takes eight bytes a word or mark while it is read,
 * then four. Nothing is kept on disk: a resumed training reads all texts again.
 */
import { PUNCTUATION } from "../../architectures/contexts.js";
import { readTexts, type TextOptions } from "../../corpus/text/text-sources.js";
import { ArgumentError, MissingDataError } from "../../errors.js";
import { openFingerprint } from "../../files/checksums/fingerprint.js";
import { foldLetters } from "../../text/accents.js";

/** Distinct words kept at most, the most frequent ones; a rarer word breaks the text. */
const MOST_WORDS = 2_000_000;
/** Numbers that are gathered at a time while texts are read. */
const PORTION = 1 << 20;

export type NumberedText = Awaited<ReturnType<typeof numberedText>>;

const TOKEN = /\p{L}[\p{L}\p{M}]*|\p{N}+|[^\s\p{C}]/gu;
const IS_WORD = /^[\p{L}\p{N}&+#%$€£@]/u;

/** Words and punctuation of a text as encoders read them: lower case, without accents. */
function textTokens(text: string): Iterable<RegExpMatchArray> {
  const lower = text
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .toLowerCase();
  return foldLetters(lower).matchAll(TOKEN);
}

export interface TextsOptions extends TextOptions {
  /** Text files, or tables with a column of text; `.gz` too. */
  readonly texts: readonly string[];
}

/** Reads files of text. @throws TableError; ArgumentError for none; MissingDataError where no text has a word */
export async function readNumberedText({ texts, ...options }: TextsOptions): Promise<NumberedText> {
  if (texts.length === 0) throw new ArgumentError("name at least one text to read");
  async function* all(): AsyncGenerator<string> {
    for (const path of texts) yield* readTexts(path, options);
  }
  return numberedText(all());
}

/** Numbers texts. @throws MissingDataError where none has a word */
export async function numberedText(texts: AsyncIterable<string>) {
  // Ranks are known only when all texts are read: until then, words by their first occurrence.
  const places = new Map<string, number>();
  const punctuation = new Map<string, number>();
  const counts: number[] = [];
  const numberOf = (token: string): number => {
    if (!IS_WORD.test(token)) {
      const mark = punctuation.get(token) ?? Math.min(punctuation.size + 1, PUNCTUATION);
      punctuation.set(token, mark);
      return -mark;
    }
    const number = places.get(token) ?? counts.push(0);
    places.set(token, number);
    counts[number - 1]++;
    return number;
  };
  const portions: Int32Array[] = [];
  let pending: number[] = [];
  const gather = (): void => {
    portions.push(Int32Array.from(pending));
    pending = [];
  };
  for await (const text of texts) {
    for (const [token] of textTokens(text)) pending.push(numberOf(token));
    pending.push(0);
    if (pending.length >= PORTION) gather();
  }
  gather();
  if (places.size === 0)
    throw new MissingDataError(
      "the text holds no words. Give another file, or name the column of text (--column).",
    );
  const { words, ranks } = byFrequency([...places.keys()], counts);
  const numbers = new Int32Array(portions.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const portion of portions)
    for (const number of portion) numbers[at++] = number > 0 ? ranks[number] : number;
  const hash = openFingerprint();
  const bytes = new Uint8Array(numbers.buffer);
  // Node hashes less than 2 GB at once
  for (let from = 0; from < bytes.length; from += PORTION) hash.add(bytes.subarray(from, from + PORTION));
  return {
    /** By falling frequency: word 1 is the first. */
    words: words.map(({ word }) => word),
    counts: Int32Array.from(words, ({ count }) => count),
    /** Words by rank from 1, punctuation below 0, 0 between texts. */
    numbers,
    /** Equal texts have equal ones. */
    fingerprint: hash.end(),
  };
}

/** Words by falling count, then alphabetically, and each number's rank from 1; 0 for words beyond the most. */
function byFrequency(words: readonly string[], counts: readonly number[]) {
  const order = words.map((word, i) => ({ word, count: counts[i], number: i + 1 }));
  order.sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
  const kept = order.slice(0, MOST_WORDS);
  const ranks = new Int32Array(words.length + 1);
  kept.forEach(({ number }, rank) => {
    ranks[number] = rank + 1;
  });
  return { words: kept, ranks };
}
