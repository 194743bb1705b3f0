/** Running text as numbers on disk: words by falling frequency, in shards that training reads one at a time. */
import { mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { PUNCTUATION } from "../../architectures/contexts.js";
import { readTexts, type TextOptions } from "../../corpus/text/text-sources.js";
import { ArgumentError, MissingDataError } from "../../errors.js";
import { fileFingerprint, fingerprint, openFingerprint } from "../../files/checksums/fingerprint.js";
import { readJson } from "../../files/json.js";
import { isDevice, writeAll, writeWholeJson } from "../../files/whole-file.js";
import { batchSeed, createRandom } from "../../random.js";
import { shownPath, standardInput } from "../../table/read/source.js";
import { foldLetters } from "../../text/accents.js";

/** The shards' folder in a training's work folder; it may stay there, since it records its texts. */
export const textFolder = "text";
/** Count and word a line, by falling frequency. */
const countsFile = "word-counts.tsv";
/** Distinct words kept at most, the most frequent ones; a rarer word breaks the text. */
const MOST_WORDS = 2_000_000;
/** Numbers in a shard at most. */
const SHARD = 8_000_000;
/** Numbers that are written at a time while texts are read. */
const PORTION = 1 << 20;
/** Batches that are drawn from one shard before the next is read. */
const BATCHES_OF_A_SHARD = 4;

export interface TextShards {
  readonly folder: string;
  /** By falling frequency: word 1 is the first. */
  readonly words: readonly string[];
  readonly counts: Int32Array;
  readonly tokens: number;
  readonly shards: number;
  /** Of the numbers: equal texts have equal ones. */
  readonly fingerprint: string;
}

const Manifest = v.object({
  source: v.string(),
  tokens: v.number(),
  shards: v.number(),
  fingerprint: v.string(),
});

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

export interface OpenTextsOptions extends TextOptions {
  /** Text files, or tables with a column of text; `.gz` too. */
  readonly texts: readonly string[];
}

/** Files of text as shards. @param folder keeps the shards and is reused for the same files @throws TableError */
export async function openTexts(options: OpenTextsOptions, folder: string): Promise<TextShards> {
  const { texts, column, quote } = options;
  if (texts.length === 0) throw new ArgumentError("name at least one text to read");
  for (const path of texts)
    if (path === standardInput || (await isDevice(path)))
      throw new ArgumentError(
        `${shownPath(path)} can be read only once, and the texts of a pretraining are read twice. Save it to a file first.`,
      );
  const prints = await Promise.all(texts.map(fileFingerprint));
  async function* all(): AsyncGenerator<string> {
    for (const path of texts) yield* readTexts(path, options);
  }
  // shards of one size: those of an older pearl are made again
  return prepareShards(all(), folder, fingerprint(`${column ?? ""} ${quote ?? ""} even`, ...prints));
}

/**
 * Reads texts into shards, unless the folder already holds those of this source.
 * A shard's numbers: words by rank from 1, punctuation below 0, 0 between texts.
 * @param source identifies the texts, for example by a fingerprint of their files
 * @param most numbers in a shard
 * @throws MissingDataError where no text has a word
 */
export async function prepareShards(
  texts: AsyncIterable<string>,
  folder: string,
  source: string,
  most = SHARD,
): Promise<TextShards> {
  const known = await openShards(folder, source);
  if (known !== undefined) return known;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const raw = join(folder, "tokens.raw");
  const { numbers, counts, tokens } = await readNumbers(texts, raw);
  if (numbers.size === 0)
    throw new MissingDataError(
      "the text holds no words. Give another file, or name the column of text (--column).",
    );
  const { words, ranks } = byFrequency([...numbers.keys()], counts);
  const written = await writeShards(raw, folder, ranks, evenly(tokens, most));
  await rm(raw);
  await writeFile(join(folder, countsFile), words.map(({ word, count }) => `${count}\t${word}`).join("\n"));
  await writeWholeJson(join(folder, "shards.json"), { source, tokens, ...written });
  return (await openShards(folder)) as TextShards;
}

/** The shards of a folder; undefined where it holds none, or (if `source` is given) those of other texts. */
export async function openShards(folder: string, source?: string): Promise<TextShards | undefined> {
  const trouble = { error: MissingDataError, cure: "Remove this folder to read the texts again." };
  const manifest = await readJson(join(folder, "shards.json"), Manifest, trouble);
  if (manifest === undefined || (source !== undefined && manifest.source !== source)) return undefined;
  const listed = await readFile(join(folder, countsFile), "utf8").catch(() => undefined);
  if (listed === undefined) return undefined;
  const rows = listed.split("\n").map((line) => line.split("\t"));
  const counts = Int32Array.from(rows, ([count]) => Number(count));
  return { folder, words: rows.map(([, word]) => word), counts, ...manifest };
}

/** One shard, its numbers as they lie on disk (little-endian). */
export async function readShard({ folder }: Pick<TextShards, "folder">, index: number): Promise<Int32Array> {
  const bytes = await readFile(shardPath(folder, index));
  return new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** Gives the shard that a batch is drawn from; one shard is in memory at a time. */
export function shardReader(shards: TextShards, seed: number): (batch: number) => Promise<Int32Array> {
  let current: { readonly index: number; readonly text: Promise<Int32Array> } | undefined;
  return (batch) => {
    // in random order: a shard has few texts, and training would remember the last ones best
    const random = createRandom(batchSeed(seed, Math.floor(batch / BATCHES_OF_A_SHARD)));
    const index = Math.floor(random() * shards.shards);
    if (current?.index !== index) current = { index, text: readShard(shards, index) };
    return current.text;
  };
}

const shardPath = (folder: string, index: number): string => join(folder, `tokens-${index}.i32`);

/** Writes words by order of first occurrence; ranks are known only when all texts are read. */
async function readNumbers(texts: AsyncIterable<string>, path: string) {
  const numbers = new Map<string, number>();
  const punctuation = new Map<string, number>();
  const counts: number[] = [];
  let tokens = 0;
  const numberOf = (token: string): number => {
    if (!IS_WORD.test(token)) {
      const mark = punctuation.get(token) ?? Math.min(punctuation.size + 1, PUNCTUATION);
      punctuation.set(token, mark);
      return -mark;
    }
    const number = numbers.get(token) ?? counts.push(0);
    numbers.set(token, number);
    counts[number - 1]++;
    return number;
  };
  const file = await open(path, "w");
  let pending: number[] = [];
  const flush = async (): Promise<void> => {
    await writeAll(file, new Uint8Array(Int32Array.from(pending).buffer), 4 * tokens);
    tokens += pending.length;
    pending = [];
  };
  try {
    for await (const text of texts) {
      for (const [token] of textTokens(text)) pending.push(numberOf(token));
      pending.push(0);
      if (pending.length >= PORTION) await flush();
    }
    await flush();
  } finally {
    await file.close();
  }
  return { numbers, counts, tokens };
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

/** The size of the fewest shards that are equal: batches are drawn from each as often, however short it is. */
const evenly = (tokens: number, most: number): number => Math.ceil(tokens / Math.ceil(tokens / most));

async function writeShards(raw: string, folder: string, ranks: Int32Array, size: number) {
  const file = await open(raw, "r");
  const hash = openFingerprint();
  try {
    for (let index = 0; ; index++) {
      const bytes = new Uint8Array(4 * size);
      const { bytesRead } = await file.read(bytes, 0, bytes.length);
      if (bytesRead === 0) return { shards: index, fingerprint: hash.end() };
      const numbers = new Int32Array(bytes.buffer, 0, bytesRead / 4);
      for (let i = 0; i < numbers.length; i++) if (numbers[i] > 0) numbers[i] = ranks[numbers[i]];
      const mapped = bytes.subarray(0, bytesRead);
      hash.add(mapped);
      await writeFile(shardPath(folder, index), mapped);
    }
  } finally {
    await file.close();
  }
}
