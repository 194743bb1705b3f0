/** Mines a corpus folder's hard negatives: near by edit distance, far by an encoder's cosine (PEARL, Chen et al. 2024, and LOVE's code). */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { EncodeOptions } from "../../encoder/phrase-encoder.js";
import { ArgumentError, InterruptedError } from "../../errors.js";
import { writeWholeJson } from "../../files/whole-file.js";
import {
  type CompactVectors,
  meanCosine,
  shareVectors,
  storeVectors,
} from "../../pearl/hard-negatives/compact-vectors.js";
import { indexKnownPairs } from "../../pearl/hard-negatives/known-pairs.js";
import { buildPhraseStore, type PhraseStore } from "../../pearl/hard-negatives/phrase-store.js";
import { WorkerPool } from "../../runtime/worker-pool.js";
import {
  CORPUS_FILES,
  HARD_NEGATIVES_PER_PHRASE,
  type HardNegative,
  readCorpus,
  readSynonyms,
  writeHardNegatives,
} from "../corpus-folder.js";
import {
  FINISHED,
  type MiningRequest,
  type MiningSetup,
  type Shard,
  type ShardCounts,
  STOP,
} from "./mining-protocol.js";

/** What mining asks of an encoder; a PhraseEncoder has it. */
export interface MiningEncoder {
  readonly dimension: number;
  /** Tells two encoders apart. */
  fingerprint(): Promise<string>;
  /** Vectors [phrases, dimension], row-major. */
  encodeMatrix(
    phrases: readonly string[],
    options?: Pick<EncodeOptions, "signal">,
  ): Promise<{ readonly data: Float32Array }>;
}

export interface MineOptions {
  /** Whose cosines say what is far in meaning. */
  readonly encoder: MiningEncoder;
  /** A negative's edit ratio is above this; see editRatio. Default 0.7, as the published code. */
  readonly minimumRatio?: number;
  /** Edit ratio less the cosine scaled to 0–1 is above this. Default 0.3, as the published code. */
  readonly margin?: number;
  /** Negatives listed for a phrase at most, 1 to 12. Default 12, as the published code. */
  readonly listed?: number;
  /**
   * Near phrases that are weighed for a phrase at most: the nearest by edit ratio. Default 50. (The published code
   * takes the first 51 that its list happens to have.)
   */
  readonly nearest?: number;
  /** Threads that search. Default all that this process may use. */
  readonly threads?: number;
  /** Stops within a second; nothing is written. */
  readonly signal?: AbortSignal;
  /** Called a few times a second with the number of finished phrases. */
  readonly onProgress?: (progress: MiningProgress) => void;
  /** Called with lines for the user. */
  readonly onNote?: (line: string) => void;
}

/** How far a run is. */
export interface MiningProgress {
  readonly step: "encoding" | "mining";
  readonly done: number;
  readonly total: number;
}

/** What was mined. */
export interface MiningReport extends ShardCounts {
  /** hard-negatives.tsv. */
  readonly path: string;
  /** Mean cosine of random pairs of phrases. */
  readonly floor: number;
  /** Phrases left out: without visible characters, or longer than 256 characters. */
  readonly skipped: { readonly empty: number; readonly tooLong: number };
}

type Settings = Required<Pick<MineOptions, "minimumRatio" | "margin" | "listed" | "nearest" | "threads">>;

/** Phrases of a shard: a few seconds of work for a thread. */
const SHARD = 4096;
const ENCODED_AT_ONCE = 16_384;
const PROGRESS_MILLISECONDS = 200;

/**
 * Writes hard-negatives.tsv into a corpus folder: for each phrase, in the corpus's order, the phrases that are spelled
 * alike and mean something else, best first. A million phrases take 11 minutes on 2 cores (benchmarks/mining.mjs).
 * Memory: about 150 bytes per phrase, plus one byte per dimension of its vector.
 * @throws MissingDataError, TableError, ArgumentError; InterruptedError when stopped
 */
export async function mineCorpus(folder: string, options: MineOptions): Promise<MiningReport> {
  const settings = checkedSettings(options);
  const { phrases, manifest } = await readCorpus(folder);
  const path = join(folder, CORPUS_FILES.hardNegatives);
  const { threads, ...changing } = settings;
  const model = await options.encoder.fingerprint();
  const key = { corpus: manifest.fingerprint, model, settings: changing };
  const vectors = shareVectors(phrases.length, options.encoder.dimension);
  await encodeAll(phrases, vectors, options);
  const store = buildPhraseStore(phrases, threads);
  noteSkipped(store, options);
  const known = indexKnownPairs(phrases, await readSynonyms(folder));
  const floor = meanCosine(vectors);
  const setup = { ...settings, store, known, vectors, floor, state: sharedState() };
  const shards = await mineShards(setup, options);
  const counts = sumOf(shards);
  await writeHardNegatives(folder, listNegatives(phrases, shards));
  const record = { ...counts, floor, skipped: { empty: store.empty, tooLong: store.tooLong } };
  await writeWholeJson(join(folder, "mining.json"), { format: 1, ...key, ...record });
  return { ...record, path };
}

