/**
 * The batches of PEARL (section 3): phrases with their hard negatives, each with a twin made by augmentation. Beyond
 * the paper, known synonyms are further positives.
 */
import { batchSeed, createRandom, epochOrders, type Random, sampleWithout } from "../random.js";
import type { Augmenter } from "./augmentation/augmenter.js";
import type { MethodSettings, PairSide } from "./method.js";
import { type NeighbourRuns, neighbourRuns, type PhrasePair } from "./neighbour-runs.js";
import { entityTypeOfFine, FINE_TYPES, LEXICAL_CLASSES } from "./phrase-types.js";

export interface BatchRow extends PhrasePair {
  /** Index of their type's label; -1 where unknown. */
  readonly type: number;
  readonly side: PairSide | undefined;
}

/** Positives of one source: pairs in runs, and the number of runs in a batch. */
export interface PairSource {
  readonly runs: NeighbourRuns;
  readonly runsPerBatch: number;
  readonly augmented: number;
  readonly side: PairSide | undefined;
}

export interface BatchData {
  readonly phrases: readonly string[];
  /** Per phrase, its index in LEXICAL_CLASSES. */
  readonly classes: ArrayLike<number>;
  /** Per phrase, its index in FINE_TYPES; any other number where it is unknown. */
  readonly types: ArrayLike<number>;
  readonly negatives: ReadonlyMap<string, readonly { readonly negative: string }[]>;
  readonly sources: readonly PairSource[];
  /** Labels of phrases from a table of pairs; they take precedence over `types`. */
  readonly pairTypes: ReadonlyMap<string, number>;
  /** Absent: twins are the phrases themselves. */
  readonly augmenter: Augmenter | undefined;
}

export interface BatchSettings extends Pick<MethodSettings, "anchors" | "hardNegatives"> {
  /** Labels of the type head, in order; empty: types are not learned. */
  readonly types: readonly string[];
  readonly seed: number;
}

/** Draws the rows of batches. A batch depends on the data, the seed and its number alone. */
export class BatchSampler {
  readonly #data: BatchData;
  readonly #settings: BatchSettings;
  readonly #rowOf: ReadonlyMap<string, number>;
  /** By class and fine type. */
  readonly #labels: readonly Int32Array[];
  readonly #orderOf: (epoch: number) => Int32Array;

  constructor(data: BatchData, settings: BatchSettings) {
    this.#data = data;
    this.#settings = settings;
    this.#rowOf = new Map(data.phrases.map((phrase, row) => [phrase, row]));
    this.#labels = labelsOf(settings.types);
    this.#orderOf = epochOrders(data.phrases.length, settings.seed);
  }

  rows(index: number): BatchRow[] {
    const random = createRandom(batchSeed(this.#settings.seed, index));
    const rows: BatchRow[] = [];
    for (const text of this.#phrases(index, random)) {
      const positive = this.#twin(text, random);
      rows.push({ text, positive, type: this.#typeOf(text), side: "both" });
    }
    for (const source of this.#data.sources) {
      const [from, to] = [index, index + 1].map((number) => Math.floor(number * source.runsPerBatch));
      for (const pair of source.runs(from, to)) rows.push(this.#pairRow(pair, source, random));
    }
    return rows;
  }

  /** Anchors, each followed by hard negatives, which are anchors too. */
  *#phrases(index: number, random: Random): Generator<string> {
    const { phrases, negatives } = this.#data;
    const { anchors, hardNegatives } = this.#settings;
    for (let i = index * anchors; i < (index + 1) * anchors; i++) {
      const epoch = Math.floor(i / phrases.length);
      const phrase = phrases[this.#orderOf(epoch)[i % phrases.length]];
      yield phrase;
      if (hardNegatives === 0) continue;
      for (const { negative } of sampleWithout(negatives.get(phrase) ?? [], hardNegatives, random))
        yield negative;
    }
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

export type SynonymSettings = Pick<
  MethodSettings,
  "synonyms" | "synonymShares" | "run" | "runsBy" | "augmentPairs" | "synonymSides"
>;

export function synonymSources(
  pairs: Iterable<{ readonly phrase: string; readonly synonym: string; readonly source: string }>,
  settings: SynonymSettings & Pick<BatchSettings, "seed">,
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
    const runs = neighbourRuns(list, { run, seed, by: runsBy?.[source] });
    return runsPerBatch > 0 ? [{ runs, runsPerBatch, augmented, side: synonymSides?.[source] }] : [];
  });
}

/**
 * A number for each anchor, then each positive. Phrases with the same number are not negatives of each other: they
 * look the same to the model, are positives of each other, or known synonyms.
 * @param places number of each phrase of the batch
 * @param groups per phrase; equal numbers look the same to the model
 */
export function negativeGroups(
  rows: readonly BatchRow[],
  places: ReadonlyMap<string, number>,
  groups: Int32Array,
  synonyms: ReadonlyMap<string, readonly string[]>,
): Int32Array {
  // Disjoint sets: a group's parent is another group of the same set, or itself.
  const parents = Int32Array.from(groups.keys());
  const setOf = (text: string): number => {
    let at = groups[places.get(text) as number];
    while (parents[at] !== at) at = parents[at] = parents[parents[at]];
    return at;
  };
  const unite = (one: string, other: string): void => {
    parents[setOf(one)] = setOf(other);
  };
  for (const { text, positive } of rows) {
    unite(text, positive);
    for (const known of [text, positive])
      for (const synonym of synonyms.get(known) ?? []) if (places.has(synonym)) unite(known, synonym);
  }
  const all = [...rows.map(({ text }) => text), ...rows.map(({ positive }) => positive)];
  return Int32Array.from(all, setOf);
}

export function sidesOf(rows: readonly BatchRow[]): { phraseRows: number[]; charactersRows: number[] } {
  const of = (wanted: PairSide) =>
    rows.flatMap(({ side }, row) => (side === wanted || side === "both" ? [row] : []));
  return { phraseRows: of("phrase"), charactersRows: of("characters") };
}

/** Per class and fine type, the index among a head's labels; a head without kinds of OTHER labels them all OTHER. */
function labelsOf(types: readonly string[]): Int32Array[] {
  const places = new Map(types.map((label, place) => [label, place]));
  return LEXICAL_CLASSES.map((lexical) =>
    Int32Array.from(
      FINE_TYPES,
      (type) => places.get(`${lexical}-${type}`) ?? places.get(`${lexical}-${entityTypeOfFine(type)}`) ?? -1,
    ),
  );
}
