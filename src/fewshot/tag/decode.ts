/**
 * From distances to tags: each token by its nearest neighbour in the support, or the likeliest sequence by Viterbi with
 * transitions of the source (StructShot: Yang and Katiyar, 2020, "Simple and Effective Few-Shot Named Entity Recognition
 * with Structured Nearest Neighbor Learning", section 3.2; CONTaiNER decodes in the same way).
 */
import * as v from "valibot";
import { OUTSIDE, spansOf, type TaggedSentence } from "./sentences.js";

/** Of each token, the smallest squared distance to a token of each label. */
export type Distances = readonly Float64Array[];

export const nearestTags = (distances: Distances, labels: readonly string[]): string[] =>
  distances.map((own) => labels[own.indexOf(Math.min(...own))]);

export const transitionsSchema = v.object({
  outside: v.object({ outside: v.number(), inside: v.number() }),
  inside: v.object({ outside: v.number(), same: v.number(), other: v.number() }),
});
/** Probabilities of the next tag, whatever the label: from outside, and from inside a span. */
export type Transitions = v.InferOutput<typeof transitionsSchema>;

/** Counts of a source, with one more of each; a sentence begins outside. */
export function transitionsOf(sentences: readonly TaggedSentence[]): Transitions {
  const outside = { outside: 1, inside: 1 };
  const inside = { outside: 1, same: 1, other: 1 };
  for (const { tags } of sentences)
    tags.forEach((tag, i) => {
      const before = tags[i - 1] ?? OUTSIDE;
      if (before === OUTSIDE) outside[tag === OUTSIDE ? "outside" : "inside"]++;
      else inside[tag === OUTSIDE ? "outside" : tag === before ? "same" : "other"]++;
    });
  return { outside: sharesOf(outside), inside: sharesOf(inside) };
}

function sharesOf<Counts extends Record<string, number>>(counts: Counts): Counts {
  const total = Object.values(counts).reduce((sum, count) => sum + count);
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count / total])) as Counts;
}

/** Distances times this are minus the logarithms of a label's probability, up to a constant. */
export const SHARPNESS = 20;

/** The likeliest tags of a sentence. */
export function viterbi(distances: Distances, labels: readonly string[], transitions: Transitions): string[] {
  const others = Math.max(labels.length - 1, 1);
  const step = (from: string, to: string): number => {
    const { outside, inside } = transitions;
    if (from === OUTSIDE) return Math.log(to === OUTSIDE ? outside.outside : outside.inside / others);
    if (to === OUTSIDE) return Math.log(inside.outside);
    return Math.log(to === from ? inside.same : inside.other / Math.max(others - 1, 1));
  };
  // A sentence begins outside, whether or not that is one of the labels.
  let scores: number[] | undefined;
  const origins = distances.map((own) => {
    const ways = labels.map((to, i) => {
      const through = scores?.map((score, j) => score + step(labels[j], to)) ?? [step(OUTSIDE, to)];
      const score = Math.max(...through);
      return { origin: through.indexOf(score), score: score - SHARPNESS * own[i] };
    });
    scores = ways.map(({ score }) => score);
    return ways.map(({ origin }) => origin);
  });
  let at = scores?.indexOf(Math.max(...scores)) ?? 0;
  const tags: string[] = [];
  for (const origin of origins.toReversed()) {
    tags.unshift(labels[at]);
    at = origin[at];
  }
  return tags;
}

/** Precision, recall and F1 of whole spans with their labels. */
export interface SpanScores {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

type Tags = readonly (readonly string[])[];

export function spanScores(gold: Tags, found: Tags): SpanScores {
  const [wanted, given] = [gold, found].map(
    (all) => new Set(all.flatMap((tags, i) => spansOf(tags).map((span) => JSON.stringify([i, span])))),
  );
  const right = [...given].filter((span) => wanted.has(span)).length;
  return {
    precision: right / Math.max(given.size, 1),
    recall: right / Math.max(wanted.size, 1),
    f1: (2 * right) / Math.max(given.size + wanted.size, 1),
  };
}
