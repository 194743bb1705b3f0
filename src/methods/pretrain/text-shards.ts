/** Running text as numbers on disk: words by falling frequency, in shards that training reads one at a time. */

import { createHash } from "node:crypto";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PUNCTUATION } from "../../architectures/pearl-mini/context.js";
import { MissingDataError } from "../../errors.js";
import { foldLetters } from "../../text/hashed-ngrams.js";

/** Distinct words kept at most, the most frequent ones; a rarer one breaks the text. */
const MOST_WORDS = 2_000_000;
/** Numbers in a shard. */
const SHARD = 8_000_000;

/** What a folder of shards holds. */
export interface TextShards {
  readonly folder: string;
  /** By falling frequency: word 1 is the first. */
  readonly words: readonly string[];
  /** How often each occurs. */
  readonly counts: Int32Array;
  /** Numbers in all. */
  readonly tokens: number;
  readonly shards: number;
  /** Of the numbers: equal texts have equal ones. */
  readonly fingerprint: string;
}

interface Manifest {
  readonly source: string;
  readonly tokens: number;
  readonly shards: number;
  readonly fingerprint: string;
}

const TOKEN = /\p{L}[\p{L}\p{M}]*|\p{N}+|[^\s\p{C}]/gu;
const IS_WORD = /^[\p{L}\p{N}&+#%$€£@]/u;

/** Words and punctuation of a text as encoders read them, without capitals and accents. */
export function* textTokens(text: string): Generator<{ text: string; isWord: boolean }> {
  const plain = foldLetters(
    text
      .normalize("NFKD")
      .replace(/\p{Mn}+/gu, "")
      .toLowerCase(),
  );
  for (const [token] of plain.matchAll(TOKEN)) yield { text: token, isWord: IS_WORD.test(token) };
}

/**
 * Reads texts into shards; a folder that holds those of the same source already is taken as it is.
 * A shard's numbers: word by rank from 1, punctuation below 0, 0 between texts.
 * @param source tells one set of texts from another, such as a fingerprint of their files
 * @throws MissingDataError where there is no text
 */
export async function prepareShards(
  texts: AsyncIterable<string>,
  folder: string,
  source: string,
  onProgress?: (words: number) => void,
): Promise<TextShards> {
  const known = await knownShards(folder, source);
  if (known !== undefined) return known;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const raw = join(folder, "tokens.raw");
  const { numbers, counts, total } = await readNumbers(texts, raw, onProgress);
  if (numbers.size === 0) throw new MissingDataError("the text holds no words");
  const { words, ranks } = byFrequency([...numbers.keys()], counts);
  const { shards, fingerprint } = await writeShards(raw, folder, ranks);
  await rm(raw);
  await writeFile(join(folder, "words.txt"), words.map(({ word, count }) => `${count}\t${word}`).join("\n"));
  const manifest: Manifest = { source, tokens: total, shards, fingerprint };
  const path = join(folder, "shards.json");
  await writeFile(`${path}.partial`, JSON.stringify(manifest));
  await rename(`${path}.partial`, path);
  return openShards(folder);
}

/** @throws MissingDataError where a folder holds no shards */
export async function openShards(folder: string): Promise<TextShards> {
  const shards = await knownShards(folder);
  if (shards === undefined) throw new MissingDataError(`${folder} holds no text that was read before`);
  return shards;
}

/** The shards of a folder, or undefined where it holds none, whole and of this source. */
async function knownShards(folder: string, source?: string): Promise<TextShards | undefined> {
  const text = await readFile(join(folder, "shards.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const manifest = JSON.parse(text) as Manifest;
  if (source !== undefined && manifest.source !== source) return undefined;
  const lines = (await readFile(join(folder, "words.txt"), "utf8")).split("\n");
  const rows = lines.map((line) => line.split("\t"));
  const counts = Int32Array.from(rows, ([count]) => Number(count));
  return { folder, words: rows.map(([, word]) => word), counts, ...manifest };
}

/** One shard, its numbers as they lie on disk (little-endian). */
export async function readShard({ folder }: Pick<TextShards, "folder">, index: number): Promise<Int32Array> {
  const bytes = await readFile(shardPath(folder, index));
  return new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

const shardPath = (folder: string, index: number): string => join(folder, `tokens-${index}.i32`);

/** Writes numbers in the order of first sight; ranks are known only when all is read. */
async function readNumbers(texts: AsyncIterable<string>, path: string, onProgress?: (words: number) => void) {
  const numbers = new Map<string, number>();
  const punctuation = new Map<string, number>();
  const counts: number[] = [];
  const file = await open(path, "w");
  let buffer = new Int32Array(1 << 20);
  let filled = 0;
  let total = 0;
  const put = async (number: number): Promise<void> => {
    buffer[filled++] = number;
    total++;
    if (filled < buffer.length) return;
    await file.write(new Uint8Array(buffer.buffer));
    buffer = new Int32Array(1 << 20);
    filled = 0;
    onProgress?.(total);
  };
  try {
    for await (const text of texts) {
      for (const { text: token, isWord } of textTokens(text)) {
        if (!isWord) {
          const number = punctuation.get(token) ?? Math.min(punctuation.size + 1, PUNCTUATION);
          punctuation.set(token, number);
          await put(-number);
          continue;
        }
        const number = numbers.get(token) ?? counts.push(0);
        numbers.set(token, number);
        counts[number - 1]++;
        await put(number);
      }
      await put(0);
    }
    await file.write(new Uint8Array(buffer.buffer, 0, 4 * filled));
  } finally {
    await file.close();
  }
  return { numbers, counts, total };
}

/** Words by falling count, then alphabetically, and each number's rank from 1; 0 for words beyond the most. */
function byFrequency(words: readonly string[], counts: readonly number[]) {
  const order = words.map((word, i) => ({ word, count: counts[i], number: i + 1 }));
  order.sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
  const ranks = new Int32Array(words.length + 1);
  order.slice(0, MOST_WORDS).forEach(({ number }, rank) => {
    ranks[number] = rank + 1;
  });
  return { words: order.slice(0, MOST_WORDS), ranks };
}

async function writeShards(raw: string, folder: string, ranks: Int32Array) {
  const file = await open(raw, "r");
  const hash = createHash("sha256");
  try {
    for (let index = 0; ; index++) {
      const bytes = new Uint8Array(4 * SHARD);
      const { bytesRead } = await file.read(bytes, 0, bytes.length);
      if (bytesRead === 0) return { shards: index, fingerprint: hash.digest("hex").slice(0, 16) };
      const numbers = new Int32Array(bytes.buffer, 0, bytesRead / 4);
      for (let i = 0; i < numbers.length; i++) if (numbers[i] > 0) numbers[i] = ranks[numbers[i]];
      const mapped = bytes.subarray(0, bytesRead);
      hash.update(mapped);
      await writeFile(shardPath(folder, index), mapped);
    }
  } finally {
    await file.close();
  }
}
