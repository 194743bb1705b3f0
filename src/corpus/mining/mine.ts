/** Mines a corpus folder's hard negatives: near by edit distance, far by an encoder's cosine (PEARL, Chen et al. 2024, and LOVE's code). */
import { rename, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { EncodeOptions } from "../../encoder/phrase-encoder.js";
import { ArgumentError, InterruptedError } from "../../errors.js";
import { startWorker, type WorkerClient } from "../../runtime/worker-client.js";
import {
  CORPUS_FILES,
  HARD_NEGATIVES_PER_PHRASE,
  type HardNegative,
  readCorpus,
  readSynonyms,
  writeHardNegatives,
} from "../corpus-folder.js";
import { type CompactVectors, meanCosine, shareVectors, VectorStoreFile } from "./compact-vectors.js";
import { indexKnownPairs } from "./known-pairs.js";
import { FINISHED, type MiningRequest, type MiningSetup, STOP } from "./mining-protocol.js";
import { workspaceBytes } from "./near-phrases.js";
import { buildPhraseStore, type PhraseStore } from "./phrase-store.js";
import { RunFolder, readShard, type ShardCounts } from "./shards.js";

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
  /** "continue" goes on where an interrupted run of the same corpus, model and settings ended. Default "start-over". */
  readonly resume?: "continue" | "start-over";
  /** Stops soon; what is finished is kept for `resume`. */
  readonly signal?: AbortSignal;
  /** Told about phrases that are finished, some times a second. */
  readonly onProgress?: (progress: MiningProgress) => void;
  /** Told what a person should know, a line each. */
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
  /** Phrases that an earlier run had finished. */
  readonly resumedAt: number;
  /** Mean cosine of phrases drawn by lot. */
  readonly floor: number;
  /** Phrases left out: without visible characters, or longer than 256 characters. */
  readonly skipped: { readonly empty: number; readonly tooLong: number };
}

type Settings = Required<Pick<MineOptions, "minimumRatio" | "margin" | "listed" | "nearest" | "threads">>;

/** Phrases of a shard: some seconds of work, which is what a kill costs. */
const SHARD = 4096;
const ENCODED_AT_ONCE = 16_384;
const PROGRESS_MILLISECONDS = 200;

/**
 * Writes hard-negatives.tsv of a corpus folder: for each phrase, in the corpus's order, the phrases that are spelt
 * alike and mean something else, best first. Memory: about 150 bytes a phrase, and a byte for each number of its vector.
 * @throws MissingDataError, TableError, ArgumentError; InterruptedError when stopped
 */
