/** The rows of a corpus's batches: PEARL's, and behind them pairs of known synonyms and of a user's table. */
import type { Augmenter } from "../../augmentation/augmenter.js";
import { entityTypeOfFine, FINE_TYPES } from "../../corpus/typing/fine-types.js";
import { groupBy } from "../../match/group-by.js";
import { type BatchData, type BatchRow, type BatchSettings, batchRows } from "../../pearl/batches.js";
import { LEXICAL_CLASSES } from "../../pearl/phrase-types.js";
import { batchSeed, createRandom, type Random } from "../../random.js";
import { type Feeds, int64 } from "../../runtime/tensor.js";
import type { MethodSettings, PairSide } from "../settings/method-settings.js";
import { type NeighbourRuns, neighbourRuns, type PhrasePair } from "./neighbour-runs.js";
import { partRows } from "./part-losses.js";

interface CorpusRow extends BatchRow {
  readonly side: PairSide | undefined;
}

/** Positives of one source: pairs in runs, and the number of runs in a batch. */
export interface PairSource {
  readonly runs: NeighbourRuns;
  readonly runsPerBatch: number;
  readonly augmented: number;
  readonly side: PairSide | undefined;
}

export interface CorpusRowData extends Pick<BatchData, "phrases" | "negatives"> {
  /** Per phrase, its occurrences in text. */
  readonly counts: ArrayLike<number>;
  /** Per phrase, its index in LEXICAL_CLASSES. */
  readonly classes: ArrayLike<number>;
  /** Per phrase, its index in FINE_TYPES; any other number where it is unknown. */
  readonly types: ArrayLike<number>;
  readonly sources: readonly PairSource[];
  /** Labels of phrases from a table of pairs; they take precedence over `types`. */
  readonly pairTypes: ReadonlyMap<string, number>;
  /** Absent: twins are the phrases themselves. */
  readonly augmenter: Augmenter | undefined;
}

export interface CorpusRowSettings
  extends BatchSettings,
    Pick<
      MethodSettings,
      "countPower" | "synonyms" | "synonymShares" | "synonymSides" | "run" | "runsBy" | "augmentPairs"
    > {
  /** Labels of the type head, in order; empty: types are not learned. */
  readonly types: readonly string[];
}

/** Draws the rows of a batch by its number. */
export function corpusRows(data: CorpusRowData, settings: CorpusRowSettings): (index: number) => CorpusRow[] {
  const { phrases, classes, types, pairTypes, augmenter } = data;
  const places = new Map(phrases.map((phrase, place) => [phrase, place]));
  const labels = labelsOf(settings.types);
  const typeOf = (phrase: string): number => {
    if (settings.types.length === 0) return -1;
    const own = pairTypes.get(phrase);
    if (own !== undefined) return own;
    const place = places.get(phrase);
    return place === undefined ? -1 : (labels[classes[place]][types[place]] ?? -1);
  };
  const twinOf = (phrase: string, random: Random): string => {
    const place = places.get(phrase);
    const known = place === undefined ? undefined : FINE_TYPES[types[place]];
    return augmenter?.augment(phrase, random, { type: known && entityTypeOfFine(known) }).text ?? phrase;
  };
  /** The positive of a phrase that is its own synonym is always a twin. */
  const pairRow = ({ text, positive }: PhrasePair, { augmented, side }: PairSource, random: Random) => {
    const [a, b] = random() < 0.5 ? [text, positive] : [positive, text];
    const type = Math.max(typeOf(a), typeOf(b));
    const isTwin = random() < augmented || a === b;
    return { text: a, positive: isTwin ? twinOf(b, random) : b, type, side };
  };
  const pearlRows = batchRows({ ...data, phrases: repeated(data, settings), twinOf, typeOf }, settings);
  return (index) => {
    const random = createRandom(batchSeed(settings.seed, index));
    const rows = pearlRows(index, random).map((row): CorpusRow => ({ ...row, side: "both" }));
    for (const source of data.sources) {
      const [from, to] = [index, index + 1].map((number) => Math.floor(number * source.runsPerBatch));
      for (const pair of source.runs(from, to)) rows.push(pairRow(pair, source, random));
    }
    return rows;
  };
}

/** Each phrase as often as it is an anchor when all have been: names that are read often are learned often. */
export function repeated(
  { phrases, counts }: Pick<CorpusRowData, "phrases" | "counts">,
  { countPower = 0 }: Pick<CorpusRowSettings, "countPower">,
): readonly string[] {
  if (countPower === 0) return phrases;
  const times = (row: number) => Math.max(1, Math.round(counts[row] ** countPower));
  return phrases.flatMap((phrase, row) => new Array<string>(times(row)).fill(phrase));
}

export function synonymSources(
  pairs: Iterable<{ readonly phrase: string; readonly synonym: string; readonly source: string }>,
  settings: CorpusRowSettings,
): PairSource[] {
  const { synonymShares, run, seed, augmentPairs, synonymSides, runsBy } = settings;
  const bySource = groupBy(pairs, ({ source }) => source);
  const weights = [...bySource].map(([source, list]) => synonymShares?.[source] ?? list.length);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return [...bySource].flatMap(([source, list], i): PairSource[] => {
    const runsPerBatch = sum === 0 ? 0 : (settings.synonyms * weights[i]) / sum / Math.min(run, list.length);
    const augmented = typeof augmentPairs === "number" ? augmentPairs : (augmentPairs[source] ?? 0);
    const texts = list.map(({ phrase, synonym }) => ({ text: phrase, positive: synonym }));
    const runs = neighbourRuns(texts, { run, seed, by: runsBy?.[source] });
    return runsPerBatch > 0 ? [{ runs, runsPerBatch, augmented, side: synonymSides?.[source] }] : [];
  });
}

/** The inputs of losses of one part: the pairs of each. A pair without others has no loss, so that it can fill a part without rows. */
export function partFeeds(rows: readonly CorpusRow[]): Feeds {
  const of = (wanted: PairSide) =>
    rows.flatMap(({ side }, row) => (side === wanted || side === "both" ? [row] : []));
  const filled = (own: readonly number[]) => int64(own.length > 0 ? own : [0]);
  return {
    [partRows("phrase")]: filled(of("phrase")),
    [partRows("characters")]: filled(of("characters")),
  };
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
