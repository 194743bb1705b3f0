/** Learning spelling: NT-Xent between the encoder's vector of an attacked word and that of the correct word. */
import type { Featurizer, ModelPart } from "../../architectures/architecture.js";
import type { SpellingStart } from "../../architectures/pretraining.js";
import { linear } from "../../nn/layers.js";
import { ntXent } from "../../nn/losses.js";
import { createNet, type Net, splitEvenly } from "../../nn/net.js";
import { addDropout, dropoutSeed } from "../../onnx/rewrite/dropout.js";
import { createRandom, inEpochs, type Random, sampleWithout, shuffled } from "../../random.js";
import { type Feeds, int32, int64 } from "../../runtime/tensor.js";
import { gatherRows } from "../../search/vectors.js";
import type { WordVectors } from "../../text/word-vectors.js";
import type { TrainingBatch, TrainingProgram } from "../../training/program.js";
import type { TrainingData } from "../../training/trainer.js";
import type { Attack } from "./attacks.js";
import type { CharacterSettings } from "./pretrain-characters.js";
import type { WordList } from "./word-list.js";

/** Given vectors of the correct words: float32 [words, dimension]. */
const targetInput = "target_vectors";

/** @param vectorDimension of given vectors; absent: the positives are the encoder's own vectors */
export function spellingProgram(
  start: SpellingStart,
  { temperature, dropout = 0, projection }: Pick<CharacterSettings, "temperature" | "dropout" | "projection">,
  vectorDimension?: number,
): TrainingProgram {
  const { part, weights } = start;
  const loss = "nt_xent";
  const net = createNet(weights);
  const { g } = net;
  const embedded = part.build(net);
  const vectors = projection > 0 ? projected(net, embedded, part.width, projection) : embedded;
  // equal words have equal numbers
  const groups = g.input("groups", "int32", ["rows"]);
  const pairs = sidesOf(net, vectors, part, vectorDimension);
  g.output(loss, ntXent(net, { ...pairs, groups }, { temperature }));
  const { model, places } = addDropout(g.model(), { ratio: dropout, end: embedded });
  return { model, loss, sample: { ...sampleOf(start, vectorDimension), ...(places > 0 && seedFeed(1)) } };
}

/** The non-linear projection head of SimCLR (Chen et al., 2020): what it drops stays in the vectors before it. */
function projected(net: Net, vectors: string, inputs: number, outputs: number): string {
  const first = linear(net, vectors, { name: "projection.first", inputs, outputs: inputs });
  const hidden = net.g.add("Relu", [first]);
  return linear(net, hidden, { name: "projection.second", inputs, outputs });
}

/** Attacked words come first, and correct words follow; or given vectors are the positives, which a linear layer may reach. */
function sidesOf(net: Net, vectors: string, { width }: ModelPart, dimension: number | undefined) {
  if (dimension === undefined) {
    const [anchors, positives] = splitEvenly(net, vectors, 2, 0);
    return { anchors, positives };
  }
  const positives = net.g.input(targetInput, "float32", ["pairs", dimension]);
  if (width === dimension) return { anchors: vectors, positives };
  return { anchors: linear(net, vectors, { name: "mimic", inputs: width, outputs: dimension }), positives };
}

const seedFeed = (seed: number): Feeds => ({ [dropoutSeed]: int64([seed]) });

function sampleOf({ featurizer }: SpellingStart, vectorDimension: number | undefined): Feeds {
  const attacked = ["abcdefghi jk lm", "cdxe", "fghijklmno pq"];
  const words = { attacked, correct: ["abcdefgh jk", "cde rs tu", "fgh"] };
  const vectors =
    vectorDimension === undefined
      ? undefined
      : { dimension: vectorDimension, data: new Float32Array(3 * vectorDimension).fill(1) };
  return wordFeeds(featurizer, words, [0, 1, 2], vectors);
}