export async function mineCorpus(folder: string, options: MineOptions): Promise<MiningReport> {
  const settings = checkedSettings(options);
  const { phrases, manifest } = await readCorpus(folder);
  const path = join(folder, CORPUS_FILES.hardNegatives);
  const { threads, ...changing } = settings;
  const model = await options.encoder.fingerprint();
  const key = { corpus: manifest.fingerprint, model, settings: changing };
  const run = await RunFolder.open(path, key, options.resume ?? "start-over");
  if (run.note !== undefined) options.onNote?.(run.note);
  const vectors = shareVectors(phrases.length, options.encoder.dimension);
  await encodeAll(phrases, vectors, run, options);
  const store = buildPhraseStore(phrases, (alphabet) => threads * workspaceBytes(alphabet));
  noteSkipped(store, options);
  const known = indexKnownPairs(phrases, await readSynonyms(folder));
  const floor = meanCosine(vectors);
  const setup = { ...settings, store, known, vectors, floor, state: sharedState() };
  const resumedAt = await mineShards(setup, run, options);
  await run.checkStillOurs();
  const { counts, entries } = await gather(run, store.size, phrases.length);
  await writeHardNegatives(folder, listNegatives(phrases, entries));
  const record = { ...counts, floor, skipped: { empty: store.empty, tooLong: store.tooLong } };
  await writeRecord(folder, { format: 1, ...key, ...record });
  await run.remove();
  return { ...record, path, resumedAt };
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

/** Encodes each phrase once; what an earlier run has encoded is read from its file. */
async function encodeAll(
  phrases: readonly string[],
  vectors: CompactVectors,
  run: RunFolder,
  { encoder, signal, onProgress }: MineOptions,
): Promise<void> {
  const file = await VectorStoreFile.open(run.vectorsPath, vectors);
  try {
    while (file.rows < phrases.length) {
      if (signal?.aborted) throw stopped(signal, file.rows, phrases.length, "encoded");
      const { data } = await encoder.encodeMatrix(phrases.slice(file.rows, file.rows + ENCODED_AT_ONCE), {
        signal,
      });
      await file.append(data);
      onProgress?.({ step: "encoding", done: file.rows, total: phrases.length });
    }
  } finally {
    await file.close();
  }
}

function stopped(signal: AbortSignal, done: number, total: number, what: string): InterruptedError {
  const counted = `${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} phrases are ${what}`;
  return new InterruptedError(`mining was stopped: ${counted}; go on with --resume`, {
    cause: signal.reason,
  });
}

function noteSkipped({ empty, tooLong }: PhraseStore, { onNote }: MineOptions): void {
  if (empty > 0) onNote?.(`${empty} phrases without visible characters are left out`);
  if (tooLong > 0) onNote?.(`${tooLong} phrases of more than 256 characters are left out`);
}

/** Shares the shards that are not finished out over the threads; gives the phrases that were finished before. */
async function mineShards(
  setup: Omit<MiningSetup, "thread"> & { readonly threads: number },
  run: RunFolder,
  { signal, onProgress }: MineOptions,
): Promise<number> {
  const { store, state } = setup;
  const waiting: MiningRequest[] = [];
  let before = 0;
  for (let first = 0; first < store.size; first += SHARD) {
    const last = Math.min(first + SHARD, store.size);
    const index = first / SHARD;
    if (run.finished.has(index)) before += last - first;
    else waiting.push({ first, last, path: run.shardPath(index) });
  }
  const done = (): number => before + Atomics.load(state, FINISHED);
  const report = (): void => onProgress?.({ step: "mining", done: done(), total: store.size });
  const stop = (): void => void Atomics.store(state, STOP, 1);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  const timer = setInterval(report, PROGRESS_MILLISECONDS);
  const workers: WorkerClient[] = [];
  try {
    const work = async (thread: number): Promise<void> => {
      const worker = startWorker("./mining-worker.js", import.meta.url);
      workers.push(worker);
      await worker.call("open", { ...setup, thread });
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        if (Atomics.load(state, STOP) === 1) return;
        await worker.call("mine", next);
      }
    };
    const threads = Math.min(setup.threads, waiting.length);
    await Promise.all(Array.from({ length: threads }, (_, thread) => work(thread)));
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", stop);
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  if (signal?.aborted) throw stopped(signal, done(), store.size, "mined");
  report();
  return before;
}

/** Negatives of all phrases as the shards have them, and where each corpus row's begin. */
interface Entries {
  /** Per corpus row the place of its number of negatives in `numbers`, or -1. */
  readonly places: Int32Array;
  readonly shards: readonly Int32Array[];
  readonly shardOf: Int32Array;
}

async function gather(
  run: RunFolder,
  size: number,
  rows: number,
): Promise<{ counts: ShardCounts; entries: Entries }> {
  const places = new Int32Array(rows).fill(-1);
  const shardOf = new Int32Array(rows);
  const shards: Int32Array[] = [];
  const counts = { phrases: 0, candidates: 0, full: 0, negatives: 0, withNegatives: 0 };
  for (let index = 0; index * SHARD < size; index++) {
    const shard = await readShard(run.shardPath(index));
    for (const name of Object.keys(counts) as (keyof ShardCounts)[]) counts[name] += shard.counts[name];
    for (let at = 0; at < shard.entries.length; at += 2 + 3 * shard.entries[at + 1]) {
      places[shard.entries[at]] = at + 1;
      shardOf[shard.entries[at]] = index;
    }
    shards.push(shard.entries);
  }
  return { counts, entries: { places, shards, shardOf } };
}

/** The negatives in the corpus's order. */
function* listNegatives(
  phrases: readonly string[],
  { places, shards, shardOf }: Entries,
): Generator<HardNegative & { phrase: string }> {
  for (const [row, phrase] of phrases.entries()) {
    if (places[row] < 0) continue;
    const numbers = shards[shardOf[row]];
    const floats = new Float32Array(numbers.buffer, numbers.byteOffset, numbers.length);
    const start = places[row] + 1;
    const end = start + 3 * numbers[places[row]];
    for (let at = start; at < end; at += 3) {
      yield { phrase, negative: phrases[numbers[at]], ratio: floats[at + 1], cosine: floats[at + 2] };
    }
  }
}

/** Says beside the negatives how they were made. */
async function writeRecord(folder: string, record: object): Promise<void> {
  const path = join(folder, "mining.json");
  await writeFile(`${path}.new`, `${JSON.stringify(record, null, 2)}\n`);
  await rename(`${path}.new`, path);
}
