/** A tagger of spans that learned from a few sentences: its training, its file and its tags for other sentences. */
import * as v from "valibot";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError } from "../../errors.js";
import { writeCheckedJson } from "../../files/whole-file.js";
import { pauses } from "../../match/run/pause.js";
import { dotRows } from "../../search/vectors.js";
import { productsBetweenPauses } from "../classify/classifiers.js";
import type { KindFeatures, LearnedModel } from "../classify/features.js";
import { checkModel, learnedModelSchema, readLearned } from "../classify/features.js";
import type { Distances, SpanScores, Transitions } from "./decode.js";
import { nearestTags, spanScores, transitionsOf, transitionsSchema, viterbi } from "./decode.js";
import { OUTSIDE, type TaggedSentence } from "./sentences.js";
import { placesOf, type Sentences, tokenFeatures } from "./tokens.js";

/** The sentences that a tagger learned from, and what a source of other tags taught it. */
export interface Tagger {
  readonly model: LearnedModel;
  readonly support: readonly TaggedSentence[];
  readonly transitions?: Transitions;
}

/** Options of {@link trainTagger}. */
export interface TrainTaggerOptions {
  /** Default: the embedded model, loaded for the call. */
  readonly encoder?: PhraseEncoder;
  /** Sentences with other tags, which give transitions from tag to tag; default none. */
  readonly source?: readonly TaggedSentence[];
  readonly signal?: AbortSignal;
}

/** A tagger, and the scores of each sentence's spans by the other sentences; undefined for a single sentence. */
export interface TaggerTraining {
  readonly tagger: Tagger;
  readonly estimate: SpanScores | undefined;
}

/**
 * Learns tags of spans from a few sentences.
 * @throws ArgumentError where no sentence has a span, or a token has no tag
 */
export async function trainTagger(
  support: readonly TaggedSentence[],
  options: TrainTaggerOptions = {},
): Promise<TaggerTraining> {
  if (!support.some(({ tags }) => tags.some((tag) => tag !== OUTSIDE)))
    throw new ArgumentError("no sentence of the support has a span. Tag at least one of each kind.");
  const { source, signal } = options;
  const uneven = [...support, ...(source ?? [])].find(({ tokens, tags }) => tokens.length !== tags.length);
  if (uneven !== undefined)
    throw new ArgumentError(
      `"${uneven.tokens.join(" ")}" has ${uneven.tokens.length} tokens and ${uneven.tags.length} tags. Tag each token, those in no span with O.`,
    );
  return withEncoder(options.encoder, { signal }, async (encoder) => {
    const tagger: Tagger = {
      model: { name: encoder.model.name, fingerprint: await encoder.fingerprint() },
      support,
      ...(source && { transitions: transitionsOf(source) }),
    };
    if (support.length < 2) return { tagger, estimate: undefined };
    const rows = await tokenFeatures(encoder, placesOf(support), { signal });
    const sentenceOf = support.flatMap(({ tokens }, sentence) => tokens.map(() => sentence));
    const isOther = (a: number, b: number) => sentenceOf[a] !== sentenceOf[b];
    const distances = await distancesTo(rows, { ...rows, support }, { counts: isOther, signal });
    const gold = support.map(({ tags }) => tags);
    return { tagger, estimate: spanScores(gold, decoded(support, distances, tagger)) };
  });
}

/** Options of {@link tagSentences}. */
export interface TagOptions {
  /** Default: the model that the tagger learned with, loaded for the call. */
  readonly encoder?: PhraseEncoder;
  /** "nearest" ignores the transitions of the source; default "viterbi", where the tagger has them. */
  readonly decoding?: "viterbi" | "nearest";
  readonly signal?: AbortSignal;
  readonly onProgress?: (finished: number, total: number) => void;
}

/** Sentences that are encoded at a time. */
const CHUNK = 256;

/**
 * Tags of each sentence's tokens: the label of a span, or O. Neighbouring spans of one label become one.
 * @throws ModelError for another model than the tagger learned with; ArgumentError for Viterbi without transitions
 */
