/** Reads a corpus folder and a table of pairs, and makes PEARL's batches of them for a model. */
import { join } from "node:path";
import { type Augmenter, createAugmenter } from "../../augmentation/augmenter.js";
import { countBy, groupBy } from "../../by-key.js";
import {
  CORPUS_FILES,
  type Corpus,
  readHardNegatives,
  readSynonyms,
  synonymIndex,
  UNKNOWN_TYPE,
} from "../../corpus/corpus-folder.js";
import { entityTypeOfFine, FINE_TYPES } from "../../corpus/typing/fine-types.js";
import { disjointSets } from "../../disjoint-sets.js";
import { fileFingerprint } from "../../files/checksums/fingerprint.js";
import { type BatchData, type BatchRow, type BatchSettings, batchRows } from "../../pearl/batches.js";
import { contrastiveBatch, type Reader, readDistinct } from "../../pearl/contrastive-batch.js";
import { LEXICAL_CLASSES } from "../../pearl/phrase-types.js";
import { batchSeed, createRandom, epochOrders, type Random } from "../../random.js";
import { type Feeds, int64 } from "../../runtime/tensor.js";
import { splitWords } from "../../text/char-ngrams.js";
import { readPairs } from "../pairs/pairs.js";
import { type ContextSettings, contextSpans } from "../pretrain/spans.js";
import type { MethodSettings, PairSide } from "../settings/method-settings.js";
import { type RunKey, withContents } from "../settings/schema.js";
import { partRows } from "./corpus-terms.js";

/** The settings of a training that decide its batches. */
export const batchKeys = [
  ...(["anchors", "hardNegatives", "synonyms", "synonymShares", "synonymSides", "countPower"] as const),
  ...(["run", "hardGroupBy", "augmentPairs", "augmentation"] as const),
];

/** What decides the batches of a corpus. */
export interface CorpusBatchSettings extends BatchSettings, Pick<MethodSettings, (typeof batchKeys)[number]> {
  /** Labels of the type head, in order; empty: types are not learned. */
  readonly types: readonly string[];
  readonly inputNames: readonly string[];
  /** A table of more pairs, and its rows in a batch. */
  readonly pairs?: { readonly path: string; readonly types?: string; readonly rows: number };
  readonly contexts?: ContextSettings;
  readonly cells?: number;
}

export type CorpusBatches = Awaited<ReturnType<typeof openCorpusBatches>>;

/** What a corpus has for training. */
export interface CorpusFacts {
  readonly phrases: number;
  /** Phrases with a known entity type. */
  readonly typed: number;
  readonly withHardNegatives: number;
  /** Phrases with a known synonym. */
  readonly withSynonyms: number;
  readonly synonymPairs: number;
  /** Rows of the table of more pairs. */
  readonly pairs: number;
  /** Batches until every phrase of the corpus was an anchor once. */
  readonly batchesPerEpoch: number;
  /** Of phrases.tsv and synonyms.tsv. */
  readonly fingerprint: string;
}

/** @throws TableError, MissingDataError, ModelError, ArgumentError */
export async function openCorpusBatches(corpus: Corpus, settings: CorpusBatchSettings, reader: Reader) {
  const { folder } = corpus;
  const { types, seed, cells, synonymSides } = settings;
  const pairs = await readSynonyms(folder);
  const synonyms = synonymIndex(pairs);
  const negatives = settings.hardNegatives > 0 ? await readHardNegatives(folder) : new Map();
  const table = await readTable(settings);
  const sources = [...synonymSources(pairs, settings), ...(table?.sources ?? [])];
  const augmenter =
    settings.augmentation === "none" ? undefined : await createAugmenter(settings.augmentation);
  const pairTypes = table?.types ?? new Map();
  const rowsOf = corpusRows({ ...corpus, negatives, sources, augmenter, pairTypes }, settings);
  const { contexts } = settings;
  const spansOf = contexts && contextSpans(contexts, seed);
  const inputNames = new Set(settings.inputNames);
  // files by their contents: a run resumes after they were moved, but not after they were changed
  const contents = {
    ...(await withContents(settings)),
    pairs: table && { rows: settings.pairs?.rows, fingerprint: table.fingerprint },
    contexts: contexts && { ...contexts, text: contexts.text.fingerprint },
    negatives: negatives.size > 0 && (await fileFingerprint(join(folder, CORPUS_FILES.hardNegatives))),
  };
  const facts: CorpusFacts = {
    phrases: corpus.phrases.length,
    typed: corpus.types.reduce((count, type) => count + (type === UNKNOWN_TYPE ? 0 : 1), 0),
    withHardNegatives: negatives.size,
    withSynonyms: synonyms.size,
    synonymPairs: corpus.manifest.counts.synonymPairs,
    pairs: table?.size ?? 0,
    batchesPerEpoch: Math.max(1, Math.ceil(repeated(corpus, settings).length / (settings.anchors || 1))),
    fingerprint: corpus.manifest.fingerprint,
  };
  return {
    fingerprint: `${corpus.manifest.fingerprint} ${JSON.stringify(contents)}`,
    facts,
    /** Of the rows of the table of more pairs, where there is one. */
    pairsFingerprint: table?.fingerprint,
    async batch(index: number) {
      const rows = rowsOf(index);
      const spans = spansOf?.(index);
      const paired = rows.flatMap(({ text, positive }) => [text, positive]);
      const { read, places, place } = await readDistinct([...paired, ...(spans?.texts ?? [])], reader);
      return contrastiveBatch(
        {
          anchors: rows.map(({ text }) => place(text)),
          positives: rows.map(({ positive }) => place(positive)),
          types: rows.map(({ type }) => type),
          groups: negativeGroups(rows, places, read.groups, synonyms),
          further: {
            rows: spans?.texts.map(place),
            feeds: { ...(synonymSides && partFeeds(rows)), ...spans?.feeds },
          },
        },
        read,
        { types: types.length, inputNames, cells, seed: batchSeed(seed, index) },
      );
    },
    /** `type`: undefined where it is unknown. */
    describe: (index: number): { text: string; positive: string; type: string | undefined }[] =>
      rowsOf(index).map(({ text, positive, type }) => ({ text, positive, type: types[type] })),
  };
}

