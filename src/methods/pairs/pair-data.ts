/** Batches of pairs, as inputs of the graph of pearl/loss/program.ts. */
import { countBy } from "../../by-key.js";
import { disjointSets, joinedRows } from "../../disjoint-sets.js";
import { contrastiveBatch, type Reader, readDistinct } from "../../pearl/contrastive-batch.js";
import { batchSeed, createRandom, inEpochs } from "../../random.js";
import { type Feeds, float32, int32 } from "../../runtime/tensor.js";
import { mixedOrder, type Pair, type PairsOfSource, type PairTable } from "./pairs.js";
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

export type PairData = Awaited<ReturnType<typeof createPairData>>;

/** Tokenises all phrases once, then makes batches that mix the sources. */
export async function createPairData(
  sources: readonly PairsOfSource[],
  reader: Reader,
  options: PairDataOptions,
) {
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
  const { rowsOf, classes, order, ...facts } = batchesOf(sources, options, {
    groupOf: lookOf,
    count: read.groups.length,
  });
  return {
    ...facts,
    /** Distinct phrases longer than the model reads; they were cut. */
    truncated: read.truncated,
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize}${order === "apart" ? " apart" : ""}${view ? ` view ${view} ${JSON.stringify(punctuation) ?? ""}` : ""}`,
    async batch(index: number) {
      const rows = rowsOf(index);
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
    describe: rowsOf,
  };
}

interface Numbered {
  /** Numbers below a count, equal for phrases that look the same to the model. */
  groupOf(phrase: string): number;
  readonly count: number;
}

/** Which pairs make which batch, and their classes. */
function batchesOf(
  sources: readonly PairsOfSource[],
  { batchSize, seed }: Pick<PairDataOptions, "batchSize" | "seed">,
  phrases: Numbered,
) {
  const tables = sources.length === 1 ? sources : sources.map(withOwnLabels);
  const pairs = tables.flatMap((table) => table.pairs);
  const classes = classesOf(tables, phrases);
  // labels want phrases of a class beside each other; connected pairs are no negatives, so that each is better off alone
  const groupOf = pairs.some(({ label }) => label) ? undefined : (i: number) => classes.joined(pairs[i].text);
  const order = mixedOrder(tables, seed);
  const epochs = inEpochs(order.perPass, batchSize, order.of, groupOf);
  const sizes = countBy(pairs, ({ text }) => classes.joined(text)).values();
  const largest = [...sizes].reduce((most, size) => Math.max(most, size), 0);
  return {
    batchesPerEpoch: epochs.batchesPerEpoch,
    /** Largest fraction of the pairs whose phrases are not negatives of each other. */
    connected: largest / pairs.length,
    order: groupOf ? "apart" : "beside",
    classes,
    rowsOf: (index: number) => Array.from(epochs.itemsOf(index), (i) => pairs[i]),
  };
}

/** A label means something within its own table. */
const withOwnLabels = (table: PairsOfSource, source: number): PairsOfSource => ({
  ...table,
  pairs: table.pairs.map((pair) => (pair.label ? { ...pair, label: `${source} ${pair.label}` } : pair)),
});

/**
 * Numbers of the classes of pairs and hard negatives: labels where a table has them, else phrases that pairs join. A
 * pair without a label has that of a phrase it is joined to, so that no phrase is its own negative. `joined` are numbers of
 * phrases that pairs of any table join, whatever their labels; pairs that only a label made join nothing.
 * @param tables all pairs: those without a label that share a phrase are one class
 */
export function classesOf(
  tables: readonly Pick<PairTable, "pairs" | "positives">[],
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
  for (const { pairs, positives } of tables)
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
