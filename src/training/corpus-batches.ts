/**
 * Batches from a corpus, as PEARL makes them: phrases with their hard negatives, each with a twin made by
 * augmentation; beside them known synonyms and a table's pairs as further positives. A batch is a function of the
 * seed and its number alone.
 */
import { type Augmenter, createAugmenter } from "../corpus/augmentation/index.js";
import {
  type Corpus,
  entityTypeOfFine,
  FINE_TYPES,
  type HardNegative,
  LEXICAL_CLASSES,
  PHRASE_TYPES,
  readCorpus,
  readHardNegatives,
  readSynonyms,
  synonymIndex,
  UNKNOWN_TYPE,
} from "../corpus/index.js";
import { openFeaturizers } from "../encoder/features.js";
import { readModelFolder } from "../encoder/model-folder.js";
import { createRandom, type Random, sampleWithout } from "../random.js";
import type { TrainingBatch } from "./batch.js";
import { type ContextSource, openContexts } from "./context-source.js";
import { contrastiveBatch, type Reader, readPhrases } from "./contrastive-batch.js";
import type { CorpusBatchSettings, CorpusFacts, PairSide } from "./data-protocol.js";
import { NeighbourRuns, type PhrasePair } from "./neighbour-runs.js";
import { batchSeed, permutation } from "./pair-data.js";
import { readPairs } from "./pairs.js";

/** A row of a batch: two phrases that mean the same, and their type's index, -1 where unknown. */
interface Row extends PhrasePair {
  readonly type: number;
  readonly side: PairSide | undefined;
}

/** Positives of one source: pairs in runs, and how many runs a batch has of it. */
interface Source {
  readonly runs: NeighbourRuns;
  readonly runsPerBatch: number;
  /** Share of second phrases that are augmented. */
  readonly augmented: number;
  readonly side: PairSide | undefined;
}

export class CorpusBatches {
  readonly facts: CorpusFacts;
  readonly #settings: CorpusBatchSettings;
  readonly #corpus: Corpus;
  readonly #reader: Reader;
  readonly #augmenter: Augmenter | undefined;
  readonly #negatives: ReadonlyMap<string, readonly HardNegative[]>;
  readonly #synonyms: ReadonlyMap<string, readonly string[]>;
  readonly #rowOf: ReadonlyMap<string, number>;
  readonly #pairTypes: ReadonlyMap<string, number>;
  readonly #sources: readonly Source[];
  /** By class and fine type. */
  readonly #labels: readonly Int32Array[];
  readonly #inputNames: ReadonlySet<string>;
  readonly #spans: ContextSource | undefined;
  #shuffled: { epoch: number; order: Int32Array } = { epoch: -1, order: new Int32Array(0) };

  private constructor(settings: CorpusBatchSettings, parts: Parts) {
    this.#settings = settings;
    const { corpus, reader, augmenter, negatives, synonyms, sources, pairTypes } = parts;
    this.#corpus = corpus;
    this.#reader = reader;
    this.#augmenter = augmenter;
    this.#negatives = negatives;
    this.#synonyms = synonyms;
    this.#sources = sources;
    this.#pairTypes = pairTypes;
    this.#rowOf = new Map(corpus.phrases.map((phrase, row) => [phrase, row]));
    this.#labels = labelsOf(settings.types);
    this.#inputNames = new Set(settings.inputNames);
    this.#spans = parts.spans;
    this.facts = factsOf(settings, parts);
  }

  /** @throws TableError, MissingDataError, ModelError, ArgumentError */
  static async open(settings: CorpusBatchSettings): Promise<CorpusBatches> {
    return new CorpusBatches(settings, await readParts(settings));
  }

