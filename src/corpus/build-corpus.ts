/** Builds a corpus folder from text, tables of phrases and WordNet: counted, cut, typed, written whole. */
import { mkdir, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename } from "node:path";
import { ArgumentError, InterruptedError, MissingDataError, TableError } from "../errors.js";
import { fileFingerprint, fingerprint } from "../files/fingerprint.js";
import { partialPath } from "../files/whole-file.js";
import { checkIsFree, writeWholeFolder } from "../files/whole-folder.js";
import { FINE_TYPES, type FineType } from "../pearl/phrase-types.js";
import {
  type CorpusManifest,
  type CorpusPhrase,
  type CorpusSource,
  type SynonymPair,
  UNKNOWN_TYPE,
  writeCorpus,
} from "./corpus-folder.js";
import { GatheredPhrases } from "./gathered-phrases.js";
import { readPhraseTable, readSynonymTable, readTypeList } from "./phrase-tables.js";
import { type CountedTexts, countTexts } from "./text/block-counting.js";
import { PhraseRanking, type RankedPhrase } from "./text/phrase-ranking.js";
import { mergeRuns } from "./text/phrase-runs.js";
import { readTexts } from "./text/text-sources.js";
import { type CorpusTypeSource, typePhrases } from "./typing/type-phrases.js";
import { readWordnetContent, type WordnetContent } from "./wordnet-corpus.js";

/** What a corpus is built from, and how. */
export interface BuildCorpusOptions {
  /** The corpus folder; it must not exist, or be empty. */
  readonly output: string;
  /** Files of text: plain, or tables (.csv, .tsv, .jsonl, .parquet), also .gz; "-" is standard input. */
  readonly texts?: readonly string[];
  /** The column of text in tables, by name or 1-based number; default the one with the longest cells. */
  readonly column?: string;
  /** Tables of phrases with class, type and count; all of their phrases are kept. */
  readonly phrases?: readonly string[];
  /** Tables of phrases that mean the same. */
  readonly synonyms?: readonly string[];
  /** Lists of phrases with their types. */
  readonly types?: readonly string[];
  /** A model for token classification, a folder or hub id, that types what nothing else does. */
  readonly nerModel?: string;
  /** Default "included" where neither texts nor phrases are given, else "left-out". */
  readonly wordnet?: "included" | "left-out";
  /** Phrases of texts that are met less often are dropped. Default 2. */
  readonly minimumCount?: number;
  /** Only the most frequent are kept. Default 5,000,000. */
  readonly maximumPhrases?: number;
  /** Rows of tables are left out in which a cell begins with one of these. */
  readonly skip?: readonly string[];
  /** Whether quotes hold cells of tables together (default "double") or are ordinary characters ("none"). */
  readonly quote?: "double" | "none";
  /** Default all cores. The result does not depend on it. */
  readonly threads?: number;
  /** Characters of text that are counted at a time. Default 4,000,000. */
  readonly blockLength?: number;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
  readonly onProgress?: (stage: BuildStage, done: number, total?: number) => void;
}

/** Text is counted in characters, phrases are merged and typed one by one. */
export type BuildStage = "reading" | "merging" | "typing";

/** What was built. */
export interface BuildCorpusReport {
  readonly manifest: CorpusManifest;
  readonly characters: number;
  readonly words: number;
  /** Distinct phrases of the texts that occur too rarely. */
  readonly droppedRare: number;
  /** Phrases left out beyond `maximumPhrases`. */
  readonly droppedBeyond: number;
  /** Phrases typed by each source; those of a table count as "table". */
  readonly typedBy: Readonly<Partial<Record<CorpusTypeSource, number>>>;
}

const defaults = { minimumCount: 2, maximumPhrases: 5_000_000 };

/**
 * Builds a corpus. The same inputs give the same bytes, whatever the number of threads.
 * @throws ArgumentError where the output is not free; TableError for bad input; MissingDataError where no phrase is left
 */
