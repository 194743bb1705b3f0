/** Batches of pairs, as inputs of the graph of pearl/loss/program.ts. */
import { countBy } from "../../by-key.js";
import { disjointSets, joinedRows } from "../../disjoint-sets.js";
import { contrastiveBatch, type Reader, readDistinct } from "../../pearl/contrastive-batch.js";
import { batchSeed, createRandom, inEpochs, permutation } from "../../random.js";
import { type Feeds, float32, int32 } from "../../runtime/tensor.js";
import type { TrainingData } from "../../training/trainer.js";
import type { Pair, PairTable } from "./pairs.js";
import { inTurns, type PairsOfSource } from "./sources.js";
import type { Teacher } from "./teacher.js";
import { cutsOf, mixtures, pairInputs, punctuated, type TermOptions } from "./views.js";

export interface PairDataOptions extends Pick<TermOptions, "negatives" | "view" | "punctuation"> {
  readonly batchSize: number;
  readonly seed: number;
  /** Phrase types in the order of the type head; empty: types are not learned. */
  readonly types: readonly string[];
  readonly fingerprint: string;
  readonly inputNames: readonly string[];
  readonly chunkCells?: number;
  /** Where the program has the teacher's vectors as an input. */
  readonly teacher?: Pick<Teacher, "vectorsOf">;
}

export interface PairData extends TrainingData {
  readonly batchesPerEpoch: number;
  /** Largest fraction of the pairs whose phrases are not negatives of each other. */
  readonly connected: number;
  /** Distinct phrases longer than the model reads; they were cut. */
  readonly truncated: number;
}