function checkedSettings(options: MineOptions): Settings {
  const settings = {
    minimumRatio: options.minimumRatio ?? 0.7,
    margin: options.margin ?? 0.3,
    listed: options.listed ?? HARD_NEGATIVES_PER_PHRASE,
    nearest: options.nearest ?? 50,
    threads: options.threads ?? availableParallelism(),
  };
  const fractions = ["minimumRatio", "margin"] as const;
  for (const name of fractions) {
    const value = settings[name];
    if (!(value >= 0 && value < 1))
      throw new ArgumentError(`${name} must be from 0 to below 1, not ${value}`);
  }
  const limits = { listed: HARD_NEGATIVES_PER_PHRASE, nearest: 10_000, threads: 1024 };
  for (const [name, most] of Object.entries(limits)) {
    const value = settings[name as keyof typeof limits];
    if (!(Number.isInteger(value) && value >= 1 && value <= most))
      throw new ArgumentError(`${name} must be a whole number from 1 to ${most}, not ${value}`);
  }
  return settings;
}

function sharedState(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8));
}

async function encodeAll(
  phrases: readonly string[],
  vectors: CompactVectors,
  { encoder, signal, onProgress }: MineOptions,
): Promise<void> {
  for (let first = 0; first < phrases.length; first += ENCODED_AT_ONCE) {
    if (signal?.aborted) throw stopped(signal, first, phrases.length, "encoded");
    const batch = phrases.slice(first, first + ENCODED_AT_ONCE);
    const { data } = await encoder.encodeMatrix(batch, { signal });
    storeVectors(vectors, first, data);
    onProgress?.({ step: "encoding", done: first + batch.length, total: phrases.length });
  }
}

function stopped(signal: AbortSignal, done: number, total: number, what: string): InterruptedError {
  const counted = `${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} phrases were ${what}`;
  return new InterruptedError(`mining was stopped: ${counted}; nothing was written`, {
    cause: signal.reason,
  });
}

function noteSkipped({ empty, tooLong }: PhraseStore, { onNote }: MineOptions): void {
  if (empty > 0) onNote?.(`skipped ${empty} phrases without visible characters`);
  if (tooLong > 0) onNote?.(`skipped ${tooLong} phrases of more than 256 characters`);
}

/** Mines all shards on several threads; returns them in order. */
async function mineShards(
  setup: Omit<MiningSetup, "thread"> & { readonly threads: number },
  { signal, onProgress }: MineOptions,
): Promise<Shard[]> {
  const { store, state } = setup;
  const waiting: MiningRequest[] = [];
  for (let first = 0; first < store.size; first += SHARD)
    waiting.push({ first, last: Math.min(first + SHARD, store.size) });
  const shards: Shard[] = [];
  const done = (): number => Atomics.load(state, FINISHED);
  const report = (): void => onProgress?.({ step: "mining", done: done(), total: store.size });
  const stop = (): void => void Atomics.store(state, STOP, 1);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const timer = setInterval(report, PROGRESS_MILLISECONDS);
  function* unlessStopped(): Generator<MiningRequest> {
    for (const request of waiting) {
      if (Atomics.load(state, STOP) === 1) return;
      yield request;
    }
  }
  const pool = new WorkerPool({
    script: "./mining-worker.js",
    base: import.meta.url,
    limit: setup.threads,
    open: (worker, thread) => worker.call("open", { ...setup, thread }),
  });
  try {
    await pool.each(unlessStopped(), async (worker, request) => {
      const shard = await worker.call<Shard | undefined>("mine", request);
      if (shard) shards[request.first / SHARD] = shard;
    });
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", stop);
    await pool.close();
  }
  if (signal?.aborted) throw stopped(signal, done(), store.size, "mined");
  report();
  return shards;
}

function sumOf(shards: readonly Shard[]): ShardCounts {
  const sum = { phrases: 0, candidates: 0, full: 0, negatives: 0, withNegatives: 0 };
  for (const { counts } of shards)
    for (const name of Object.keys(sum) as (keyof ShardCounts)[]) sum[name] += counts[name];
  return sum;
}

/** The negatives in the corpus's order. */
function* listNegatives(
  phrases: readonly string[],
  shards: readonly Shard[],
): Generator<HardNegative & { phrase: string }> {
  // Per corpus row: its shard, and the place of its number of negatives in the shard's entries, or -1.
  const shardOf = new Int32Array(phrases.length);
  const places = new Int32Array(phrases.length).fill(-1);
  for (const [index, { entries }] of shards.entries()) {
    for (let at = 0; at < entries.length; at += 2 + 3 * entries[at + 1]) {
      places[entries[at]] = at + 1;
      shardOf[entries[at]] = index;
    }
  }
  for (const [row, phrase] of phrases.entries()) {
    if (places[row] < 0) continue;
    const { entries } = shards[shardOf[row]];
    const floats = new Float32Array(entries.buffer, entries.byteOffset, entries.length);
    const start = places[row] + 1;
    const end = start + 3 * entries[places[row]];
    for (let at = start; at < end; at += 3)
      yield { phrase, negative: phrases[entries[at]], ratio: floats[at + 1], cosine: floats[at + 2] };
  }
}
