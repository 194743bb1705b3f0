/** Mines hard negatives: near by edit distance, far by an encoder's cosine (PEARL, Chen et al. 2024, and LOVE's code). */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { EncodeOptions } from "../../encoder/phrase-encoder.js";
import { ArgumentError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { type Kept, ownRange, type Range, type Sharing } from "../../files/shards/shard.js";
import { writeWholeJson } from "../../files/whole-file.js";
import { GROUP } from "../../pearl/hard-negatives/near-phrases.js";
import { buildPhraseStore } from "../../pearl/hard-negatives/phrase-store.js";
import { eachInWorkers, type WorkerPoolOptions } from "../../runtime/worker-pool.js";
import {
  CORPUS_FILES,
  type HardNegative,
  readCorpus,
  readSynonyms,
  writeHardNegatives,
} from "../corpus-folder.js";
import {
  type CompactVectors,
  indexKnownPairs,
  meanCosine,
  shareVectors,
  storeVectors,
} from "./known-pairs.js";
import type { MinedCounts, MinedNegatives, MiningRequest, MiningSetup } from "./mining-worker.js";

/** The part of an encoder that mining needs; PhraseEncoder has it. */
export interface MiningEncoder {
  readonly dimension: number;
  /** Differs between encoders. */
  fingerprint(): Promise<string>;
  /** Vectors [phrases, dimension], row-major. */
  encodeMatrix(
    phrases: readonly string[],
    options?: Pick<EncodeOptions, "signal">,
  ): Promise<{ readonly data: Float32Array }>;
}

/** Options of {@link mineCorpus}: the encoder, and what counts as spelled alike and far in meaning. */
export interface MineOptions {
  /** Its cosines decide what is far in meaning. */
  readonly encoder: MiningEncoder;
  /** A negative's edit ratio is above this; see editRatio. Default 0.7, as the published code. */
  readonly minimumRatio?: number;
  /** Edit ratio less the cosine scaled to 0–1 is above this. Default 0.3, as the published code. */
  readonly margin?: number;
  /** Negatives listed for a phrase at most, 1 to 12. Default 12, as the published code. */
  readonly listed?: number;
  /**
   * Near phrases considered for a phrase at most: the nearest by edit ratio. Default 50. (The published code takes the
   * first 51 in the order of its list.)
   */
  readonly nearest?: number;
  /** Mines one shard of the phrases and ends, or takes what all shards found. */
  readonly sharing?: Sharing;
  /** Threads that search. Default: all available. */
  readonly threads?: number;
  /** Stops within a second; nothing is written. */
  readonly signal?: AbortSignal;
  /** Called with the number of finished phrases after every few hundred. */
  readonly onProgress?: (progress: { step: "encoding" | "mining"; done: number; total: number }) => void;
  /** Called with lines for the user. */
  readonly onNote?: (line: string) => void;
}

/** What {@link mineCorpus} wrote and left out. */
export interface MiningReport extends MinedCounts {
  /** hard-negatives.tsv. */
  readonly path: string;
  /** Mean cosine of random pairs of phrases. */
  readonly floor: number;
  /** Phrases left out: without visible characters, or longer than 256 characters. */
  readonly skipped: { readonly empty: number; readonly tooLong: number };
}

/** Largest number of hard negatives listed for a phrase (PEARL's code lists 12 and draws 2 per step). */
const MOST_LISTED = 12;
const ENCODED_AT_ONCE = 16_384;

/**
 * Writes hard-negatives.tsv into a corpus folder: for each phrase, in the corpus's order, the phrases that are spelled
 * alike and mean something else, best first. A million phrases take 11 minutes on 2 cores (benchmarks/results/mining.json).
 * Memory: about 250 bytes per phrase, plus one byte per dimension of its vector.
 * @throws MissingDataError, TableError, ArgumentError
 */
export async function mineCorpus(folder: string, options: MineOptions): Promise<MiningReport> {
  const { threads, ...settings } = checkedSettings(options);
  options.signal?.throwIfAborted();
  const { phrases, manifest } = await readCorpus(folder);
  const path = join(folder, CORPUS_FILES.hardNegatives);
  const model = await options.encoder.fingerprint();
  const { sharing } = options;
  const mined = roomFor(phrases.length, settings.listed);
  const found =
    sharing?.kind === "merge"
      ? await mergedMining(sharing.parts(), mined, settings.listed)
      : await mineHere(folder, phrases, mined, { ...options, ...settings, threads });
  await writeHardNegatives(folder, listNegatives(phrases, mined, settings.listed));
  const inputs = { format: 1, corpus: manifest.fingerprint, model, settings };
  await writeWholeJson(join(folder, "mining.json"), { ...inputs, ...found });
  return { ...found, path };
}

/** Mines all phrases, or one shard of them and ends. */
async function mineHere(
  folder: string,
  phrases: readonly string[],
  mined: MinedNegatives,
  options: MineOptions & ReturnType<typeof checkedSettings>,
): Promise<Mining> {
  const { minimumRatio, margin, listed, nearest, sharing } = options;
  const vectors = shareVectors(phrases.length, options.encoder.dimension);
  await encodeAll(phrases, vectors, options);
  const store = buildPhraseStore(phrases);
  const { empty, tooLong } = store;
  if (empty > 0)
    options.onNote?.(`phrases skipped because they have no visible characters: ${formatCount(empty)}`);
  if (tooLong > 0)
    options.onNote?.(`phrases skipped because they exceed 256 characters: ${formatCount(tooLong)}`);
  const known = indexKnownPairs(phrases, await readSynonyms(folder));
  const floor = meanCosine(vectors);
  const settings = { minimumRatio, margin, listed, nearest };
  const own = ownRange(store.size, sharing, GROUP);
  const counts = await mineRange({ ...settings, store, known, vectors, floor, mined }, own, options);
  const found = { ...counts, floor, skipped: { empty, tooLong } };
  if (sharing?.kind === "shard")
    sharing.end(keptNegatives(store.rows.subarray(own.from, own.to), mined, listed, found));
  return found;
}

function checkedSettings(options: MineOptions) {
  const settings = {
    minimumRatio: options.minimumRatio ?? 0.7,
    margin: options.margin ?? 0.3,
    listed: options.listed ?? MOST_LISTED,
    nearest: options.nearest ?? 50,
    threads: options.threads ?? availableParallelism(),
  };
  const { minimumRatio, margin } = settings;
  for (const [name, value] of Object.entries({ minimumRatio, margin }))
    if (!(value >= 0 && value < 1))
      throw new ArgumentError(`${name} must be at least 0 and below 1, not ${value}`);
  const limits = { listed: MOST_LISTED, nearest: 10_000, threads: 1024 };
  for (const [name, most] of Object.entries(limits)) {
    const value = settings[name as keyof typeof limits];
    if (!(Number.isInteger(value) && value >= 1 && value <= most))
      throw new ArgumentError(`${name} must be a whole number from 1 to ${most}, not ${value}`);
  }
  return settings;
}

function roomFor(rows: number, listed: number): MinedNegatives {
  const buffer = (bytes: number) => new SharedArrayBuffer(bytes * rows * listed);
  return {
    counts: new Uint8Array(new SharedArrayBuffer(rows)),
    negatives: new Int32Array(buffer(4)),
    ratios: new Float32Array(buffer(4)),
    cosines: new Float32Array(buffer(4)),
  };
}

async function encodeAll(
  phrases: readonly string[],
  vectors: CompactVectors,
  { encoder, signal, onProgress }: MineOptions,
): Promise<void> {
  for (let first = 0; first < phrases.length; first += ENCODED_AT_ONCE) {
    signal?.throwIfAborted();
    const batch = phrases.slice(first, first + ENCODED_AT_ONCE);
    const { data } = await encoder.encodeMatrix(batch, { signal });
    storeVectors(vectors, first, data);
    onProgress?.({ step: "encoding", done: first + batch.length, total: phrases.length });
  }
}

/** Mines the phrases of a range on several threads, into `setup.mined`. */
async function mineRange(
  setup: MiningSetup,
  { from, to }: Range,
  { threads, signal, onNote, onProgress }: MineOptions & { readonly threads: number },
): Promise<MinedCounts> {
  const total = to - from;
  const sum = { phrases: 0, candidates: 0, full: 0, negatives: 0, withNegatives: 0 };
  function* groups(): Generator<MiningRequest> {
    for (let first = from; first < to && !signal?.aborted; first += GROUP)
      yield { first, last: Math.min(first + GROUP, to) };
  }
  const workers: WorkerPoolOptions = {
    ...{ script: "./mining-worker.js", base: import.meta.url, limit: threads },
    open: (worker) => worker.call("open", setup),
  };
  await eachInWorkers(workers, groups(), async (worker, request) => {
    const counts = await worker.call<MinedCounts>("mine", request);
    for (const name of Object.keys(sum) as (keyof MinedCounts)[]) sum[name] += counts[name];
    onProgress?.({ step: "mining", done: sum.phrases, total });
  });
  if (signal?.aborted) {
    const counted = `${formatCount(sum.phrases)} of ${formatCount(total)} phrases were mined`;
    onNote?.(`mining was stopped: ${counted}; nothing was written`);
    throw signal.reason;
  }
  return sum;
}

/** The negatives in the corpus's order. */
function* listNegatives(
  phrases: readonly string[],
  { counts, negatives, ratios, cosines }: MinedNegatives,
  listed: number,
): Generator<HardNegative & { phrase: string }> {
  for (const [row, phrase] of phrases.entries()) {
    const start = row * listed;
    for (let at = start; at < start + counts[row]; at++)
      yield { phrase, negative: phrases[negatives[at]], ratio: ratios[at], cosine: cosines[at] };
  }
}

// Hard negatives as parts of sharded work: those of a shard's phrases, without the empty slots.

/** What mining found, before it is written. */
type Mining = Omit<MiningReport, "path">;

/** @param rows the corpus rows of the shard */
function keptNegatives(
  rows: Int32Array,
  { counts, negatives, ratios, cosines }: MinedNegatives,
  listed: number,
  { phrases, candidates, full, negatives: found, withNegatives, floor, skipped }: Mining,
): Kept {
  const used = Array.from(rows, (row) => counts[row]);
  const slots = [...rows].flatMap((row, place) =>
    Array.from({ length: used[place] }, (_, rank) => row * listed + rank),
  );
  return {
    ...{ rows: Int32Array.from(rows), counts: Uint8Array.from(used) },
    negatives: Int32Array.from(slots, (slot) => negatives[slot]),
    ratios: Float32Array.from(slots, (slot) => ratios[slot]),
    cosines: Float32Array.from(slots, (slot) => cosines[slot]),
    sums: Float64Array.of(phrases, candidates, full, found, withNegatives),
    whole: Float64Array.of(floor, skipped.empty, skipped.tooLong),
  };
}

/** Puts the negatives of all shards into their slots. @returns what one run reports */
async function mergedMining(
  parts: AsyncIterable<Kept>,
  mined: MinedNegatives,
  listed: number,
): Promise<Mining> {
  const sums = new Float64Array(5);
  let whole: Kept[string] = new Float64Array(3);
  for await (const part of parts) {
    let place = 0;
    part.rows.forEach((row, index) => {
      const end = place + part.counts[index];
      mined.counts[row] = part.counts[index];
      mined.negatives.set(part.negatives.subarray(place, end), row * listed);
      mined.ratios.set(part.ratios.subarray(place, end), row * listed);
      mined.cosines.set(part.cosines.subarray(place, end), row * listed);
      place = end;
    });
    part.sums.forEach((sum, index) => {
      sums[index] += sum;
    });
    whole = part.whole;
  }
  const [phrases, candidates, full, negatives, withNegatives] = sums;
  const [floor, empty, tooLong] = whole;
  return { phrases, candidates, full, negatives, withNegatives, floor, skipped: { empty, tooLong } };
}
