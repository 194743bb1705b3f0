/** Batches of pairs, as inputs of the graph of pearl/loss/program.ts. */
import { disjointSets } from "../../disjoint-sets.js";
import { contrastiveBatch, type Reader, readDistinct } from "../../pearl/contrastive-batch.js";
import { batchSeed, createRandom, inEpochs, permutation } from "../../random.js";
import { type Feeds, float32, int32 } from "../../runtime/tensor.js";
import type { TrainingData } from "../../training/trainer.js";
import type { Pair } from "./pairs.js";
import { cutsOf, mixtures, pairInputs, punctuated, type TermOptions } from "./views.js";

export interface PairDataOptions extends Pick<TermOptions, "negatives" | "view" | "punctuation"> {
  readonly batchSize: number;
  readonly seed: number;
  /** Phrase types in the order of the type head; empty: types are not learned. */
  readonly types: readonly string[];
  readonly fingerprint: string;
  readonly inputNames: readonly string[];
  readonly chunkCells?: number;
}

export interface PairData extends TrainingData {
  readonly batchesPerEpoch: number;
  /** Distinct phrases longer than the model reads; they were cut. */
  readonly truncated: number;
}

/** Tokenises all phrases once, then makes batches. */
export async function createPairData(
  pairs: readonly Pair[],
  reader: Reader,
  options: PairDataOptions,
): Promise<PairData> {
  const { negatives, types, seed, batchSize, chunkCells: cells, fingerprint, view, punctuation } = options;
  const negativesOf = ({ negative }: Pair) => (negatives === "used" && negative !== "" ? [negative] : []);
  const secondsOf = ({ positive }: Pair) => (view === "cutoff" ? cutsOf(positive) : [positive]);
  const inputNames = new Set(options.inputNames);
  // Classes join pairs by their whole positives, also where cut ones are trained on.
  const joinedBy = ({ positive }: Pair) => (inputNames.has(pairInputs.classes) ? [positive] : []);
  const phrases = pairs.flatMap((pair) => [
    pair.text,
    ...[secondsOf, negativesOf, joinedBy].flatMap((some) => some(pair)),
  ]);
  const all = await readDistinct(phrases, reader);
  const { read, place } = all;
  const groups = { groupOf: (text: string) => read.groups[place(text)], count: read.groups.length };
  const classes = inputNames.has(pairInputs.classes) && classesOf(pairs, groups);
  const epochs = inEpochs(pairs.length, batchSize, (epoch) => permutation(pairs.length, seed, epoch));
  return {
    batchesPerEpoch: epochs.batchesPerEpoch,
    truncated: read.truncated,
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize}${view ? ` view ${view} ${JSON.stringify(punctuation) ?? ""}` : ""}`,
    async batch(index) {
      const rows = Array.from(epochs.itemsOf(index), (i) => pairs[i]);
      const own = batchSeed(seed, index);
      const random = createRandom(own);
      const texts = rows.map(({ text }) => text);
      const seconds = rows.map(secondsOf).map((cuts) => cuts[Math.floor(random() * cuts.length)]);
      const hard = rows.flatMap(negativesOf);
      const numbers = classes ? rows.map(classes.ofPair) : [];
      const feeds: Feeds = {
        ...(classes && { classes: int32([...numbers, ...numbers, ...hard.map(classes.ofPhrase)]) }),
        ...(inputNames.has(pairInputs.scores) && { scores: float32(rows.map(({ score = 0 }) => score)) }),
        ...(inputNames.has(pairInputs.mixture) && { mixture: mixtures(rows.length, own) }),
      };
      const marked = punctuation?.weight ? texts.map((text) => punctuated(text, punctuation, random)) : [];
      // marks are drawn anew in each batch, so that its phrases are read again
      const now = marked.length > 0 ? await readDistinct([...texts, ...seconds, ...marked], reader) : all;
      return contrastiveBatch(
        {
          ...{ anchors: texts.map(now.place), positives: seconds.map(now.place) },
          ...(negatives === "used" && { negatives: hard.map(now.place) }),
          types: rows.map(({ type }) => types.indexOf(type)),
          further: { ...(marked.length > 0 && { rows: marked.map(now.place) }), feeds },
        },
        now.read,
        { cells, inputNames, types: types.length, seed: own },
      );
    },
    describe: (index) => Array.from(epochs.itemsOf(index), (i) => pairs[i]),
  };
}

/**
 * Numbers of the classes of pairs and hard negatives: labels where the table has them, else phrases that pairs join. A
 * pair without a label has that of a phrase it is joined to, so that no phrase is its own negative.
 * @param pairs all of them: pairs without a label that share a phrase are one class
 * @param given numbers below a count, equal for phrases that look the same to the model
 */
export function classesOf(
  pairs: readonly Pair[],
  { groupOf, count }: { groupOf(phrase: string): number; readonly count: number },
) {
  const sets = disjointSets(count);
  const labels = new Map<string, number>();
  const labelled = new Map<number, number>();
  const labelOf = (label: string): number => {
    const number = labels.get(label) ?? -1 - labels.size;
    labels.set(label, number);
    return number;
  };
  for (const { text, positive, label = "" } of pairs)
    if (label === "") sets.unite(groupOf(text), groupOf(positive));
    else
      for (const group of [text, positive].map(groupOf))
        if (!labelled.has(group)) labelled.set(group, labelOf(label));
  const ofRoot = new Map<number, number>();
  for (const [group, label] of labelled)
    if (!ofRoot.has(sets.rootOf(group))) ofRoot.set(sets.rootOf(group), label);
  const ofPhrase = (phrase: string): number => {
    const root = sets.rootOf(groupOf(phrase));
    return labelled.get(groupOf(phrase)) ?? ofRoot.get(root) ?? root;
  };
  return {
    ofPair: ({ text, label = "" }: Pair) => (label === "" ? ofPhrase(text) : labelOf(label)),
    ofPhrase,
  };
}
