/**
 * pearl's word encoder: a small transformer over the words of a phrase, and a bag of their character n-grams.
 *
 *     word       n-grams summed ─┬─► weighted sum over words ─────────────► characters  [width c]
 *                                ▼
 *                number ─► + ─► positions, marks ─► blocks ─► pooled ─┬──► meaning     [width m]
 *                                     └─► weighted sum ───────────────┘
 *     type       characters, meaning ─► two layers ─► types and kinds, classes
 *     embedding  √s₁ characters, √s₂ meaning, √s₃ √softmax(types and kinds / temperature), s = gates of this phrase
 *
 * Every part has length 1 and the gates add up to 1, so the embedding has length 1 too. In training a layer computes
 * the gates from the phrase; with `sizes.gates` they depend on how it is written. The embedding starts with all types and the first columns of the other parts, so that its prefix is an
 * embedding too (Kusupati et al., 2022, "Matryoshka representation learning"). Blocks normalise first (Xiong et al.,
 * 2020).
 */

import { normal, zeros } from "../../nn/initialise.js";
import { attentionMask, embedding, gelu, layerNorm, linear } from "../../nn/layers.js";
import { logSumExp, type Net, number, reduce, weight } from "../../nn/net.js";
import { l2Normalise } from "../../nn/pooling.js";
import type { Gates } from "../architecture.js";
import type { WordInputs } from "./inputs.js";
import { SMALL_LETTERS } from "./marked-words.js";
import { typeWidth, type WordEncoderSizes } from "./sizes.js";

/** Initial length of n-gram vectors: a step of Adam changes them little. Layers read their sums divided by it. */
export const NGRAM_LENGTH = 1.5;

/** What the encoder computes, each float32 [phrases, ...]. */
interface WordEncoding {
  /** Length 1, [phrases, meaning]. */
  readonly meaning: string;
  /** Logits [phrases, types], [phrases, types + kinds], [phrases, classes]; the last type stands for all its kinds. */
  readonly types: string;
  readonly fineTypes: string;
  readonly classes: string;
  /** √gate times each of characters, meaning and types: [phrases, width of the part]. */
  readonly parts: readonly [characters: string, meaning: string, types: string];
  /** Length 1, [phrases, `embeddingWidth`]: the columns of the parts, the prefix first. */
  readonly embedding: string;
}

/** Number of weighted means of a phrase's states; their maximum is pooled too. */
const POOLS = 4;

export function wordEncoder(net: Net, inputs: WordInputs, sizes: WordEncoderSizes): WordEncoding {
  const { g } = net;
  const kept = g.add("Greater", [inputs.words, g.scalar("int32", 0)]);
  const asFloats = asFloat(net, kept);
  const exists = reduce(net, "ReduceMax", asFloats, { axes: [1], keepdims: 1 });
  const phrase: Phrase = {
    inputs,
    sizes,
    shape: g.add("Shape", [inputs.words]),
    kept: g.add("Unsqueeze", [asFloats, g.ints(2)]),
    counted: g.cast(kept, "int32"),
    exists,
  };
  const words = wordVectors(net, inputs, sizes);
  const characters = charactersOf(net, words.characters, phrase);
  const { meaning, pooled } = meaningOf(net, words, phrase);
  const both = g.add("Concat", [characters, meaning], { axis: 1 });
  const { types, fineTypes, classes } = typeHead(net, both, sizes);
  const roots = g.add("Mul", [gateRoots(net, pooled, phrase), exists]);
  const [forCharacters, forMeaning, forTypes] = g.addMany("Split", [roots], 3, { axis: 1 });
  const { typeTemperature = 1 } = sizes;
  const tempered =
    typeTemperature === 1 ? fineTypes : g.add("Div", [fineTypes, number(net, typeTemperature)]);
  const probable = g.add("Max", [g.add("Softmax", [tempered], { axis: -1 }), number(net, 1e-6)]);
  const parts = [
    g.add("Mul", [characters, forCharacters]),
    g.add("Mul", [meaning, forMeaning]),
    g.add("Mul", [g.add("Sqrt", [probable]), forTypes]),
  ] as const;
  return { meaning, types, fineTypes, classes, parts, embedding: joined(net, parts, sizes) };
}

