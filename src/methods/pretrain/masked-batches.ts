/** Batches of text windows with hidden words, a function of the batch's number, from shards on disk. */
import type { Featurizer } from "../../architectures/feature-rows.js";
import { createRandom, type Random } from "../../random.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingData } from "../../training/trainer.js";
import type { ContextBatchOptions } from "./context-batches.js";
import { type ShardReader, shardReader } from "./shard-reader.js";
import type { TextShards } from "./text-shards.js";

/** Share of words that are hidden (Devlin et al., 2019). */
const HIDDEN_SHARE = 0.15;
/** A letter that no text but one manuscript has stands for a hidden word. */
export const MASK = "ꙮ";
/** Windows of fewer words are not used. */
const SHORTEST = 4;

export interface MaskedBatchOptions extends ContextBatchOptions {
  /** Words of a window at most. */
  readonly phraseLength: number;
}

export function createMaskedBatches(
  shards: TextShards,
  featurizer: Featurizer,
  options: MaskedBatchOptions,
): TrainingData {
  const { batchSize, seed, vocabulary } = options;
  const read: ShardReader = shardReader(shards);
  return {
    fingerprint: `masked ${shards.fingerprint} seed ${seed} batch ${batchSize} words ${vocabulary}`,
    async batch(index) {
      const text = await read(index);
      const random = createRandom(seed * 1_000_003 + index);
      const windows = Array.from({ length: batchSize }, () => drawWindow(text, options, random));
      return { feeds: maskedFeeds(windows, shards, featurizer), phrases: batchSize };
    },
  };
}

/** Words by rank, and which places are hidden. */
export interface Window {
  readonly words: Int32Array;
  readonly hidden: readonly number[];
}

/** A window of one text, punctuation left out, with at least one hidden word that has a number. */
export function drawWindow(
  text: Int32Array,
  { vocabulary, phraseLength }: MaskedBatchOptions,
  random: Random,
): Window {
  for (let tries = 0; tries < 10_000; tries++) {
    const words: number[] = [];
    for (let at = Math.floor(random() * text.length); text[at] !== 0 && at < text.length; at++) {
      if (text[at] > 0) words.push(text[at]);
      if (words.length === phraseLength) break;
    }
    if (words.length < SHORTEST) continue;
    const known = [...words.keys()].filter((place) => words[place] <= vocabulary);
    if (known.length === 0) continue;
    const drawn = known.filter(() => random() < HIDDEN_SHARE);
    const hidden = drawn.length > 0 ? drawn : [known[Math.floor(random() * known.length)]];
    return { words: Int32Array.from(words), hidden };
  }
  throw new RangeError(`the text holds no ${SHORTEST} words in a row`);
}

/** The encoder's inputs, and what is asked: see masked-program.ts. */
export function maskedFeeds(
  windows: readonly Window[],
  { words, counts }: Pick<TextShards, "words" | "counts">,
  featurizer: Featurizer,
): Feeds {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const phrases = windows.map(({ words: ranks, hidden }) =>
    Array.from(ranks, (rank, place) => (hidden.includes(place) ? MASK : words[rank - 1])).join(" "),
  );
  const length = windows.reduce((most, window) => Math.max(most, window.words.length), 0);
  const choices = new Map<number, number>();
  const places: number[] = [];
  const labels: bigint[] = [];
  windows.forEach((window, row) => {
    for (const place of window.hidden) {
      const rank = window.words[place];
      const choice = choices.get(rank) ?? choices.size;
      choices.set(rank, choice);
      places.push(row * length + place);
      labels.push(BigInt(choice));
    }
  });
  const ranks = Int32Array.from(choices.keys());
  const logChances = Float32Array.from(ranks, (rank) => Math.log(counts[rank - 1] / total));
  const feeds: Feeds = {
    masked_places: { type: "int32", dims: [places.length], data: Int32Array.from(places) },
    masked_labels: { type: "int64", dims: [labels.length], data: BigInt64Array.from(labels) },
    choice_ids: { type: "int32", dims: [ranks.length], data: ranks },
    choice_log_chances: { type: "float32", dims: [ranks.length], data: logChances },
  };
  featurizer.fill(featurizer.read(phrases).rows, Int32Array.from(phrases.keys()), length, feeds);
  return feeds;
}
