/** Learning spelling: NT-Xent between the encoder's vector of an attacked word and that of the correct word. */
import type { Featurizer, ModelPart } from "../../architectures/architecture.js";
import type { SpellingStart } from "../../architectures/pretraining.js";
import { linear } from "../../nn/layers.js";
import { ntXent } from "../../nn/losses/nt-xent.js";
import { createNet, type Net } from "../../nn/net.js";
import { addDropout, dropoutSeed } from "../../onnx/rewrite/dropout.js";
import { createRandom, type Random, sampleWithout, shuffled } from "../../random.js";
import type { Feeds } from "../../runtime/tensor.js";
import { gatherRows } from "../../search/vectors.js";
import type { TrainingBatch } from "../../training/batch.js";
import type { TrainingProgram } from "../../training/program.js";
import type { TrainingData } from "../../training/trainer.js";
import { inEpochs } from "../epochs.js";
import type { Attack } from "./attacks.js";
import type { WordList } from "./word-list.js";

const inputs = {
  /** int32 [2 × words]: equal words have equal numbers. */
  groups: "groups",
  /** float32 [words, dimension]: given vectors of the correct words. */
  targets: "target_vectors",
} as const;

export interface SpellingProgramOptions extends SpellingStart {
  readonly temperature: number;
  /** Dimension of given vectors; absent: the positives are the encoder's own vectors. */
  readonly vectorDimension?: number;
  /** Fraction of entries that are dropped; 0: none. */
  readonly dropout: number;
}

export function spellingProgram(options: SpellingProgramOptions): TrainingProgram {
  const { part, weights, temperature, vectorDimension, dropout } = options;
  const loss = "nt_xent";
  const net = createNet(weights);
  const { g } = net;
  const vectors = part.build(net);
  const groups = g.input(inputs.groups, "int32", ["rows"]);
  const pairs =
    vectorDimension === undefined ? halves(net, vectors) : withTargets(net, vectors, part, vectorDimension);
  g.output(loss, ntXent(net, { ...pairs, groups }, { temperature }));
  const { model, places } = addDropout(g.model(), { ratio: dropout, end: vectors });
  return { model, loss, sample: { ...sampleOf(options), ...(places > 0 && seedFeed(1)) } };
}

/** Attacked words come first, correct words follow. */
function halves({ g }: Net, vectors: string): { anchors: string; positives: string } {
  const half = g.add("Div", [g.add("Shape", [vectors], { start: 0, end: 1 }), g.ints(2)]);
  const sizes = g.add("Concat", [half, half], { axis: 0 });
  const [anchors, positives] = g.addMany("Split", [vectors, sizes], 2, { axis: 0 });
  return { anchors, positives };
}

/** Given vectors as positives; a linear layer bridges different dimensions. */
function withTargets(
  net: Net,
  vectors: string,
  { width }: ModelPart,
  dimension: number,
): { anchors: string; positives: string } {
  const positives = net.g.input(inputs.targets, "float32", ["pairs", dimension]);
  if (width === dimension) return { anchors: vectors, positives };
  return { anchors: linear(net, vectors, { name: "mimic", inputs: width, outputs: dimension }), positives };
}

const seedFeed = (seed: number): Feeds => ({
  [dropoutSeed]: { type: "int64", dims: [1], data: BigInt64Array.of(BigInt(seed)) },
});

function sampleOf({ featurizer, vectorDimension }: SpellingProgramOptions): Feeds {
  const attacked = ["abcdefghi jk lm", "cdxe", "fghijklmno pq"];
  const correct = ["abcdefgh jk", "cde rs tu", "fgh"];
  const feeds = wordFeeds(featurizer, vectorDimension === undefined ? [...attacked, ...correct] : attacked);
  feeds[inputs.groups] = { type: "int32", dims: [6], data: Int32Array.of(0, 1, 2, 0, 1, 2) };
  if (vectorDimension !== undefined) {
    const data = new Float32Array(3 * vectorDimension).fill(1);
    feeds[inputs.targets] = { type: "float32", dims: [3, vectorDimension], data };
  }
  return feeds;
}

function wordFeeds(featurizer: Featurizer, words: readonly string[]): Feeds {
  const feeds: Feeds = {};
  featurizer.fill(featurizer.read(words).rows, Int32Array.from(words.keys()), 1, feeds);
  return feeds;
}

export interface SpellingDataOptions {
  readonly list: WordList;
  readonly near: readonly Int32Array[];
  readonly attack: Attack;
  readonly featurizer: Featurizer;
  readonly batchSize: number;
  readonly hardNegatives: number;
  readonly seed: number;
  readonly inputNames: readonly string[];
}

/** Words and their hard negatives, which are anchors too, as in LOVE's code. */
export function spellingData(
  options: SpellingDataOptions,
): TrainingData & { readonly batchesPerEpoch: number } {
  const { list, near, hardNegatives, batchSize, seed } = options;
  const { words, fingerprint } = list;
  const epochs = inEpochs(words.length, batchSize, (epoch) =>
    shuffled(words.length, createRandom(seed + 7919 * epoch)),
  );
  /** The words drawn and, after each, some of similar spelling. */
  const draw = (index: number): { numbers: number[]; random: Random } => {
    const random = createRandom((seed ^ Math.imul(index + 1, 0x9e3779b1)) | 0);
    const numbers = Array.from(epochs.itemsOf(index)).flatMap((word) => [
      word,
      ...sampleWithout(Array.from(near[word]), hardNegatives, random),
    ]);
    return { numbers, random };
  };
  return {
    batchesPerEpoch: epochs.batchesPerEpoch,
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize}`,
    batch(index) {
      const { numbers, random } = draw(index);
      return batchOf(numbers, random, options);
    },
    describe: (index) => draw(index).numbers.map((number) => words[number]),
  };
}

function batchOf(numbers: readonly number[], random: Random, options: SpellingDataOptions): TrainingBatch {
  const { list, attack, featurizer, inputNames } = options;
  const { words, vectors } = list;
  const attacked = numbers.map((number) => attack(words[number], random));
  const correct = vectors ? [] : numbers.map((number) => words[number]);
  const feeds = wordFeeds(featurizer, [...attacked, ...correct]);
  if (inputNames.includes(dropoutSeed)) Object.assign(feeds, seedFeed(Math.floor(random() * 2 ** 31)));
  const groups = Int32Array.from([...numbers, ...numbers]);
  feeds[inputs.groups] = { type: "int32", dims: [groups.length], data: groups };
  if (vectors) {
    const { dimension, data } = vectors;
    const targets = gatherRows(data, numbers, dimension);
    feeds[inputs.targets] = { type: "float32", dims: [numbers.length, dimension], data: targets };
  }
  return { feeds, phrases: numbers.length };
}