/** Roots of the gates of characters, meaning and types, [phrases, 3]. */
function gateRoots(net: Net, pooled: string, { inputs, sizes, counted }: Phrase): string {
  const { g } = net;
  if (!sizes.gates) {
    const logits = dense(net, pooled, "share", (POOLS + 1) * sizes.width, 3, 0.02);
    return g.add("Sqrt", [g.add("Softmax", [logits], { axis: -1 })]);
  }
  const { withCapital, word, phrase } = sizes.gates;
  const rootsOf = ({ characters, meaning, types }: Gates) => [characters, meaning, types].map(Math.sqrt);
  const roots = g.constant("float32", [3, 3], [withCapital, word, phrase].flatMap(rootsOf));
  const without = (values: string) => g.add("Sub", [number(net, 1), values]);
  const marked = asFloat(net, g.add("Greater", [inputs.marks, g.scalar("int32", SMALL_LETTERS)]));
  const hasCapital = reduce(net, "ReduceMax", marked, { axes: [1], keepdims: 1 });
  const count = reduce(net, "ReduceSum", counted, { axes: [1], keepdims: 1 });
  const isOne = asFloat(net, g.add("Equal", [count, g.scalar("int32", 1)]));
  const isWord = g.add("Mul", [isOne, without(hasCapital)]);
  const isPhrase = without(g.add("Add", [hasCapital, isWord]));
  return g.add("MatMul", [g.add("Concat", [hasCapital, isWord, isPhrase], { axis: 1 }), roots]);
}

/** All types, the prefix of the other parts, and the rest of these. */
function joined({ g }: Net, [characters, meaning, types]: WordEncoding["parts"], sizes: WordEncoderSizes) {
  const first = sizes.prefix ?? { characters: 0, meaning: 0 };
  const cut = (part: string, at: number, width: number) =>
    at === 0 ? [undefined, part] : g.addMany("Split", [part, g.ints(at, width - at)], 2, { axis: 1 });
  const [c, otherCharacters] = cut(characters, first.characters, sizes.characters);
  const [m, otherMeaning] = cut(meaning, first.meaning, sizes.meaning);
  const columns = [types, c, m, otherCharacters, otherMeaning].filter((part) => part !== undefined);
  return g.add("Concat", columns, { axis: 1 });
}

interface Phrase {
  readonly inputs: WordInputs;
  readonly sizes: WordEncoderSizes;
  /** int64 [2]: phrases and length. */
  readonly shape: string;
  /** 1 where there is a word, float32 [phrases, length, 1]. */
  readonly kept: string;
  /** The same as int32 [phrases, length]. */
  readonly counted: string;
  /** 1 for a phrase that has words, float32 [phrases, 1]: one of punctuation alone gets the zero vector. */
  readonly exists: string;
}

/** Distinct words' vectors: of their n-grams [words, characters], and from the vocabulary [words, vectors]. */
interface Words {
  readonly characters: string;
  readonly vectors: string;
}

const asFloat = ({ g }: Net, values: string): string => g.cast(values, "float32");

const dense = (net: Net, x: string, name: string, inputs: number, outputs: number, gain = 0.7): string =>
  linear(net, x, { name, inputs, outputs, initialiser: normal(gain / Math.sqrt(inputs)) });

function wordVectors(net: Net, inputs: WordInputs, { buckets, characters, ...sizes }: WordEncoderSizes) {
  const { g } = net;
  const first = normal(NGRAM_LENGTH / Math.sqrt(characters));
  const table = weight(net, "ngrams.weight", [buckets + 1, characters], first);
  const sum = reduce(net, "ReduceSum", g.add("Gather", [table, inputs.ngrams]), { axes: [1] });
  // padding's row is added with the others and taken off again, so that it never learns and never counts
  const padding = asFloat(net, g.add("Equal", [inputs.ngrams, g.scalar("int32", 0)]));
  const count = reduce(net, "ReduceSum", padding, { axes: [1], keepdims: 1 });
  const row = g.add("Gather", [table, g.ints(0)]);
  const own = g.add("Sub", [sum, g.add("Mul", [count, row])]);
  const scales = g.add("Mul", [inputs.scales, number(net, 1 / NGRAM_LENGTH)]);
  const vectors = { name: "vectors", rows: sizes.vocabulary + 1, width: sizes.vectors };
  return { characters: g.add("Mul", [own, scales]), vectors: embedding(net, inputs.ids, vectors) };
}

