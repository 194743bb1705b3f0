/** Spans of words and their contexts, drawn from running text as QuickThoughts pairs sentences (Logeswaran and Lee, 2018), and their batches. */

import type { Featurizer } from "../../architectures/architecture.js";
import { CONTEXT, PUNCTUATION } from "../../architectures/contexts.js";
import { numbered } from "../../disjoint-sets.js";
import { batchSeed, createRandom, drawWeighted, type Random } from "../../random.js";
import { type Feeds, int32 } from "../../runtime/tensor.js";
import type { TrainingData } from "../../training/trainer.js";
import type { NumberedText } from "./numbered-text.js";

/** Probabilities of spans of one, two, three and four words. */
const LENGTHS = [0.22, 0.42, 0.26, 0.1].map((weight, i) => ({ weight, words: i + 1 }));

/** Words above this frequency are drawn less often (word2vec's subsampling; Mikolov et al., 2013). */
const FREQUENT = 3e-5;
/** Words this frequent begin or end a phrase only in one span of five. */
const EDGE_FREQUENCY = 2e-3;
const EDGES_ALLOWED = 0.2;
const WINDOW = 14;

export interface Spans {
  /** Where each span begins in its text. */
  readonly starts: Int32Array;
  /** Words of each span; one length for all, so that nothing is padded. */
  readonly length: number;
}

/** Draws up to `count` spans of one length from a text; fewer where the text has hardly any. */
export type DrawSpans = (text: Int32Array, count: number, random: Random, length?: number) => Spans;

/** Spans have no punctuation, and each is kept with the mean probability of its words. */
export function spanSampler({ counts }: Pick<NumberedText, "counts">): DrawSpans {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const keep = Float32Array.from(counts, (count) => Math.min(1, Math.sqrt((FREQUENT * total) / count)));
  const isEdge = Uint8Array.from(counts, (count) => (count / total < EDGE_FREQUENCY ? 1 : 0));
  const suits = (text: Int32Array, start: number, length: number, random: Random): boolean => {
    let kept = 0;
    for (let at = start; at < start + length; at++) {
      if (text[at] <= 0) return false;
      kept += keep[text[at] - 1];
    }
    if (random() > kept / length) return false;
    const edges = isEdge[text[start] - 1] + isEdge[text[start + length - 1] - 1];
    return edges === 2 || random() < EDGES_ALLOWED;
  };
  const spansOf = (text: Int32Array, count: number, random: Random, length: number): Spans => {
    const starts = new Int32Array(count);
    let found = 0;
    for (let tries = 0; text.length >= length && found < count && tries < 2000 * count; tries++) {
      const start = Math.floor(random() * (text.length - length));
      if (suits(text, start, length, random)) starts[found++] = start;
    }
    return { starts: starts.subarray(0, found), length };
  };
  return (text, count, random, wanted) => {
    if (wanted !== undefined) return spansOf(text, count, random, wanted);
    // A text of short lines may have no span of the drawn length.
    for (let length = drawLength(random); ; length--) {
      const spans = spansOf(text, count, random, length);
      if (spans.starts.length > 0 || length === 1) return spans;
    }
  };
}

const drawLength = (random: Random): number => drawWeighted(LENGTHS, random)?.words ?? LENGTHS.length;

/** Contexts as numbers of {@link contextRows}: `bag` [spans, words], `near` [spans, near]; 0 is nothing. */
export function contextsOf(text: Int32Array, { starts, length }: Spans, vocabulary: number) {
  const bag = new Int32Array(starts.length * CONTEXT.words);
  const near = new Int32Array(starts.length * CONTEXT.near);
  const half = CONTEXT.near / 2;
  const row = (token: number): number => {
    if (token < 0) return -token;
    return token > vocabulary ? PUNCTUATION : PUNCTUATION + token;
  };
  starts.forEach((start, span) => {
    const walk = (from: number, step: number, at: number, limit: number, nearAt: number): number => {
      let filled = at;
      for (let i = 0; i < WINDOW; i++) {
        const token = text[from + step * i] ?? 0;
        if (token === 0) break;
        if (i < half) near[nearAt + i] = row(token);
        if (token > 0 && filled < limit) bag[span * CONTEXT.words + filled++] = row(token);
      }
      return filled;
    };
    const before = walk(start - 1, -1, 0, CONTEXT.words / 2, span * CONTEXT.near);
    walk(start + length, 1, before, CONTEXT.words, span * CONTEXT.near + half);
  });
  return { bag, near };
}

/** Equal spans get equal numbers: they are not negatives of each other's contexts. */
export const groupsOf = (text: Int32Array, { starts, length }: Spans): Int32Array =>
  numbered(Array.from(starts, (start) => text.subarray(start, start + length).join()));

/** The spans as phrases. @param words by number, from 1 */
const spanTexts = (text: Int32Array, { starts, length }: Spans, words: readonly string[]): string[] =>
  Array.from(starts, (start) =>
    Array.from(text.subarray(start, start + length), (token) => words[token - 1]).join(" "),
  );

/** The graph's inputs for the contexts of spans: `context_bag`, `context_near` and `span_groups`. */
function contextFeeds(text: Int32Array, spans: Spans, vocabulary: number): Feeds {
  const { bag, near } = contextsOf(text, spans, vocabulary);
  const count = spans.starts.length;
  return {
    context_bag: { type: "int32", dims: [count, CONTEXT.words], data: bag },
    context_near: { type: "int32", dims: [count, CONTEXT.near], data: near },
    span_groups: int32(groupsOf(text, spans)),
  };
}

/** Batches of spans with their contexts, alone or beside pairs: functions of the batch's number. */
interface SpanReading {
  readonly words: readonly string[];
  readonly featurizer: Featurizer;
  /** Words that contexts have numbers for. */
  readonly vocabulary: number;
}

export function createContextBatches(
  text: NumberedText,
  reading: SpanReading,
  { batchSize, seed }: { readonly batchSize: number; readonly seed: number },
): TrainingData {
  const draw = spanSampler(text);
  return {
    fingerprint: `${text.fingerprint} seed ${seed} batch ${batchSize} words ${reading.vocabulary}`,
    batch(index) {
      const spans = draw(text.numbers, batchSize, createRandom(Math.imul(seed, 1_000_003) + index));
      return { feeds: spanFeeds(text.numbers, spans, reading), phrases: spans.starts.length };
    },
  };
}

export function spanFeeds(text: Int32Array, spans: Spans, { words, featurizer, vocabulary }: SpanReading) {
  const phrases = spanTexts(text, spans, words);
  const feeds = contextFeeds(text, spans, vocabulary);
  featurizer.fill(featurizer.read(phrases).rows, Int32Array.from(phrases.keys()), spans.length, feeds);
  return feeds;
}

/** Spans that join batches of pairs. */
export interface ContextSettings {
  readonly text: NumberedText;
  readonly spans: number;
  /** Words that contexts have numbers for. */
  readonly vocabulary: number;
}

/** Gives a batch's spans as texts, with the inputs of their contexts, by the batch's number. */
export function contextSpans({ text, spans, vocabulary }: ContextSettings, seed: number) {
  const draw = spanSampler(text);
  return (batch: number) => {
    const drawn = draw(text.numbers, spans, createRandom(batchSeed(seed, batch) ^ 0x5bd1e995));
    return {
      texts: spanTexts(text.numbers, drawn, text.words),
      feeds: contextFeeds(text.numbers, drawn, vocabulary),
    };
  };
}