export async function buildCorpus(options: BuildCorpusOptions): Promise<BuildCorpusReport> {
  await checkIsFree(options.output);
  refuseMixedInput(options.texts ?? []);
  // What is quick to read comes first, so that its errors show before the long work.
  const known = await readKnown(options);
  const partial = partialPath(options.output.replace(/\/+$/, ""));
  try {
    await mkdir(partial, { recursive: true });
  } catch (error) {
    throw new TableError(`${partial} cannot be created. Choose another output folder.`, { cause: error });
  }
  try {
    return await buildFrom(known, partial, options);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** @param partial folder for the files of counts */
async function buildFrom(
  known: Known,
  partial: string,
  options: BuildCorpusOptions,
): Promise<BuildCorpusReport> {
  const threads = options.threads ?? availableParallelism();
  const counted = await countTexts(allTexts(options, known.wordnet), {
    ...{ folder: partial, threads, signal: options.signal },
    blockLength: options.blockLength,
    onProgress: (characters) => options.onProgress?.("reading", characters),
  });
  noteOtherScripts(counted, options);
  const { phrases, dropped, droppedRare } = await rankPhrases(counted.runs, partial, known.gathered, options);
  if (phrases.length === 0) throw nothingFound(counted, droppedRare);
  const typed = await typePhrases(phrases, {
    ...{ list: known.list, gathered: known.gathered, nerModel: options.nerModel },
    ...{ threads, signal: options.signal },
    onProgress: (done) => options.onProgress?.("typing", done, phrases.length),
  });
  let manifest: CorpusManifest | undefined;
  await writeWholeFolder(options.output, async (folder) => {
    manifest = await writeCorpus(folder, {
      phrases: corpusPhrases(phrases, typed.types),
      synonyms: known.synonyms,
      sources: [...known.sources, ...textSources(options, counted)],
      settings: settingsOf(options, known.wordnet !== undefined),
    });
  });
  return {
    manifest: manifest as CorpusManifest,
    characters: counted.characters,
    words: counted.words,
    droppedRare,
    droppedBeyond: dropped,
    typedBy: typed.bySource,
  };
}

function refuseMixedInput(texts: readonly string[]): void {
  if (texts.includes("-") && texts.length > 1)
    throw new ArgumentError('standard input ("-") cannot be mixed with other files of text.');
}

/** Everything but the texts. */
interface Known {
  readonly list: Map<string, FineType>;
  readonly gathered: GatheredPhrases;
  readonly synonyms: SynonymPair[];
  readonly wordnet?: WordnetContent;
  readonly sources: CorpusSource[];
}

async function readKnown(options: BuildCorpusOptions): Promise<Known> {
  const sources: CorpusSource[] = [];
  const note = async (path: string, kind: CorpusSource["kind"]): Promise<void> => {
    sources.push({ name: basename(path), kind, fingerprint: await fileFingerprint(path) });
  };
  const list = new Map<string, FineType>();
  for (const path of options.types ?? []) {
    for (const [phrase, type] of await readTypeList(path, options)) list.set(phrase, type);
    await note(path, "types");
  }
  const gathered = new GatheredPhrases();
  for (const path of options.phrases ?? []) {
    for await (const phrase of readPhraseTable(path, options)) gathered.add(phrase);
    await note(path, "phrases");
  }
  const pairs: SynonymPair[] = [];
  for (const path of options.synonyms ?? []) {
    for await (const pair of readSynonymTable(path, options)) pairs.push(pair);
    await note(path, "synonyms");
  }
  const hasInput = (options.texts?.length ?? 0) + (options.phrases?.length ?? 0) > 0;
  const usesWordnet = (options.wordnet ?? (hasInput ? "left-out" : "included")) === "included";
  const wordnet = usesWordnet ? await readWordnetContent() : undefined;
  if (wordnet !== undefined) {
    for (const phrase of wordnet.phrases) gathered.add(phrase);
    for (const pair of wordnet.synonyms) pairs.push(pair);
    sources.push({ name: "WordNet 3.1", kind: "wordnet", fingerprint: wordnet.fingerprint });
  }
  return { list, gathered, synonyms: onceEach(pairs), wordnet, sources };
}

/** Each pair once, in either direction, as first met. */
function onceEach(pairs: readonly SynonymPair[]): SynonymPair[] {
  const seen = new Set<string>();
  return pairs.filter(({ phrase, synonym }) => {
    const key = phrase < synonym ? `${phrase}\t${synonym}` : `${synonym}\t${phrase}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

async function* allTexts(
  options: BuildCorpusOptions,
  wordnet: WordnetContent | undefined,
): AsyncGenerator<string> {
  for (const path of options.texts ?? []) yield* readTexts(path, options);
  yield* wordnet?.texts ?? [];
}

function textSources({ texts = [] }: BuildCorpusOptions, { hashes }: CountedTexts): CorpusSource[] {
  if (texts.length === 0) return [];
  const name = texts.map((path) => (path === "-" ? "standard input" : basename(path))).join(", ");
  return [{ name, kind: "text", fingerprint: fingerprint(hashes.join("\n")) }];
}

/** The phrases of texts that are frequent enough, and all those of tables, ranked. */
async function rankPhrases(
  runs: readonly string[],
  folder: string,
  gathered: GatheredPhrases,
  options: BuildCorpusOptions,
): Promise<{ phrases: RankedPhrase[]; dropped: number; droppedRare: number }> {
  const minimum = options.minimumCount ?? defaults.minimumCount;
  const ranking = new PhraseRanking(options.maximumPhrases ?? defaults.maximumPhrases);
  const met = new Set<string>();
  let droppedRare = 0;
  let merged = 0;
  for await (const { phrase, counts } of mergeRuns(runs, folder)) {
    if (++merged % 65_536 === 0) {
      options.onProgress?.("merging", merged);
      if (options.signal?.aborted === true) throw new InterruptedError("interrupted; nothing was written");
    }
    const known = gathered.countsOf(phrase);
    if (known !== undefined) {
      met.add(phrase);
      ranking.add({ phrase, counts: counts.map((count, index) => count + known[index]) });
    } else if (counts.reduce((sum, count) => sum + count, 0) < minimum) droppedRare++;
    else ranking.add({ phrase, counts });
  }
  for (const phrase of gathered.phrases())
    if (!met.has(phrase)) ranking.add({ phrase, counts: gathered.countsOf(phrase) as readonly number[] });
  return { ...ranking.finish(), droppedRare };
}

function* corpusPhrases(phrases: readonly RankedPhrase[], types: Uint8Array): Generator<CorpusPhrase> {
  for (const [row, phrase] of phrases.entries())
    yield types[row] === UNKNOWN_TYPE ? phrase : { ...phrase, type: FINE_TYPES[types[row]] };
}

function settingsOf(options: BuildCorpusOptions, usesWordnet: boolean): CorpusManifest["settings"] {
  return {
    minimumCount: options.minimumCount ?? defaults.minimumCount,
    maximumPhrases: options.maximumPhrases ?? defaults.maximumPhrases,
    wordnet: usesWordnet,
    ...(options.column === undefined ? {} : { column: options.column }),
    ...((options.skip?.length ?? 0) > 0 ? { skip: (options.skip as string[]).join(" ") } : {}),
    ...(options.nerModel === undefined ? {} : { nerModel: basename(options.nerModel) }),
  };
}

/** The tagger knows English; what it makes of other scripts is left out, and that is said. */
function noteOtherScripts({ words, foreign }: CountedTexts, { onNote }: BuildCorpusOptions): void {
  if (words > 0 && foreign / words > 0.2)
    onNote?.(
      `${Math.round((100 * foreign) / words)} % of the words are not in Latin letters and were left out: ` +
        "phrases are found in English text only. Give phrases of other languages with --phrases.",
    );
}

function nothingFound({ words, foreign }: CountedTexts, droppedRare: number): MissingDataError {
  if (words === 0) return new MissingDataError("the text contains no words, so it has no phrases.");
  if (foreign / words > 0.5)
    return new MissingDataError(
      "no phrases found: most words are not in Latin letters, and phrases are found in English text only. " +
        "Give phrases of other languages with --phrases.",
    );
  return new MissingDataError(
    `all ${droppedRare} phrases of the text occur only once and were dropped: give more text, or --min-count 1.`,
  );
}