/** Rows of the distinct words, at the places where the phrases have them. */
const atPlaces = ({ g }: Net, rows: string, { inputs }: Phrase): string =>
  g.add("Gather", [rows, inputs.words]);

/** A positive weight per word and place, [phrases, length, 1]; 0 for padding. */
const positive = ({ g }: Net, raw: string, { kept }: Phrase): string =>
  g.add("Mul", [g.add("Softplus", [raw]), kept]);

/** Σ weight × rows over a phrase's words, at length 1. */
const weightedSum = (net: Net, rows: string, weights: string): string =>
  l2Normalise(net, reduce(net, "ReduceSum", net.g.add("Mul", [rows, weights]), { axes: [1] }));

function charactersOf(net: Net, words: string, phrase: Phrase): string {
  const { g } = net;
  const { inputs, sizes } = phrase;
  const known = numberOf(net, "char_weight", inputs.ids, sizes.vocabulary + 1);
  const rare = dense(net, words, "char_weight_rare", sizes.characters, 1, 0.01);
  const byWord = atPlaces(net, g.add("Add", [known, rare]), phrase);
  const byMark = numberOf(net, "char_flag", inputs.marks, sizes.marks + 1);
  const weights = positive(net, g.add("Add", [byWord, byMark]), phrase);
  return weightedSum(net, atPlaces(net, words, phrase), weights);
}

const numberOf = (net: Net, name: string, ids: string, rows: number): string =>
  embedding(net, ids, { name, rows, width: 1, initialiser: zeros });

function meaningOf(net: Net, words: Words, phrase: Phrase) {
  const { g } = net;
  const { inputs, sizes } = phrase;
  const { width, meaning } = sizes;
  const start = g.add("Add", [
    dense(net, words.vectors, "from_vectors", sizes.vectors, width, 4),
    dense(net, words.characters, "from_characters", sizes.characters, width, 1.5),
  ]);
  const places = positions(net, phrase);
  const flags = { name: "flags_in", rows: sizes.marks + 1, width, initialiser: normal(0.02) };
  const marks = embedding(net, inputs.marks, flags);
  const x = g.add("Add", [g.add("Add", [atPlaces(net, start, phrase), places]), marks]);
  const mask = attentionMask(net, phrase.counted);
  let hidden = g.add("Reshape", [x, g.ints(-1, width)]);
  for (let layer = 0; layer < sizes.layers; layer++)
    hidden = block(net, hidden, { name: `block${layer}`, shape: phrase.shape, mask, sizes });
  hidden = layerNorm(net, hidden, { name: "final", width, epsilon: 1e-6 });
  const pooled = pool(net, hidden, phrase);
  const sumWeights = numberOf(net, "sum_weight", inputs.ids, sizes.vocabulary + 1);
  const summed = weightedSum(net, x, positive(net, atPlaces(net, sumWeights, phrase), phrase));
  const composed = dense(net, pooled, "to_phrase", (POOLS + 1) * width, meaning);
  const added = dense(net, summed, "sum_to_phrase", width, meaning, 4);
  return { meaning: l2Normalise(net, g.add("Add", [composed, added])), pooled };
}

/** Embeddings of places from the left, and from the right: [phrases, length, width]. */
function positions(net: Net, { shape, counted, sizes: { phraseLength, width } }: Phrase): string {
  const { g } = net;
  const length = g.add("Slice", [shape, g.ints(1), g.ints(2)]);
  const table = weight(net, "positions", [phraseLength, width], normal(0.05));
  const left = g.add("Slice", [table, g.ints(0), length, g.ints(0)]);
  const count = reduce(net, "ReduceSum", counted, { axes: [1], keepdims: 1 });
  const one = g.scalar("int64", 1);
  const ends = g.add("Range", [one, g.add("Add", [g.add("Squeeze", [length]), one]), one]);
  const fromLeft = g.add("Unsqueeze", [g.cast(ends, "int32"), g.ints(0)]);
  const fromRight = g.add("Max", [g.add("Sub", [count, fromLeft]), g.scalar("int32", 0)]);
  const right = { name: "positions_right", rows: phraseLength + 1, width, initialiser: normal(0.05) };
  return g.add("Add", [embedding(net, fromRight, right), left]);
}

