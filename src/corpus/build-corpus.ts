/** Builds a corpus folder from text, tables of phrases and WordNet: counted, ranked, typed, written whole. */
import { rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { groupBy } from "../by-key.js";
import { ArgumentError, MissingDataError } from "../errors.js";
import { fileFingerprint, fingerprint, openFingerprint } from "../files/checksums/fingerprint.js";
import type { Sharing } from "../files/shards/shard.js";
import { isDevice } from "../files/whole-file.js";
import { checkIsFree, writeWholeFolder } from "../files/whole-folder.js";
import { refuseReadingTwice, shownName, standardInput } from "../table/read/source.js";
import { readSynsets, readTagCounts } from "../text/wordnet.js";
import {
  type CorpusManifest,
  type CorpusPhrase,
  type CorpusSource,
  type SynonymPair,
  writeCorpus,
} from "./corpus-folder.js";
import { GatheredPhrases, readPhraseTable, readSynonymTable, readTypeList } from "./phrase-tables.js";
import { type CountedTexts, countTexts } from "./text/block-counting.js";
import { type RankedPhrase, rankPhrases, writeCounts } from "./text/phrase-ranking.js";
import { readTexts } from "./text/text-sources.js";
import { FINE_TYPES, type FineType } from "./typing/fine-types.js";
import { type CorpusTypeSource, typePhrases } from "./typing/type-phrases.js";

/** What a corpus is built from, and how. */
export interface BuildCorpusOptions {
  /** The corpus folder; it must not exist, or be empty. */
  readonly output: string;
  /** Files of text: plain, or tables (.csv, .tsv, .jsonl, .parquet), also .gz; "-" is standard input. */
  readonly texts?: readonly string[];
  /** The column of text in tables, by name or 1-based number; default the one with the longest cells. */
  readonly column?: string;
  /** Tables of phrases with class, type and count; their phrases are kept however rare they are. */
  readonly phrases?: readonly string[];
  /** Tables of phrases that mean the same. */
  readonly synonyms?: readonly string[];
  /** Lists of phrases with their types. */
  readonly types?: readonly string[];
  /** A model for token classification, a folder or hub id, that types what nothing else does. */
  readonly nerModel?: string;
  /** Default "included" where neither texts nor phrases are given, else "left-out". */
  readonly wordnet?: "included" | "left-out";
  /** Phrases that texts contain less often are dropped. Default 2. */
  readonly minimumCount?: number;
  /** Phrases kept at most: those of tables (also WordNet's) first, then the most frequent. Default 5,000,000. */
  readonly maximumPhrases?: number;
  /** Skips rows of tables with a cell that begins with one of these. */
  readonly skip?: readonly string[];
  /** Whether quotes hold cells of tables together (default "double") or are ordinary characters ("none"). */
  readonly quote?: "double" | "none";
  /** Default all cores. The result does not depend on it. */
  readonly threads?: number;
  /** Characters of text that a worker counts at a time. Default 4,000,000. */
  readonly blockLength?: number;
  /** Counts one shard of the blocks and ends, or takes what all shards counted; the texts are then not read. */
  readonly sharing?: Sharing;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
  readonly onProgress?: (stage: BuildStage, done: number, total?: number) => void;
}

/** Text is counted in characters, phrases are merged and typed one by one. */
type BuildStage = "reading" | "merging" | "typing";

/** What was built. */
export interface BuildCorpusReport {
  readonly manifest: CorpusManifest;
  /** Size of the texts. */
  readonly characters: number;
  readonly words: number;
  /** Distinct phrases of the texts that occur too rarely. */
  readonly droppedRare: number;
  /** Phrases left out beyond `maximumPhrases`. */
  readonly droppedBeyond: number;
  /** Phrases typed by each source; those of a table count as "table". */
  readonly typedBy: Readonly<Partial<Record<CorpusTypeSource, number>>>;
}

/**
 * Builds a corpus. The same inputs give the same bytes with any number of threads.
 * @throws ArgumentError where the output is not free; TableError for bad input; MissingDataError where no phrase is left
 */
export async function buildCorpus(options: BuildCorpusOptions): Promise<BuildCorpusReport> {
  const { output, texts = [] } = options;
  options.signal?.throwIfAborted();
  await checkIsFree(output);
  if (texts.includes(standardInput) && texts.length > 1)
    throw new ArgumentError(
      'standard input ("-") cannot be mixed with other files of text. Give it alone, or save it to a file first.',
    );
  const tables = (["phrases", "synonyms", "types"] as const).flatMap((kind) => options[kind] ?? []);
  refuseReadingTwice([...texts, ...tables]);
  // What is quick to read comes first, so that its errors show before the long work.
  const known = await readKnown(options);
  return writeWholeFolder(output, (folder) => buildInto(folder, known, options));
}

async function buildInto(
  folder: string,
  known: Awaited<ReturnType<typeof readKnown>>,
  options: BuildCorpusOptions,
): Promise<BuildCorpusReport> {
  const {
    texts = [],
    column,
    quote,
    skip = [],
    nerModel,
    blockLength,
    sharing,
    signal,
    onProgress,
  } = options;
  const { minimumCount = 2, maximumPhrases = 5_000_000, threads = availableParallelism() } = options;
  const { gathered, list, synonyms, wordnet } = known;
  const counted = await countTexts(allTexts(options, wordnet?.texts ?? []), {
    ...{ folder, threads, blockLength, sharing, signal },
    onProgress: (characters) => onProgress?.("reading", characters),
  });
  const { characters, words, runs, hashes } = counted;
  if (counted.foreign > 0.2 * words) options.onNote?.(otherScripts(counted));
  const ofTables = join(folder, "tables.tsv");
  await writeCounts(ofTables, gathered.counts);
  const { phrases, droppedRare, droppedBeyond } = await rankPhrases(runs, ofTables, {
    ...{ folder, minimum: minimumCount, maximum: maximumPhrases, signal },
    onProgress: (done) => onProgress?.("merging", done),
  });
  await Promise.all([...runs, ofTables].map((path) => rm(path)));
  if (phrases.length === 0) throw nothingFound(texts.length > 0 ? counted : undefined, droppedRare);
  const typed = await typePhrases(phrases, {
    ...{ list, gathered, nerModel, threads, signal },
    onProgress: (done) => onProgress?.("typing", done, phrases.length),
  });
  const names = texts.map(shownName);
  const textSource = {
    name: names.join(", "),
    kind: "text",
    fingerprint: fingerprint(hashes.join("\n")),
  } as const;
  const manifest = await writeCorpus(folder, {
    phrases: corpusPhrases(phrases, typed.types),
    synonyms,
    sources: [...known.sources, ...(texts.length > 0 ? [textSource] : [])],
    settings: {
      ...{ minimumCount, maximumPhrases, wordnet: wordnet !== undefined },
      ...(column !== undefined && { column }),
      ...(quote === "none" && { quote }),
      ...(skip.length > 0 && { skip: skip.join(" ") }),
      ...(nerModel !== undefined && { nerModel: basename(nerModel) }),
    },
  });
  return { manifest, characters, words, droppedRare, droppedBeyond, typedBy: typed.bySource };
}

/** Reads everything but the texts. */
async function readKnown(options: BuildCorpusOptions) {
  const sources: CorpusSource[] = [];
  async function* rowsOf<Row>(
    kind: "types" | "phrases" | "synonyms",
    read: (path: string, options: BuildCorpusOptions) => AsyncGenerator<Row>,
  ) {
    for (const path of options[kind] ?? []) {
      const isStream = path === standardInput || (await isDevice(path));
      const rows = openFingerprint();
      for await (const row of read(path, options)) {
        if (isStream) rows.add(`${JSON.stringify(row)}\n`);
        yield row;
      }
      // what streams cannot be read again
      const print = isStream ? rows.end() : await fileFingerprint(path);
      sources.push({ name: shownName(path), kind, fingerprint: print });
    }
  }
  const list = new Map<string, FineType>();
  for await (const { phrase, type } of rowsOf("types", readTypeList)) list.set(phrase, type);
  const gathered = new GatheredPhrases();
  for await (const phrase of rowsOf("phrases", readPhraseTable)) gathered.add(phrase);
  const pairs: SynonymPair[] = [];
  for await (const pair of rowsOf("synonyms", readSynonymTable)) pairs.push(pair);
  const hasInput = (options.texts?.length ?? 0) + (options.phrases?.length ?? 0) > 0;
  const usesWordnet = (options.wordnet ?? (hasInput ? "left-out" : "included")) === "included";
  const wordnet = usesWordnet ? await readWordnetContent() : undefined;
  if (wordnet !== undefined) {
    for (const phrase of wordnet.phrases) gathered.add(phrase);
    for (const pair of wordnet.synonyms) pairs.push(pair);
    sources.push({ name: "WordNet 3.1", kind: "wordnet", fingerprint: wordnet.fingerprint });
  }
  // Each pair once, in either direction, as first met.
  const pairKey = ({ phrase, synonym }: SynonymPair): string => [phrase, synonym].sort().join("\t");
  const synonyms = Array.from(groupBy(pairs, pairKey).values(), ([first]) => first);
  return { list, gathered, synonyms, wordnet, sources };
}

async function* allTexts(options: BuildCorpusOptions, others: Iterable<string>): AsyncGenerator<string> {
  for (const path of options.texts ?? []) yield* readTexts(path, options);
  yield* others;
}

function* corpusPhrases(phrases: readonly RankedPhrase[], types: Uint8Array): Generator<CorpusPhrase> {
  for (const [row, phrase] of phrases.entries()) yield { ...phrase, type: FINE_TYPES[types[row]] }; // none for UNKNOWN_TYPE
}

const otherScripts = ({ words, foreign }: CountedTexts): string =>
  `${Math.round((100 * foreign) / words)} % of the words are not in Latin letters and were left out: ` +
  "phrases are found in English text only. Give phrases of other languages with --phrases.";

/** @param counted undefined where no text was given */
function nothingFound(counted: CountedTexts | undefined, droppedRare: number): MissingDataError {
  if (counted === undefined)
    return new MissingDataError("the tables have no phrases. Give others, or leave out --skip.");
  if (counted.words === 0)
    return new MissingDataError(
      "the text contains no words, so it has no phrases. Give another file, or name the column of text (--column).",
    );
  if (counted.foreign > 0.5 * counted.words)
    return new MissingDataError(`no phrases found: ${otherScripts(counted)}`);
  if (droppedRare === 0)
    return new MissingDataError(
      "no phrases found: all words of the text are function words, such as “of it”. Give another text.",
    );
  return new MissingDataError(
    `all ${droppedRare} phrases of the text are too rare and were dropped: give more text, or --min-count 1.`,
  );
}

/** WordNet as a corpus: its lemmas are phrases, its synsets synonyms, its glosses and examples text. */
const classes = { noun: "NP", verb: "VP", adjective: "ADJP", adverb: "ADVP" } as const;

/**
 * Reads it all, in about two seconds.
 * @returns every lemma, once per synset, its count one more than in WordNet's tagged text; lemmas of one synset, each with
 *   those after it; definitions and examples, in the order of the files
 * @throws MissingDataError where WordNet is not installed
 */
async function readWordnetContent() {
  const phrases: CorpusPhrase[] = [];
  const synonyms: SynonymPair[] = [];
  const texts: string[] = [];
  const hash = openFingerprint();
  const tagCounts = await readTagCounts();
  for await (const { id, partOfSpeech, lemmas, definition, examples } of readSynsets()) {
    hash.add(`${id}\t${lemmas.join("\t")}\t${definition}\t${examples.join("\t")}\n`);
    for (const [index, phrase] of lemmas.entries()) {
      const count = 1 + (tagCounts.get(`${id}\t${phrase.toLowerCase()}`) ?? 0);
      phrases.push({ phrase, lexicalClass: classes[partOfSpeech], count });
      for (const synonym of lemmas.slice(index + 1))
        if (synonym !== phrase) synonyms.push({ phrase, synonym, source: "wordnet" });
    }
    if (definition !== "") texts.push(definition);
    texts.push(...examples);
  }
  return { phrases, synonyms, texts, fingerprint: hash.end() };
}
