/**
 * The batches of PEARL (section 3): phrases with their hard negatives, each with a twin made by augmentation. Beyond
 * the paper, known synonyms are further positives. Plain data in, rows of text out.
 */
import { batchSeed, createRandom, permutation, type Random, sampleWithout } from "../random.js";
import type { Augmenter } from "./augmentation/augmenter.js";
import type { AugmentedShares, PairSide } from "./method.js";
import { NeighbourRuns, type PhrasePair, type RunKey } from "./neighbour-runs.js";
import { entityTypeOfFine, FINE_TYPES, LEXICAL_CLASSES } from "./phrase-types.js";

/** A row of a batch: two phrases that mean the same. */
export interface BatchRow extends PhrasePair {
  /** Index of their type's label; -1 where unknown. */
  readonly type: number;
  readonly side: PairSide | undefined;
}

/** Positives of one source: pairs in runs, and the number of runs in a batch. */
export interface PairSource {
  readonly runs: NeighbourRuns;
  readonly runsPerBatch: number;
  /** Fraction of second phrases that are augmented. */
  readonly augmented: number;
  readonly side: PairSide | undefined;
}

/** What batches are drawn from. */
export interface BatchData {
  readonly phrases: readonly string[];
  /** Per phrase, its index in LEXICAL_CLASSES. */
  readonly classes: ArrayLike<number>;
  /** Per phrase, its index in FINE_TYPES; any other number where it is unknown. */
  readonly types: ArrayLike<number>;
  readonly negatives: ReadonlyMap<string, readonly { readonly negative: string }[]>;
  readonly sources: readonly PairSource[];
  /** Labels of phrases that a table of pairs gives; they come before those of `types`. */
  readonly pairTypes: ReadonlyMap<string, number>;
  /** Absent: twins are the phrases themselves. */
  readonly augmenter: Augmenter | undefined;
}

export interface BatchSettings {
  /** Phrases in a batch, beside their hard negatives and the pairs of sources. */
  readonly anchors: number;
  /** Hard negatives drawn for each of them. */
  readonly hardNegatives: number;
  /** Labels of the type head in order; empty: types are not learned. */
  readonly types: readonly string[];
  readonly seed: number;
}

/** Draws the rows of batches. A batch is a function of the data, the seed and its number alone. */
export class BatchSampler {
  readonly #data: BatchData;
  readonly #settings: BatchSettings;
  readonly #rowOf: ReadonlyMap<string, number>;
  /** By class and fine type. */
  readonly #labels: readonly Int32Array[];
  #shuffled: { epoch: number; order: Int32Array } = { epoch: -1, order: new Int32Array(0) };

  constructor(data: BatchData, settings: BatchSettings) {
    this.#data = data;
    this.#settings = settings;
    this.#rowOf = new Map(data.phrases.map((phrase, row) => [phrase, row]));
    this.#labels = labelsOf(settings.types);
  }