/** The table of more pairs as a source, and the types of its phrases. */
async function readTable({ pairs, types, augmentPairs, seed }: CorpusBatchSettings) {
  if (!pairs) return undefined;
  const table = await readPairs(pairs.path, { typesPath: pairs.types });
  const source = {
    runs: neighbourRuns(table.pairs, { run: 1, seed }),
    runsPerBatch: pairs.rows,
    augmented: typeof augmentPairs === "number" ? augmentPairs : 0,
    side: undefined,
  };
  const typeOf = new Map<string, number>();
  for (const { text, positive, type } of table.pairs) {
    const index = types.indexOf(type);
    if (index >= 0) typeOf.set(text, index).set(positive, index);
  }
  const { fingerprint } = table;
  return { size: table.pairs.length, sources: [source], types: typeOf, fingerprint };
}

interface CorpusRow extends BatchRow {
  readonly side: PairSide | undefined;
}

/** Positives of one source: pairs in runs, the number of runs in a batch, and the fraction whose positive is augmented. */
interface PairSource extends Pick<CorpusRow, "side"> {
  readonly runs: NeighbourRuns;
  readonly runsPerBatch: number;
  readonly augmented: number;
}

interface CorpusRowData
  extends Pick<Corpus, "phrases" | "classes" | "counts" | "types">,
    Pick<BatchData, "negatives"> {
  readonly sources: readonly PairSource[];
  /** Labels of phrases from a table of pairs; they take precedence over `types`. */
  readonly pairTypes: ReadonlyMap<string, number>;
  /** Absent: twins are the phrases themselves. */
  readonly augmenter: Augmenter | undefined;
}

