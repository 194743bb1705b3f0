/**
 * What a tagger reads of a token: the word, its neighbours and the three words together, as features of phrases; and a
 * representation of these learned on a source with other tags, by the objective `gaussian` of CONTaiNER (Das, Katiyar,
 * Passonneau and Zhang, 2022): a linear layer under the projections to mean and variance, which serve the training alone.
 * Here the encoder is not trained, so that tokens are compared by its features and by that layer.
 */
import { groupBy } from "../../by-key.js";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { ArgumentError } from "../../errors.js";
import { linear } from "../../nn/layers.js";
import { createNet, fromSeed, splitEvenly } from "../../nn/net.js";
import { objectiveLoss } from "../../objectives/registry.js";
import { createRandom, type Random, sampleWithout } from "../../random.js";
import { type Feeds, int32 } from "../../runtime/tensor.js";
import { dotRows, gatherRows, unitRows } from "../../search/vectors.js";
import { train } from "../../training/trainer.js";
import { type KindFeatures, kindFeatures } from "../classify/features.js";
import { OUTSIDE, type TaggedSentence } from "./sentences.js";
import type { TrainTaggerOptions } from "./tagger.js";

/** The words of a view around a token, with the factor of its features: chosen on CoNLL-2003's development half. */
const views = [
  { from: 0, to: 1, factor: 1 },
  { from: -1, to: 2, factor: 0.5 },
  { from: -1, to: 0, factor: 0.4 },
  { from: 1, to: 2, factor: 0.4 },
] as const;

/** A token of a sentence. */
interface TokenPlace {
  readonly tokens: readonly string[];
  readonly at: number;
  readonly tag?: string;
}

/** Sentences whose tags may be unknown. */
export type Sentences = readonly (Pick<TaggedSentence, "tokens"> & Partial<TaggedSentence>)[];

/** Every token, sentence after sentence. */
export const placesOf = (sentences: Sentences): TokenPlace[] =>
  sentences.flatMap(({ tokens, tags }) => tokens.map((_, at) => ({ tokens, at, tag: tags?.[at] })));

/** Features of tokens; each row has length 1. */
export async function tokenFeatures(
  encoder: PhraseEncoder,
  places: readonly TokenPlace[],
  options: Parameters<typeof kindFeatures>[2] = {},
): Promise<KindFeatures> {
  const phrases = places.flatMap(({ tokens, at }) =>
    views.map(({ from, to }) => tokens.slice(Math.max(at + from, 0), Math.max(at + to, 0)).join(" ")),
  );
  // a row of each token holds its views one after the other
  const { data, dimension: width } = await kindFeatures(encoder, phrases, options);
  const dimension = views.length * width;
  views.forEach(({ factor }, view) => {
    for (let start = view * width; start < data.length; start += dimension)
      for (let i = start; i < start + width; i++) data[i] *= factor;
  });
  return { data: unitRows(data, dimension), dimension };
}

/** A linear layer over features: `weight` [width, inputs], row-major, and `bias` [width]. */
export interface Projection {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

const WIDTH = 256;
const RATE = 1e-3;
/** Tokens in a batch, and tokens of the source that are read at most. */
const BATCH = 256;
const MOST_TOKENS = 16_000;
/** A label with fewer tokens in the source is left out. */
const FEWEST = 10;
const NAME = "representation";

/** @throws ArgumentError where the source has fewer than two labels of enough tokens */
export async function trainProjection(
  encoder: PhraseEncoder,
  source: readonly TaggedSentence[],
  { steps = 0, seed = 0, signal, onProgress }: TrainTaggerOptions,
): Promise<Projection> {
  const places = chosenTokens(source, createRandom(seed));
  const rowsOf = [...groupBy(places.keys(), (row) => places[row].tag).values()].filter(
    ({ length }) => length >= FEWEST,
  );
  if (rowsOf.length < 2)
    throw new ArgumentError(
      `the source has ${rowsOf.length} tags with at least ${FEWEST} tokens, and two are needed. Give more sentences.`,
    );
  const features = await tokenFeatures(encoder, places, {
    signal,
    onProgress: (done, total) => onProgress?.(done, total, "encoding the source"),
  });
  const perLabel = Math.ceil(BATCH / rowsOf.length);
  const feeds = (index: number) => batchOf(features, rowsOf, perLabel, createRandom(seed + index + 1));
  const data = { fingerprint: "", batch: (index: number) => ({ feeds: feeds(index), phrases: BATCH }) };
  const { weights } = await train(program(features.dimension, seed), data, {
    ...{ steps, learningRate: RATE, signal },
    onStep: ({ step }) => onProgress?.(step, steps, "training"),
  });
  const learned = (part: string) => weights.get(`${NAME}.${part}`)?.data as Float32Array;
  return { weight: learned("weight"), bias: learned("bias") };
}

/** All tokens in spans, and as many outside them, in random order. */
function chosenTokens(source: readonly TaggedSentence[], random: Random) {
  const all = placesOf(source);
  const isInside = ({ tag }: TokenPlace) => tag !== OUTSIDE;
  const inside = sampleWithout(all.filter(isInside), MOST_TOKENS / 2, random);
  const outside = sampleWithout(
    all.filter((place) => !isInside(place)),
    inside.length,
    random,
  );
  return [...inside, ...outside];
}

/** As many tokens of each label, in all an even number. */
function batchOf(
  { data, dimension }: KindFeatures,
  rowsOf: readonly (readonly number[])[],
  perLabel: number,
  random: Random,
): Feeds {
  const draws = rowsOf.map((rows) => sampleWithout(rows, perLabel, random));
  const even = draws.flatMap((rows, label) => rows.map((row) => ({ row, label })));
  if (even.length % 2 === 1) even.pop();
  const rows = even.map(({ row }) => row);
  return {
    tokens: { type: "float32", dims: [even.length, dimension], data: gatherRows(data, rows, dimension) },
    classes: int32(even.map(({ label }) => label)),
  };
}

function program(inputs: number, seed: number) {
  const net = createNet(fromSeed(seed));
  const { g } = net;
  const tokens = g.input("tokens", "float32", ["rows", inputs]);
  const represented = linear(net, tokens, { name: NAME, inputs, outputs: WIDTH });
  // the objective compares all rows of both halves with each other
  const [anchors, positives] = splitEvenly(net, represented, 2, 0);
  const classes = g.input("classes", "int32", ["rows"]);
  const loss = objectiveLoss(net, { anchors, positives, classes, width: WIDTH }, { name: "gaussian" });
  g.output("loss", loss);
  const random = createRandom(seed);
  const rows = { data: Float32Array.from({ length: 14 * inputs }, () => random() - 0.5), dimension: inputs };
  const sample = batchOf(rows, [[...Array(7).keys()], [7, 8, 9, 10, 11, 12, 13]], 7, random);
  return { model: g.model(), loss, sample };
}

/** Features and their representation, both as important: [features, representation] of length 1. */
export function withProjection({ data, dimension }: KindFeatures, { weight, bias }: Projection) {
  const { length: width } = bias;
  const total = dimension + width;
  const both = new Float32Array((data.length / dimension) * total);
  for (let from = 0, to = 0; from < data.length; from += dimension, to += total) {
    const row = from / dimension;
    const learned = bias.map((value, output) => value + dotRows(data, row, weight, output, dimension));
    both.set(data.subarray(from, from + dimension), to);
    both.set(unitRows(learned, width), to + dimension);
  }
  return { data: unitRows(both, total), dimension: total };
}