  async batch(index: number): Promise<TrainingBatch> {
    const rows = this.#rows(index);
    const spans = await this.#spans?.batch(index);
    const texts = [
      ...new Set([...rows.flatMap(({ text, positive }) => [text, positive]), ...(spans?.texts ?? [])]),
    ];
    const places = new Map(texts.map((text, place) => [text, place]));
    const read = await readPhrases(texts, this.#reader);
    const place = (text: string) => places.get(text) as number;
    const { types, seed, cells } = this.#settings;
    const sets = new DisjointSets(read.groups);
    for (const { text, positive } of rows) {
      sets.unite(place(text), place(positive));
      for (const known of [text, positive])
        for (const synonym of this.#synonyms.get(known) ?? [])
          if (places.has(synonym)) sets.unite(place(known), place(synonym));
    }
    const anchors = rows.map(({ text }) => place(text));
    const positives = rows.map(({ positive }) => place(positive));
    const groups = Int32Array.from([...anchors, ...positives], (phrase) => sets.group(phrase));
    return contrastiveBatch(
      {
        ...{ anchors, positives, negatives: [], types: rows.map(({ type }) => type), groups },
        ...(this.#settings.synonymSides && sidesOf(rows)),
        ...(spans && { spans: { rows: spans.texts.map(place), feeds: spans.feeds } }),
      },
      read,
      {
        ...{ negatives: "none", types: types.length, inputNames: this.#inputNames, cells },
        seed: batchSeed(seed, index),
      },
    );
  }

  /** The phrases of a batch, for people. */
  describe(index: number): { text: string; positive: string; type: string | undefined }[] {
    return this.#rows(index).map(({ text, positive, type }) => ({
      ...{ text, positive, type: this.#settings.types[type] },
    }));
  }

  #rows(index: number): Row[] {
    const random = createRandom(batchSeed(this.#settings.seed, index));
    const rows: Row[] = [];
    for (const phrase of this.#phrases(index, random))
      rows.push({
        ...{ text: phrase, positive: this.#twin(phrase, random), type: this.#typeOf(phrase) },
        side: "both",
      });
    for (const source of this.#sources) {
      const [from, to] = [index, index + 1].map((number) => Math.floor(number * source.runsPerBatch));
      for (const pair of source.runs.pairs(from, to)) rows.push(this.#pairRow(pair, source, random));
    }
    return rows;
  }

  /** Anchors of the corpus, each followed by hard negatives, which are anchors too. */
  *#phrases(index: number, random: Random): Generator<string> {
    const { phrases } = this.#corpus;
    const { anchors, hardNegatives } = this.#settings;
    for (let i = index * anchors; i < (index + 1) * anchors; i++) {
      const epoch = Math.floor(i / phrases.length);
      const phrase = phrases[this.#order(epoch)[i % phrases.length]];
      yield phrase;
      if (hardNegatives === 0) continue;
      const known = this.#negatives.get(phrase) ?? [];
      for (const { negative } of sampleWithout(known, hardNegatives, random)) yield negative;
    }
  }

  #order(epoch: number): Int32Array {
    if (this.#shuffled.epoch !== epoch)
      this.#shuffled = {
        epoch,
        order: permutation(this.#corpus.phrases.length, this.#settings.seed, epoch),
      };
    return this.#shuffled.order;
  }

  #twin(phrase: string, random: Random): string {
    const row = this.#rowOf.get(phrase);
    const known = row === undefined ? UNKNOWN_TYPE : this.#corpus.types[row];
    const type = known === UNKNOWN_TYPE ? undefined : entityTypeOfFine(FINE_TYPES[known]);
    return this.#augmenter?.augment(phrase, random, { type }).text ?? phrase;
  }

  /** A phrase that is its own synonym has a twin for its positive, always. */
  #pairRow({ text, positive }: PhrasePair, { augmented, side }: Source, random: Random): Row {
    const [a, b] = random() < 0.5 ? [text, positive] : [positive, text];
    const type = Math.max(this.#typeOf(a), this.#typeOf(b));
    const isTwin = random() < augmented || a === b;
    return { text: a, positive: isTwin ? this.#twin(b, random) : b, type, side };
  }

  #typeOf(phrase: string): number {
    if (this.#settings.types.length === 0) return -1;
    const own = this.#pairTypes.get(phrase);
    if (own !== undefined) return own;
    const row = this.#rowOf.get(phrase);
    if (row === undefined || this.#corpus.types[row] === UNKNOWN_TYPE) return -1;
    return this.#labels[this.#corpus.classes[row]][this.#corpus.types[row]];
  }
}

interface Parts {
  readonly corpus: Corpus;
  readonly reader: Reader;
  readonly augmenter: Augmenter | undefined;
  readonly negatives: ReadonlyMap<string, readonly HardNegative[]>;
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly sources: readonly Source[];
  /** Types that a table of pairs gives. */
  readonly pairTypes: ReadonlyMap<string, number>;
  readonly pairs: number;
  readonly spans: ContextSource | undefined;
}

async function readParts(settings: CorpusBatchSettings): Promise<Parts> {
  const { corpus: folder, model, encoderInputs, augmentation, synonymShares, pairs, run, seed } = settings;
  const corpus = await readCorpus(folder);
  const modelFolder = await readModelFolder(model);
  const featurizers = await openFeaturizers(modelFolder, encoderInputs);
  const tokens = modelFolder.features.findIndex(({ kind }) => kind === "tokens");
  const synonymPairs = await readSynonyms(folder);
  const bySource = new Map<string, PhrasePair[]>();
  for (const { phrase, synonym, source } of synonymPairs) {
    const list = bySource.get(source) ?? [];
    bySource.set(source, list);
    list.push({ text: phrase, positive: synonym });
  }
  const weights = [...bySource].map(([source, list]) => synonymShares?.[source] ?? list.length);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const sources = [...bySource].flatMap(([source, list], i): Source[] => {
    const runsPerBatch = sum === 0 ? 0 : (settings.synonyms * weights[i]) / sum / Math.min(run, list.length);
    const { augmentPairs, synonymSides, runsBy } = settings;
    const augmented = typeof augmentPairs === "number" ? augmentPairs : (augmentPairs[source] ?? 0);
    const runs = new NeighbourRuns(list, { run, seed, by: runsBy?.[source] });
    return runsPerBatch > 0 ? [{ runs, runsPerBatch, augmented, side: synonymSides?.[source] }] : [];
  });
  const table = pairs && (await readPairs(pairs.path, { typesPath: pairs.types }));
  if (table && pairs)
    sources.push({
      runs: new NeighbourRuns(table.pairs, { run: 1, seed }),
      runsPerBatch: pairs.rows,
      augmented: typeof settings.augmentPairs === "number" ? settings.augmentPairs : 0,
      side: undefined,
    });
  const typed = table?.pairs.filter(({ type }) => settings.types.includes(type)) ?? [];
  return {
    ...{ corpus, sources, pairs: table?.pairs.length ?? 0 },
    spans: settings.contexts && (await openContexts(settings.contexts, seed)),
    reader: { featurizers, primary: Math.max(0, tokens) },
    augmenter: augmentation === "none" ? undefined : await createAugmenter(augmentation),
    negatives: settings.hardNegatives > 0 ? await readHardNegatives(folder) : new Map(),
    synonyms: synonymIndex(synonymPairs),
    pairTypes: new Map(
      typed.flatMap(({ text, positive, type }) => {
        const index = settings.types.indexOf(type);
        return [
          [text, index],
          [positive, index],
        ] as const;
      }),
    ),
  };
}

function factsOf(settings: CorpusBatchSettings, { corpus, negatives, synonyms, pairs }: Parts): CorpusFacts {
  const { fingerprint, counts } = corpus.manifest;
  return {
    phrases: corpus.phrases.length,
    typed: corpus.types.reduce((count, type) => count + (type === UNKNOWN_TYPE ? 0 : 1), 0),
    withHardNegatives: negatives.size,
    withSynonyms: synonyms.size,
    synonymPairs: counts.synonymPairs,
    pairs,
    batchesPerEpoch: Math.max(1, Math.ceil(corpus.phrases.length / Math.max(1, settings.anchors))),
    fingerprint,
  };
}

/** Which rows are the matter of each part of the vector. */
function sidesOf(rows: readonly Row[]): { phraseRows: number[]; charactersRows: number[] } {
  const of = (wanted: PairSide) =>
    rows.flatMap(({ side }, row) => (side === wanted || side === "both" ? [row] : []));
  return { phraseRows: of("phrase"), charactersRows: of("characters") };
}

/** Places of all classes and fine types in a head's labels; a head without kinds has OTHER for all of them. */
function labelsOf(types: readonly string[]): Int32Array[] {
  const places = new Map(types.map((label, place) => [label, place]));
  return LEXICAL_CLASSES.map((lexical) =>
    Int32Array.from(
      FINE_TYPES,
      (type) => places.get(`${lexical}-${type}`) ?? places.get(`${lexical}-${entityTypeOfFine(type)}`) ?? -1,
    ),
  );
}

/** The labels of a corpus's types, in the order of the type head that an encoder without one gets. */
export const corpusTypes: readonly string[] = PHRASE_TYPES;

/** Sets of phrases that are no negatives of each other: those that look the same, and those that are united. */
class DisjointSets {
  readonly #parents: Int32Array;
  readonly #start: Int32Array;

  /** @param groups of each phrase: equal numbers are in one set from the start */
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