/** @param groups numbers of the correct words @param vectors of the correct words, which are then not encoded */
function wordFeeds(
  featurizer: Featurizer,
  { attacked, correct }: { readonly attacked: readonly string[]; readonly correct: readonly string[] },
  groups: readonly number[],
  vectors?: Pick<WordVectors, "data" | "dimension">,
): Feeds {
  const words = vectors ? attacked : [...attacked, ...correct];
  const feeds: Feeds = { groups: int32([...groups, ...groups]) };
  featurizer.fill(featurizer.read(words).rows, Int32Array.from(words.keys()), 1, feeds);
  if (vectors)
    feeds[targetInput] = { type: "float32", dims: [groups.length, vectors.dimension], data: vectors.data };
  return feeds;
}

interface SpellingDataOptions extends Pick<CharacterSettings, "batchSize" | "hardNegatives" | "seed"> {
  readonly list: WordList;
  /** Numbers of similarly spelled words; absent without hard negatives. */
  readonly near?: readonly Int32Array[];
  readonly attack: Attack;
  readonly featurizer: Featurizer;
  readonly inputNames: readonly string[];
}

/** Words and their hard negatives, which are anchors too, as in LOVE's code. Where misspellings are known, they are drawn. */
export function spellingData(
  options: SpellingDataOptions,
): TrainingData & { readonly batchesPerEpoch: number } {
  const { list, near, hardNegatives, batchSize, seed } = options;
  const { words, synthetic, misspellings, fingerprint } = list;
  const count = synthetic?.count ?? misspellings?.length ?? words.length;
  const numberOf = new Map(misspellings && words.map((word, number) => [word, number]));
  const epochs = inEpochs(count, batchSize, (epoch) =>
    // synthetic words are new in each epoch
    synthetic
      ? Int32Array.from({ length: count }, (_, i) => epoch * count + i)
      : shuffled(count, createRandom(seed + 7919 * epoch)),
  );
  /** The words drawn and, after each, some of similar spelling. */
  const draw = (index: number): { drawn: DrawnWord[]; random: Random } => {
    const random = createRandom((seed ^ Math.imul(index + 1, 0x9e3779b1)) | 0);
    const drawn = Array.from(epochs.itemsOf(index)).flatMap((item): DrawnWord[] => {
      const [wrong, right] = misspellings?.[item] ?? [];
      const number = right === undefined ? item : (numberOf.get(right) as number);
      const others = near ? sampleWithout(Array.from(near[number]), hardNegatives, random) : [];
      return [{ number, wrong }, ...others.map((other) => ({ number: other }))];
    });
    return { drawn, random };
  };
  return {
    batchesPerEpoch: epochs.batchesPerEpoch,
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize}`,
    batch(index) {
      const { drawn, random } = draw(index);
      return batchOf(drawn, random, options);
    },
    describe: (index) => draw(index).drawn.map(({ number }) => wordOf(list)(number)),
  };
}

const wordOf = ({ words, synthetic }: WordList) => synthetic?.word ?? ((number: number) => words[number]);

/** A word by its number, and how it was misspelled if that is known. */
interface DrawnWord {
  readonly number: number;
  readonly wrong?: string;
}

function batchOf(drawn: readonly DrawnWord[], random: Random, options: SpellingDataOptions): TrainingBatch {
  const { list, attack, featurizer, inputNames } = options;
  const { vectors } = list;
  const numbers = drawn.map(({ number }) => number);
  const words = numbers.map(wordOf(list));
  const attacked = words.map((word, i) => drawn[i].wrong ?? attack(word, random));
  // short synthetic words may be drawn twice
  const groups = words.map((word) => words.indexOf(word));
  const targets = vectors && { ...vectors, data: gatherRows(vectors.data, numbers, vectors.dimension) };
  const feeds = wordFeeds(featurizer, { attacked, correct: words }, groups, targets);
  if (inputNames.includes(dropoutSeed)) Object.assign(feeds, seedFeed(Math.floor(random() * 2 ** 31)));
  return { feeds, phrases: numbers.length };
}