/** Attention and feed-forward, each of the normalised states and added to them. @param x [places, width] */
function block(
  net: Net,
  x: string,
  { name, shape, mask, sizes }: { name: string; shape: string; mask: string; sizes: WordEncoderSizes },
): string {
  const { g } = net;
  const { width, heads, feedForward } = sizes;
  const normed = (values: string, part: string) =>
    layerNorm(net, values, { name: `${name}.${part}`, width, epsilon: 1e-6 });
  const first = normed(x, "norm1");
  const split = g.add("Concat", [shape, g.ints(heads, width / heads)], { axis: 0 });
  const headsOf = (part: string, perm: number[]) =>
    g.add("Transpose", [g.add("Reshape", [dense(net, first, `${name}.${part}`, width, width), split])], {
      perm,
    });
  const scores = g.add("MatMul", [headsOf("query", [0, 2, 1, 3]), headsOf("key", [0, 2, 3, 1])]);
  const scaled = g.add("Mul", [scores, number(net, 1 / Math.sqrt(width / heads))]);
  const attention = g.add("Softmax", [g.add("Add", [scaled, mask])], { axis: -1 });
  const mixed = g.add("Transpose", [g.add("MatMul", [attention, headsOf("value", [0, 2, 1, 3])])], {
    perm: [0, 2, 1, 3],
  });
  const attended = dense(net, g.add("Reshape", [mixed, g.ints(-1, width)]), `${name}.out`, width, width);
  const y = g.add("Add", [x, attended]);
  const up = gelu(net, dense(net, normed(y, "norm2"), `${name}.up`, width, feedForward));
  return g.add("Add", [y, dense(net, up, `${name}.down`, feedForward, width)]);
}

/** Weighted means and the maximum of a phrase's states: [phrases, 5 × width]. */
function pool(net: Net, hidden: string, { shape, kept, exists, sizes: { width } }: Phrase): string {
  const { g } = net;
  const states = g.add("Reshape", [hidden, g.add("Concat", [shape, g.ints(width)], { axis: 0 })]);
  const never = g.add("Mul", [g.add("Sub", [kept, number(net, 1)]), number(net, 1e30)]);
  const raw = dense(net, hidden, "pool_score", width, POOLS, 0.1);
  const scores = g.add("Reshape", [raw, g.add("Concat", [shape, g.ints(POOLS)], { axis: 0 })]);
  const attention = g.add("Softmax", [g.add("Add", [scores, never])], { axis: 1 });
  const means = g.add("MatMul", [g.add("Transpose", [attention], { perm: [0, 2, 1] }), states]);
  const most = reduce(net, "ReduceMax", g.add("Add", [states, never]), { axes: [1] });
  const largest = g.add("Mul", [most, exists]);
  return g.add("Concat", [g.add("Reshape", [means, g.ints(-1, POOLS * width)]), largest], { axis: 1 });
}

function typeHead(net: Net, x: string, sizes: WordEncoderSizes) {
  const hidden = 128;
  const scaled = net.g.add("Mul", [x, number(net, 8)]);
  const active = gelu(net, dense(net, scaled, "type_hidden", sizes.characters + sizes.meaning, hidden));
  const fineTypes = dense(net, active, "type_out", hidden, typeWidth(sizes), 1);
  return {
    fineTypes,
    types: withoutKinds(net, fineTypes, sizes),
    classes: dense(net, active, "class_out", hidden, sizes.classes, 1),
  };
}

/** The last type's logit is the logarithm of the sum over its kinds, itself among them as the rest. */
function withoutKinds(net: Net, logits: string, sizes: WordEncoderSizes): string {
  const { g } = net;
  if (!sizes.kinds) return logits;
  const first = sizes.types - 1;
  const [others, kinds] = g.addMany("Split", [logits, g.ints(first, 1 + sizes.kinds)], 2, { axis: 1 });
  const last = g.add("Unsqueeze", [logSumExp(net, kinds), g.ints(1)]);
  return g.add("Concat", [others, last], { axis: 1 });
}
