/** Learning spelling as a graph: NT-Xent between the encoder's vector of an attacked word and that of the correct word. */
import type { CharacterEncoderPart } from "../../architectures/characters/character-part.js";
import type { Featurizer } from "../../architectures/feature-rows.js";
import { addDropout, dropoutSeed } from "../../architectures/transformer/dropout.js";
import { linear } from "../../nn/layers.js";
import { ntXent } from "../../nn/losses/nt-xent.js";
import { createNet, type Net, type WeightSource } from "../../nn/net.js";
import type { Feeds } from "../../runtime/tensor.js";
import type { TrainingProgram } from "../../training/program.js";
import { wordInputNames } from "./word-batches.js";

export interface WordProgramOptions {
  readonly part: CharacterEncoderPart;
  /** First values of the weights. */
  readonly weights: WeightSource;
  readonly featurizer: Featurizer;
  readonly temperature: number;
  /** Dimension of given vectors; absent: the positives are the encoder's own vectors. */
  readonly vectorDimension?: number;
  /** Fraction of entries that LOVE drops; 0: none. */
  readonly dropout: number;
}

/** Name of the loss in the graph. */
const lossName = "nt_xent";

export function wordProgram(options: WordProgramOptions): TrainingProgram {
  const { part, weights, temperature, vectorDimension, dropout } = options;
  const net = createNet(weights);
  const { g } = net;
  const vectors = part.build(net);
  const groups = g.input(wordInputNames.groups, "int32", ["rows"]);
  const pairs =
    vectorDimension === undefined ? halves(net, vectors) : mimicked(net, vectors, part, vectorDimension);
  g.output(lossName, ntXent(net, { ...pairs, groups }, { temperature }));
  const { model, places } = addDropout(g.model(), { ratio: dropout, end: vectors });
  return { model, loss: lossName, sample: { ...sampleOf(options), ...(places > 0 && firstSeed) } };
}

/** Attacked words come first, correct words follow. */
function halves({ g }: Net, vectors: string): { anchors: string; positives: string } {
  const half = g.add("Div", [g.add("Shape", [vectors], { start: 0, end: 1 }), g.ints(2)]);
  const sizes = g.add("Concat", [half, half], { axis: 0 });
  const [anchors, positives] = g.addMany("Split", [vectors, sizes], 2, { axis: 0 });
  return { anchors, positives };
}

/** The given vectors; a linear layer bridges different dimensions. */
function mimicked(
  net: Net,
  vectors: string,
  { width }: CharacterEncoderPart,
  dimension: number,
): { anchors: string; positives: string } {
  const positives = net.g.input(wordInputNames.targets, "float32", ["pairs", dimension]);
  if (width === dimension) return { anchors: vectors, positives };
  return {
    anchors: linear(net, vectors, { name: "mimic", inputs: width, outputs: dimension }),
    positives,
  };
}

const firstSeed: Feeds = { [dropoutSeed]: { type: "int64", dims: [1], data: BigInt64Array.of(1n) } };

/** Three words, each twice or with a vector of ones. */
function sampleOf({ featurizer, vectorDimension }: WordProgramOptions): Feeds {
  const attacked = ["abcdefghi jk lm", "cdxe", "fghijklmno pq"];
  const clean = ["abcdefgh jk", "cde rs tu", "fgh"];
  const phrases = vectorDimension === undefined ? [...attacked, ...clean] : attacked;
  const feeds: Feeds = {};
  featurizer.fill(featurizer.read(phrases).rows, Int32Array.from(phrases.keys()), 1, feeds);
  feeds[wordInputNames.groups] = { type: "int32", dims: [6], data: Int32Array.of(0, 1, 2, 0, 1, 2) };
  if (vectorDimension !== undefined) {
    const data = new Float32Array(3 * vectorDimension).fill(1);
    feeds[wordInputNames.targets] = { type: "float32", dims: [3, vectorDimension], data };
  }
  return feeds;
}