/** Draws the rows of a batch by its number. */
function corpusRows(data: CorpusRowData, settings: CorpusBatchSettings): (index: number) => CorpusRow[] {
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
    const [one, other] = [typeOf(a), typeOf(b)];
    // of two known types that differ, neither is taken
    const type = one === other || other < 0 ? one : one < 0 ? other : -1;
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

/** Each phrase as often as it is an anchor in an epoch: names that are read often are learned often. */
function repeated(
  { phrases, counts }: Pick<Corpus, "phrases" | "counts">,
  { countPower = 0 }: Pick<MethodSettings, "countPower">,
): readonly string[] {
  if (countPower === 0) return phrases;
  const times = (row: number) => Math.max(1, Math.round(counts[row] ** countPower));
  return phrases.flatMap((phrase, row) => new Array<string>(times(row)).fill(phrase));
}

function synonymSources(
  pairs: Iterable<{ readonly phrase: string; readonly synonym: string; readonly source: string }>,
  settings: CorpusBatchSettings,
): PairSource[] {
  const { synonymShares, run, seed, augmentPairs, synonymSides, hardGroupBy } = settings;
  const bySource = groupBy(pairs, ({ source }) => source);
  const weights = [...bySource].map(([source, list]) => synonymShares?.[source] ?? list.length);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return [...bySource].flatMap(([source, list], i): PairSource[] => {
    const runsPerBatch = sum === 0 ? 0 : (settings.synonyms * weights[i]) / sum / Math.min(run, list.length);
    const augmented = typeof augmentPairs === "number" ? augmentPairs : (augmentPairs[source] ?? 0);
    const texts = list.map(({ phrase, synonym }) => ({ text: phrase, positive: synonym }));
    const runs = neighbourRuns(texts, { run, seed, by: hardGroupBy?.[source] });
    return runsPerBatch > 0 ? [{ runs, runsPerBatch, augmented, side: synonymSides?.[source] }] : [];
  });
}

/** The inputs of losses of one part: the pairs of each. A pair without others has no loss, so that it can fill a part without rows. */
function partFeeds(rows: readonly CorpusRow[]): Feeds {
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

/**
 * A number for each anchor, then each positive. Phrases with the same number are not negatives of each other: they
 * look the same to the model, are positives of each other, or known synonyms.
 * @param places number of each phrase of the batch
 * @param groups per phrase; equal numbers look the same to the model
 */
function negativeGroups(
  rows: readonly BatchRow[],
  places: ReadonlyMap<string, number>,
  groups: Int32Array,
  synonyms: ReadonlyMap<string, readonly string[]>,
): Int32Array {
  const sets = disjointSets(groups.length);
  const groupOf = (text: string): number => groups[places.get(text) as number];
  const unite = (one: string, other: string): void => sets.unite(groupOf(one), groupOf(other));
  for (const { text, positive } of rows) {
    unite(text, positive);
    for (const known of [text, positive])
      for (const synonym of synonyms.get(known) ?? []) if (places.has(synonym)) unite(known, synonym);
  }
  const all = [...rows.map(({ text }) => text), ...rows.map(({ positive }) => positive)];
  return Int32Array.from(all, (text) => sets.rootOf(groupOf(text)));
}

/**
 * Pairs of phrases in runs of neighbours: pairs that share words are in one batch, so that each is a hard negative of
 * the others.
 */
interface PhrasePair {
  readonly text: string;
  readonly positive: string;
}

/** The pairs of the runs `from` to `to` (exclusive), numbered through all epochs. */
type NeighbourRuns = (from: number, to: number) => PhrasePair[];

/** Its multiples, without their whole parts, spread over the numbers from 0 to 1. */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/**
 * Every epoch has all runs once, in its own order, and cut at other pairs.
 * @param run pairs that stay together; 1: none do
 */
export function neighbourRuns(
  pairs: readonly PhrasePair[],
  { run, seed, by = "rarest" }: { run: number; seed: number; by?: RunKey },
): NeighbourRuns {
  const count = pairs.length;
  const size = Math.max(1, Math.min(run, count));
  const keys = sharedWords[by](pairs);
  const order = Int32Array.from(keys.keys()).sort((a, b) =>
    keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b,
  );
  const runs = Math.ceil(count / size);
  const orderOf = epochOrders(runs, seed);
  return (from, to) => {
    const found: PhrasePair[] = [];
    for (let number = from; number < to; number++) {
      const epoch = Math.floor(number / runs);
      const shift = Math.floor(((epoch * goldenRatio) % 1) * size);
      const start = orderOf(epoch)[number % runs] * size;
      for (let i = start; i < Math.min(start + size, count); i++)
        found.push(pairs[order[(i + shift) % count]]);
    }
    return found;
  };
}

/** For each pair, its rarest word that another pair also has, and then the phrase. */
function rarestWords(pairs: readonly PhrasePair[]): string[] {
  const words = pairs.flatMap(({ text }) => [...new Set(splitWords(text))]);
  const frequency = countBy(words, (word) => word);
  return pairs.map((pair) => {
    let [best, least] = ["", Number.POSITIVE_INFINITY];
    for (const word of splitWords(pair.text)) {
      const count = frequency.get(word) as number;
      if (count > 1 && count < least) [best, least] = [word, count];
    }
    return `${best}\t${pair.text}`;
  });
}

/** Words from the last to the first, those with digits behind the others. */
function lastWords(text: string): string {
  const words = splitWords(text.toLowerCase()).reverse();
  const isNumber = (word: string) => /\p{N}/u.test(word);
  return [...words.filter((word) => !isNumber(word)), ...words.filter(isNumber)].join(" ");
}

const sharedWords: Record<RunKey, (pairs: readonly PhrasePair[]) => string[]> = {
  rarest: rarestWords,
  last: (pairs) => pairs.map(({ text }) => `${lastWords(text)}\t${text}`),
  // pairs with the same first word keep their order
  first: (pairs) => pairs.map(({ text }) => splitWords(text.toLowerCase())[0] ?? ""),
};
