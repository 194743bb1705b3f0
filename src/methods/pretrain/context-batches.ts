/** Batches of spans with their contexts, a function of the batch's number, from shards on disk. */
import type { Featurizer } from "../../architectures/feature-rows.js";
import { CONTEXT } from "../../architectures/pearl-mini/context.js";
import { createRandom } from "../../random.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingData } from "../../training/trainer.js";
import { shardReader } from "./shard-reader.js";
import { contextsOf, groupsOf, SpanSampler, type Spans } from "./spans.js";
import type { TextShards } from "./text-shards.js";

export interface ContextBatchOptions {
  readonly batchSize: number;
  readonly seed: number;
  /** Words that the encoder has numbers for. */
  readonly vocabulary: number;
}

export function createContextBatches(
  shards: TextShards,
  featurizer: Featurizer,
  { batchSize, seed, vocabulary }: ContextBatchOptions,
): TrainingData {
  const sampler = new SpanSampler(shards);
  const read = shardReader(shards);
  return {
    fingerprint: `${shards.fingerprint} seed ${seed} batch ${batchSize} words ${vocabulary}`,
    async batch(index) {
      const text = await read(index);
      const spans = sampler.draw(text, batchSize, createRandom(seed * 1_000_003 + index));
      return {
        feeds: spanFeeds(text, spans, { words: shards.words, featurizer, vocabulary }),
        phrases: spans.starts.length,
      };
    },
  };
}

interface SpanReading {
  readonly words: readonly string[];
  readonly featurizer: Featurizer;
  readonly vocabulary: number;
}

/** The encoder's inputs, `context_bag`, `context_near` and `span_groups`. */
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

/** The spans as phrases. @param words by number, from 1 */
export const spanTexts = (text: Int32Array, { starts, length }: Spans, words: readonly string[]): string[] =>
  Array.from(starts, (start) =>
    Array.from(text.subarray(start, start + length), (token) => words[token - 1]).join(" "),
  );

/** What stands around spans: `context_bag`, `context_near`; and `span_groups`. */
export function contextFeeds(text: Int32Array, spans: Spans, vocabulary: number): Feeds {
  const { bag, near } = contextsOf(text, spans, vocabulary);
  const count = spans.starts.length;
  return {
    context_bag: { type: "int32", dims: [count, CONTEXT.words], data: bag },
    context_near: { type: "int32", dims: [count, CONTEXT.near], data: near },
    span_groups: { type: "int32", dims: [count], data: groupsOf(text, spans) },
  };
}