/** Tokenises all phrases once, then makes batches, each of one source. */
export async function createPairData(
  sources: readonly PairsOfSource[],
  reader: Reader,
  options: PairDataOptions,
): Promise<PairData> {
  const { negatives, types, seed, batchSize, chunkCells: cells, fingerprint, view, punctuation } = options;
  const { teacher } = options;
  const negativesOf = ({ negative }: Pair) => (negatives === "used" && negative !== "" ? [negative] : []);
  const secondsOf = ({ positive }: Pair) => (view === "cutoff" ? cutsOf(positive) : [positive]);
  const inputNames = new Set(options.inputNames);
  // whole positives join pairs, also where cut ones are trained on
  const phrases = sources.flatMap(({ pairs }) =>
    pairs.flatMap((pair) => [
      ...[pair.text, pair.positive],
      ...[secondsOf, negativesOf].flatMap((some) => some(pair)),
    ]),
  );
  const all = await readDistinct(phrases, reader);
  const { read, place } = all;
  const lookOf = (text: string) => read.groups[place(text)];
  const { batchOf, order, ...facts } = batchesOf(sources, options, {
    groupOf: lookOf,
    count: read.groups.length,
  });
  return {
    ...facts,
    truncated: read.truncated,
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize}${order === "apart" ? " apart" : ""}${view ? ` view ${view} ${JSON.stringify(punctuation) ?? ""}` : ""}`,
    async batch(index) {
      const { rows, classes } = batchOf(index);
      const own = batchSeed(seed, index);
      const random = createRandom(own);
      const texts = rows.map(({ text }) => text);
      const seconds = rows.map(secondsOf).map((cuts) => cuts[Math.floor(random() * cuts.length)]);
      const hard = rows.flatMap(negativesOf);
      const numbers = rows.map(classes.ofPair);
      const ofClasses = [...numbers, ...numbers, ...hard.map(classes.ofPhrase)];
      const whole = [...texts, ...rows.map(({ positive }) => positive), ...hard];
      const looks = [...texts, ...seconds, ...hard].map(lookOf);
      const feeds: Feeds = {
        ...(inputNames.has(pairInputs.classes) && { classes: int32(ofClasses) }),
        ...(inputNames.has(pairInputs.scores) && { scores: float32(rows.map(({ score = 1 }) => score)) }),
        ...(inputNames.has(pairInputs.mixture) && { mixture: mixtures(rows.length, own) }),
        ...(teacher && { teacher: teacher.vectorsOf(whole) }),
      };
      const marked = punctuation?.weight ? texts.map((text) => punctuated(text, punctuation, random)) : [];
      // marks are drawn anew in each batch, so that its phrases are read again
      const now = marked.length > 0 ? await readDistinct([...texts, ...seconds, ...marked], reader) : all;
      return contrastiveBatch(
        {
          ...{ anchors: texts.map(now.place), positives: seconds.map(now.place) },
          ...(negatives === "used" && { negatives: hard.map(now.place) }),
          types: rows.map(({ type }) => types.indexOf(type)),
          groups: joinedRows(whole.map(classes.joined), looks),
          further: { ...(marked.length > 0 && { rows: marked.map(now.place) }), feeds },
        },
        now.read,
        { cells, inputNames, types: types.length, seed: own },
      );
    },
    describe: (index) => batchOf(index).rows,
  };
}

interface Numbered {
  /** Numbers below a count, equal for phrases that look the same to the model. */
  groupOf(phrase: string): number;
  readonly count: number;
}

/** Which pairs make which batch, and the classes of each source. */
function batchesOf(
  sources: readonly PairsOfSource[],
  { batchSize, seed }: Pick<PairDataOptions, "batchSize" | "seed">,
  phrases: Numbered,
) {
  const opened = sources.map(({ pairs, positives, weight }, own) => {
    const others = sources.filter((other, at) => at !== own && other.positives === "column");
    const further = others.flatMap((other) => other.pairs);
    const classes = classesOf({ pairs, positives, further }, phrases);
    // labels want phrases of a class beside each other; connected pairs are no negatives, so that each is better off alone
    const groupOf = pairs.some(({ label }) => label)
      ? undefined
      : (i: number) => classes.joined(pairs[i].text);
    const orderOf = (epoch: number) => permutation(pairs.length, seed, epoch);
    const epochs = inEpochs(pairs.length, batchSize, orderOf, groupOf);
    const sizes = countBy(pairs, ({ text }) => classes.joined(text)).values();
    const largest = [...sizes].reduce((most, size) => Math.max(most, size), 0);
    return { pairs, weight, classes, groupOf, epochs, connected: largest / pairs.length };
  });
  const inPass = opened.map(({ epochs, weight }) => weight * epochs.batchesPerEpoch);
  const turns = inTurns(inPass, seed);
  return {
    batchesPerEpoch: turns.perPass,
    connected: Math.max(...opened.map(({ connected }) => connected)),
    order: opened.some(({ groupOf }) => groupOf) ? "apart" : "beside",
    batchOf(index: number) {
      const { source, turn } = turns.of(index);
      const { pairs, classes, epochs } = opened[source];
      return { rows: Array.from(epochs.itemsOf(turn), (i) => pairs[i]), classes };
    },
  };
}

/**
 * Numbers of the classes of pairs and hard negatives: labels where the table has them, else phrases that pairs join. A
 * pair without a label has that of a phrase it is joined to, so that no phrase is its own negative. `joined` are numbers of
 * phrases that pairs of the table join, whatever their labels; pairs that only a label made join nothing.
 * @param pairs all of them: pairs without a label that share a phrase are one class
 * @param further pairs of other sources: they join phrases too
 */
export function classesOf(
  {
    pairs,
    positives,
    further = [],
  }: Pick<PairTable, "pairs" | "positives"> & { readonly further?: readonly Pair[] },
  { groupOf, count }: Numbered,
) {
  const [sets, joined] = [disjointSets(count), disjointSets(count)];
  const labels = new Map<string, number>();
  const labelled = new Map<number, number>();
  const labelOf = (label: string): number => {
    const number = labels.get(label) ?? -1 - labels.size;
    labels.set(label, number);
    return number;
  };
  for (const { text, positive } of further) joined.unite(groupOf(text), groupOf(positive));
  for (const { text, positive, label = "" } of pairs) {
    const [one, other] = [text, positive].map(groupOf);
    if (label === "" || positives === "column") joined.unite(one, other);
    if (label === "") sets.unite(one, other);
    else for (const group of [one, other]) if (!labelled.has(group)) labelled.set(group, labelOf(label));
  }
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
    joined: (phrase: string): number => joined.rootOf(groupOf(phrase)),
  };
}