export async function tagSentences(
  sentences: Sentences,
  tagger: Tagger,
  { encoder: given, decoding, signal, onProgress }: TagOptions = {},
): Promise<string[][]> {
  if (decoding === "viterbi" && tagger.transitions === undefined)
    throw new ArgumentError(
      "the tagger has no transitions, which Viterbi needs: train it with --source, or leave --decoding out.",
    );
  return withEncoder(given, { source: tagger.model.source, signal }, async (encoder) => {
    await checkModel(encoder, tagger.model, { learned: "the tagger learned", again: "the tagger" });
    const { support } = tagger;
    const known = { ...(await tokenFeatures(encoder, placesOf(support), { signal })), support };
    const used = decoding === "nearest" ? { ...tagger, transitions: undefined } : tagger;
    const tags: string[][] = [];
    for (let from = 0; from < sentences.length; from += CHUNK) {
      const chunk = sentences.slice(from, from + CHUNK);
      const rows = await tokenFeatures(encoder, placesOf(chunk), { signal });
      tags.push(...decoded(chunk, await distancesTo(rows, known, { signal }), used));
      onProgress?.(tags.length, sentences.length);
    }
    return tags;
  });
}

const labelsOf = (support: readonly TaggedSentence[]) => [...new Set(support.flatMap(({ tags }) => tags))];

interface DistanceOptions {
  /** Whether row b of the support counts for row a; default always. */
  readonly counts?: (a: number, b: number) => boolean;
  readonly signal?: AbortSignal;
}

/** Of each row, the smallest squared distance to a token of each label. */
export async function distancesTo(
  { data, dimension }: KindFeatures,
  known: KindFeatures & Pick<Tagger, "support">,
  { counts = () => true, signal }: DistanceOptions = {},
): Promise<Float64Array[]> {
  const labels = labelsOf(known.support);
  const labelOf = known.support.flatMap(({ tags }) => tags.map((tag) => labels.indexOf(tag)));
  const pause = pauses(signal, Math.ceil(productsBetweenPauses / known.data.length));
  const distances: Float64Array[] = [];
  for (let row = 0; row < data.length / dimension; row++) {
    const pausing = pause();
    if (pausing) await pausing;
    const nearest = new Float64Array(labels.length).fill(4);
    labelOf.forEach((label, other) => {
      if (!counts(row, other)) return;
      const distance = 2 - 2 * dotRows(data, row, known.data, other, dimension);
      if (distance < nearest[label]) nearest[label] = distance;
    });
    distances.push(nearest);
  }
  return distances;
}

export function decoded(
  sentences: Sentences,
  distances: Distances,
  { support, transitions }: Pick<Tagger, "support" | "transitions">,
): string[][] {
  const labels = labelsOf(support);
  let at = 0;
  return sentences.map(({ tokens }) => {
    const own = distances.slice(at, at + tokens.length);
    at += tokens.length;
    return transitions ? viterbi(own, labels, transitions) : nearestTags(own, labels);
  });
}

const Strings = v.array(v.string());
const TaggerFile = v.object({
  format: v.literal(1),
  model: learnedModelSchema,
  support: v.array(v.object({ tokens: Strings, tags: Strings })),
  transitions: v.optional(transitionsSchema),
  // A layer that taggers of pearl 0.1 may have, without which they give other tags.
  projection: v.optional(v.never()),
});

/** Writes a tagger as a JSON file. */
export const writeTagger = (path: string, tagger: Tagger): Promise<void> =>
  writeCheckedJson(path, { format: 1, ...tagger });

/** Reads what {@link writeTagger} wrote. @throws MissingDataError */
export async function readTagger(path: string): Promise<Tagger> {
  const file = await readLearned(path, TaggerFile, "pearl tag train SUPPORT");
  const { format: _, projection: __, ...tagger } = file;
  return tagger;
}