  /** The rows of batch `index`, from 0. */
  rows(index: number): BatchRow[] {
    const random = createRandom(batchSeed(this.#settings.seed, index));
    const rows: BatchRow[] = [];
    for (const phrase of this.#phrases(index, random))
      rows.push({
        ...{ text: phrase, positive: this.#twin(phrase, random), type: this.#typeOf(phrase) },
        side: "both",
      });
    for (const source of this.#data.sources) {
      const [from, to] = [index, index + 1].map((number) => Math.floor(number * source.runsPerBatch));
      for (const pair of source.runs.pairs(from, to)) rows.push(this.#pairRow(pair, source, random));
    }
    return rows;
  }

  /** Anchors, each followed by hard negatives, which are anchors too. */
  *#phrases(index: number, random: Random): Generator<string> {
    const { phrases, negatives } = this.#data;
    const { anchors, hardNegatives } = this.#settings;
    for (let i = index * anchors; i < (index + 1) * anchors; i++) {
      const epoch = Math.floor(i / phrases.length);
      const phrase = phrases[this.#order(epoch)[i % phrases.length]];
      yield phrase;
      if (hardNegatives === 0) continue;
      for (const { negative } of sampleWithout(negatives.get(phrase) ?? [], hardNegatives, random))
        yield negative;
    }
  }

  #order(epoch: number): Int32Array {
    if (this.#shuffled.epoch !== epoch)
      this.#shuffled = { epoch, order: permutation(this.#data.phrases.length, this.#settings.seed, epoch) };
    return this.#shuffled.order;
  }

  #twin(phrase: string, random: Random): string {
    const row = this.#rowOf.get(phrase);
    const known = row === undefined ? undefined : FINE_TYPES[this.#data.types[row]];
    const type = known && entityTypeOfFine(known);
    return this.#data.augmenter?.augment(phrase, random, { type }).text ?? phrase;
  }

  /** The positive of a phrase that is its own synonym is always a twin. */
  #pairRow({ text, positive }: PhrasePair, { augmented, side }: PairSource, random: Random): BatchRow {
    const [a, b] = random() < 0.5 ? [text, positive] : [positive, text];
    const type = Math.max(this.#typeOf(a), this.#typeOf(b));
    const isTwin = random() < augmented || a === b;
    return { text: a, positive: isTwin ? this.#twin(b, random) : b, type, side };
  }

  #typeOf(phrase: string): number {
    if (this.#settings.types.length === 0) return -1;
    const own = this.#data.pairTypes.get(phrase);
    if (own !== undefined) return own;
    const row = this.#rowOf.get(phrase);
    if (row === undefined) return -1;
    const { classes, types } = this.#data;
    return this.#labels[classes[row]][types[row]] ?? -1;
  }
}

/** How pairs of synonyms are drawn. */
export interface SynonymSettings {
  /** Pairs in a batch. */
  readonly synonyms: number;
  /** Weights by source; default the number of pairs. A source with 0 is left out. */
  readonly synonymShares?: Readonly<Record<string, number>>;
  /** Pairs that share words and come together. */
  readonly run: number;
  /** Which words they share, by source; default the rarest. */
  readonly runsBy?: Readonly<Record<string, RunKey>>;
  /** Fraction of the pairs' second phrases that are augmented too. */
  readonly augmentPairs: AugmentedShares;
  /** The part of the vector that each source's pairs are for. */
  readonly synonymSides?: Readonly<Record<string, PairSide>>;
  readonly seed: number;
}

/** The sources of synonyms that have a part in batches. */
export function synonymSources(
  pairs: Iterable<{ readonly phrase: string; readonly synonym: string; readonly source: string }>,
  settings: SynonymSettings,
): PairSource[] {
  const { synonymShares, run, seed, augmentPairs, synonymSides, runsBy } = settings;
  const bySource = new Map<string, PhrasePair[]>();
  for (const { phrase, synonym, source } of pairs) {
    const list = bySource.get(source) ?? [];
    bySource.set(source, list);
    list.push({ text: phrase, positive: synonym });
  }
  const weights = [...bySource].map(([source, list]) => synonymShares?.[source] ?? list.length);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return [...bySource].flatMap(([source, list], i): PairSource[] => {
    const runsPerBatch = sum === 0 ? 0 : (settings.synonyms * weights[i]) / sum / Math.min(run, list.length);
    const augmented = typeof augmentPairs === "number" ? augmentPairs : (augmentPairs[source] ?? 0);
    const runs = new NeighbourRuns(list, { run, seed, by: runsBy?.[source] });
    return runsPerBatch > 0 ? [{ runs, runsPerBatch, augmented, side: synonymSides?.[source] }] : [];
  });
}

/**
 * A number for each anchor, then each positive; phrases with the same number are not negatives of each other: those
 * that look the same to the model, positives of each other, and known synonyms.
 * @param places number of each phrase of the batch
 * @param groups per phrase; equal numbers look the same to the model
 */
export function negativeGroups(
  rows: readonly BatchRow[],
  places: ReadonlyMap<string, number>,
  groups: Int32Array,
  synonyms: ReadonlyMap<string, readonly string[]>,
): Int32Array {
  const sets = new DisjointSets(groups);
  const place = (text: string) => places.get(text) as number;
  for (const { text, positive } of rows) {
    sets.unite(place(text), place(positive));
    for (const known of [text, positive])
      for (const synonym of synonyms.get(known) ?? [])
        if (places.has(synonym)) sets.unite(place(known), place(synonym));
  }
  const all = [...rows.map(({ text }) => text), ...rows.map(({ positive }) => positive)];
  return Int32Array.from(all, (text) => sets.group(place(text)));
}

/** The rows that each part of the vector has a loss for. */
export function sidesOf(rows: readonly BatchRow[]): { phraseRows: number[]; charactersRows: number[] } {
  const of = (wanted: PairSide) =>
    rows.flatMap(({ side }, row) => (side === wanted || side === "both" ? [row] : []));
  return { phraseRows: of("phrase"), charactersRows: of("characters") };
}

/** Per class and fine type, its place among a head's labels; a head without kinds has OTHER for all of them. */
function labelsOf(types: readonly string[]): Int32Array[] {
  const places = new Map(types.map((label, place) => [label, place]));
  return LEXICAL_CLASSES.map((lexical) =>
    Int32Array.from(
      FINE_TYPES,
      (type) => places.get(`${lexical}-${type}`) ?? places.get(`${lexical}-${entityTypeOfFine(type)}`) ?? -1,
    ),
  );
}

class DisjointSets {
  readonly #parents: Int32Array;
  readonly #start: Int32Array;

  /** @param groups per phrase: equal numbers are in one set from the start */
  constructor(groups: Int32Array) {
    this.#start = groups;
    this.#parents = Int32Array.from(groups, (_, i) => i);
  }

  unite(a: number, b: number): void {
    this.#parents[this.group(a)] = this.group(b);
  }

  /** The set's number, equal for all its members. */
  group(phrase: number): number {
    let at = this.#start[phrase];
    while (this.#parents[at] !== at) at = this.#parents[at] = this.#parents[this.#parents[at]];
    return at;
  }
}
