/** Batches of spans with their contexts, alone or beside pairs: functions of the batch's number, from shards on disk. */
import type { Featurizer } from "../../architectures/architecture.js";
import { batchSeed, createRandom } from "../../random.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingData } from "../../training/trainer.js";
import { contextFeeds, type Spans, spanSampler, spanTexts } from "./spans.js";
import { openShards, shardReader, type TextShards } from "./text-shards.js";

export interface SpanReading {
  readonly words: readonly string[];
  readonly featurizer: Featurizer;
  /** Words that contexts have numbers for. */
  readonly vocabulary: number;
}

export function createContextBatches(
  shards: TextShards,
  reading: SpanReading,
  { batchSize, seed }: { readonly batchSize: number; readonly seed: number },
): TrainingData {
  const draw = spanSampler(shards);
  const read = shardReader(shards);
  return {
    fingerprint: `${shards.fingerprint} seed ${seed} batch ${batchSize} words ${reading.vocabulary}`,
    async batch(index) {
      const text = await read(index);
      const spans = draw(text, batchSize, createRandom(seed * 1_000_003 + index));
      return { feeds: spanFeeds(text, spans, reading), phrases: spans.starts.length };
    },
  };
}

export function spanFeeds(
  text: Int32Array,
  spans: Spans,
  { words, featurizer, vocabulary }: SpanReading,
): Feeds {
  const phrases = spanTexts(text, spans, words);
  const feeds = contextFeeds(text, spans, vocabulary);
  featurizer.fill(featurizer.read(phrases).rows, Int32Array.from(phrases.keys()), spans.length, feeds);
  return feeds;
}

/** Spans that join batches of pairs, as plain data. */
export interface ContextSettings {
  readonly folder: string;
  readonly spans: number;
  /** Words that contexts have numbers for. */
  readonly vocabulary: number;
}

/** A function from a batch's number to its spans as texts, and the inputs of their contexts. */
export async function openContexts({ folder, spans, vocabulary }: ContextSettings, seed: number) {
  const shards = (await openShards(folder)) as TextShards;
  const draw = spanSampler(shards);
  const read = shardReader(shards);
  return async (batch: number) => {
    const text = await read(batch);
    const drawn = draw(text, spans, createRandom(batchSeed(seed, batch) ^ 0x5bd1e995));
    return { texts: spanTexts(text, drawn, shards.words), feeds: contextFeeds(text, drawn, vocabulary) };
  };
}
