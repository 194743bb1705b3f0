/** The corpus folder: phrases with class, type and count; synonyms; hard negatives; and what they were made from. */
import { join } from "node:path";
import { custom } from "valibot";
import { MissingDataError, TableError } from "../errors.js";
import { fingerprint } from "../files/checksums/fingerprint.js";
import { readJson } from "../files/json.js";
import { writeWholeJson } from "../files/whole-file.js";
import { ENTITY_TYPES, LEXICAL_CLASSES, type LexicalClass } from "../pearl/phrase-types.js";
import { readTabLines, writeTabLines } from "../table/tab-lines.js";
import {
  entityTypeOfFine,
  FINE_TYPES,
  type FineType,
  fineTypeOf,
  KNOWN_LABELS,
} from "./typing/fine-types.js";

/** The files of a corpus folder; the last two are optional. */
export const CORPUS_FILES = {
  manifest: "corpus.json",
  phrases: "phrases.tsv",
  synonyms: "synonyms.tsv",
  hardNegatives: "hard-negatives.tsv",
} as const;

/** In `Corpus.types`: the entity type is unknown. */
export const UNKNOWN_TYPE = 255;

const phraseColumns = ["phrase", "class", "type", "count"] as const;
const synonymColumns = ["phrase", "synonym", "source"] as const;
const hardNegativeColumns = ["phrase", "negative", "ratio", "cosine"] as const;

/** A phrase, unique in its corpus: letter case counts as a difference. */
export interface CorpusPhrase {
  /** Single spaces between words, no tabs. */
  readonly phrase: string;
  /** The most frequent where it has several. */
  readonly lexicalClass: LexicalClass;
  /** Absent where unknown. */
  readonly type?: FineType;
  /** Number of occurrences, at least 1. */
  readonly count: number;
}

/**
 * Two phrases that mean the same, in either direction: a pair may be a positive and is never a negative. A phrase
 * with itself makes training pair it with a twin made by augmentation.
 */
export interface SynonymPair {
  readonly phrase: string;
  readonly synonym: string;
  /** Where the pair comes from, e.g. "wordnet". */
  readonly source: string;
}

/** A phrase that looks like another and means something else. */
export interface HardNegative {
  readonly negative: string;
  /** Levenshtein ratio of the two, 0 to 1. */
  readonly ratio: number;
  /** The encoder's cosine scaled to 0..1. */
  readonly cosine: number;
}

/** One input of a corpus. */
export interface CorpusSource {
  readonly name: string;
  readonly kind: "text" | "phrases" | "synonyms" | "types" | "wordnet" | "model";
  /** SHA-256 of the content, first 16 hexadecimal digits. */
  readonly fingerprint: string;
}

/** corpus.json. */
export interface CorpusManifest {
  readonly format: 1;
  readonly sources: readonly CorpusSource[];
  /** Every setting that changes the result. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly counts: {
    /** Different phrases. */
    readonly phrases: number;
    /** The sum of their counts. */
    readonly occurrences: number;
    /** Different phrases of each lexical class. */
    readonly byClass: Readonly<Record<string, number>>;
    /** Different phrases of each entity type, kinds of OTHER under OTHER; "unknown" are those without. */
    readonly byType: Readonly<Record<string, number>>;
    readonly synonymPairs: number;
  };
  /** SHA-256 of phrases.tsv and synonyms.tsv, first 16 hexadecimal digits. */
  readonly fingerprint: string;
}

/** A corpus whole in memory: row i of every array is one phrase, the most frequent first. */
export interface Corpus {
  readonly folder: string;
  readonly manifest: CorpusManifest;
  readonly phrases: readonly string[];
  /** Index in LEXICAL_CLASSES. */
  readonly classes: Uint8Array;
  /** Index in FINE_TYPES, or UNKNOWN_TYPE. */
  readonly types: Uint8Array;
  readonly counts: Uint32Array;
}

const manifestSchema = custom<CorpusManifest>((value) => {
  const manifest = value as CorpusManifest | null;
  return manifest?.format === 1 && typeof manifest.counts?.phrases === "number";
}, "not in a format that this version reads");

/** Reads corpus.json. @throws MissingDataError where the folder has none; TableError where it is damaged */
export async function readManifest(folder: string): Promise<CorpusManifest> {
  const path = join(folder, CORPUS_FILES.manifest);
  const trouble = { error: TableError, cure: "Build the corpus again." };
  const manifest = await readJson(path, manifestSchema, trouble);
  if (manifest !== undefined) return manifest;
  throw new MissingDataError(
    `${folder} is not a corpus folder: ${CORPUS_FILES.manifest} is missing. Make one: pearl corpus build TEXT -o ${folder}`,
  );
}

/** Reads the phrases whole into memory: about 100 bytes a phrase. @throws TableError with file and line */
export async function readCorpus(folder: string): Promise<Corpus> {
  const manifest = await readManifest(folder);
  const size = manifest.counts.phrases;
  const phrases: string[] = [];
  const classes = new Uint8Array(size);
  const types = new Uint8Array(size);
  const counts = new Uint32Array(size);
  for await (const block of streamPhrases(folder)) {
    for (const { phrase, lexicalClass, type, count } of block) {
      const row = phrases.length;
      phrases.push(phrase);
      classes[row] = LEXICAL_CLASSES.indexOf(lexicalClass);
      types[row] = type === undefined ? UNKNOWN_TYPE : FINE_TYPES.indexOf(type);
      counts[row] = Math.min(count, 0xffffffff);
    }
  }
  if (phrases.length !== size)
    throw new TableError(
      `${join(folder, CORPUS_FILES.phrases)}: ${phrases.length} phrases, but corpus.json states ${size}. Build the corpus again.`,
    );
  return { folder, manifest, phrases, classes, types, counts };
}

/** The phrases in the file's order, in blocks of some thousands. @throws TableError with file and line */
export async function* streamPhrases(folder: string): AsyncGenerator<CorpusPhrase[]> {
  const path = join(folder, CORPUS_FILES.phrases);
  for await (const block of readTabLines(path, phraseColumns)) {
    yield block.rows.map((row, index) => phraseOfCells(row, () => `${path}, line ${block.line + index}`));
  }
}

/** @param place names file and line @throws TableError for an unknown class or type, or a count that is not a number */
export function phraseOfCells(
  [phrase, lexical, label, count]: readonly string[],
  place: () => string,
): CorpusPhrase {
  const lexicalClass = lexical.trim().toUpperCase() as LexicalClass;
  if (!LEXICAL_CLASSES.includes(lexicalClass))
    throw new TableError(`${place()}: unknown class "${lexical}". Use ${LEXICAL_CLASSES.join(", ")}.`);
  const known = { phrase, lexicalClass, count: Number(count) };
  if (!Number.isSafeInteger(known.count) || known.count < 1)
    throw new TableError(
      `${place()}: the count "${count}" must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`,
    );
  return label.trim() === "" ? known : { ...known, type: typeOfCell(label, place) };
}

export function typeOfCell(label: string, place: () => string): FineType {
  const type = fineTypeOf(label);
  if (type !== undefined) return type;
  throw new TableError(`${place()}: unknown type "${label}". Known types: ${KNOWN_LABELS.join(", ")}.`);
}

/** Synonym pairs in the file's order; none where the corpus has no such file. @throws TableError with the line */
export async function readSynonyms(folder: string): Promise<SynonymPair[]> {
  const pairs: SynonymPair[] = [];
  const path = join(folder, CORPUS_FILES.synonyms);
  for await (const { rows } of readTabLines(path, synonymColumns, "may be absent"))
    for (const [phrase, synonym, source] of rows) pairs.push({ phrase, synonym, source });
  return pairs;
}

/**
 * The known synonyms of each phrase, both ways, sorted. Pairs are not chained: "bank" may mean "shore" and "lender",
 * which are not synonyms of each other. A phrase is not a synonym of itself.
 */
export function synonymIndex(pairs: Iterable<SynonymPair>): Map<string, string[]> {
  const sets = new Map<string, Set<string>>();
  const add = (from: string, to: string): void => {
    sets.set(from, (sets.get(from) ?? new Set()).add(to));
  };
  for (const { phrase, synonym } of pairs) {
    if (phrase === synonym) continue;
    add(phrase, synonym);
    add(synonym, phrase);
  }
  return new Map([...sets].map(([phrase, synonyms]) => [phrase, [...synonyms].sort()]));
}

/** The hard negatives of each phrase, in the file's order; an empty map where nothing was mined. */
export async function readHardNegatives(folder: string): Promise<Map<string, HardNegative[]>> {
  const negatives = new Map<string, HardNegative[]>();
  const path = join(folder, CORPUS_FILES.hardNegatives);
  for await (const { rows, line } of readTabLines(path, hardNegativeColumns, "may be absent")) {
    for (const [index, [phrase, negative, ratio, cosine]] of rows.entries()) {
      const entry = { negative, ratio: Number(ratio), cosine: Number(cosine) };
      if (!Number.isFinite(entry.ratio) || !Number.isFinite(entry.cosine))
        throw new TableError(`${path}, line ${line + index}: ratio and cosine must be numbers.`);
      const list = negatives.get(phrase) ?? [];
      list.push(entry);
      negatives.set(phrase, list);
    }
  }
  return negatives;
}

/** Writes hard-negatives.tsv, whole or not at all, in the given order. @throws TableError for a phrase with a tab */
export async function writeHardNegatives(
  folder: string,
  negatives: Iterable<HardNegative & { readonly phrase: string }>,
): Promise<void> {
  function* rows(): Generator<string[]> {
    for (const { phrase, negative, ratio, cosine } of negatives)
      yield [phrase, negative, ratio.toFixed(4), cosine.toFixed(4)];
  }
  await writeTabLines(join(folder, CORPUS_FILES.hardNegatives), hardNegativeColumns, rows());
}

/** What a corpus folder is written from. */
interface CorpusContent {
  /** In the order of the file: the most frequent first. */
  readonly phrases: Iterable<CorpusPhrase> | AsyncIterable<CorpusPhrase>;
  readonly synonyms?: Iterable<SynonymPair> | AsyncIterable<SynonymPair>;
  readonly sources?: readonly CorpusSource[];
  readonly settings?: CorpusManifest["settings"];
}

/**
 * Writes phrases, synonyms and at last corpus.json into an existing folder; each file appears when it is whole,
 * and only the last makes the folder a corpus. For a new corpus, call it in `fill` of `writeWholeFolder`.
 * @throws TableError for a phrase with a tab or a line break, or where it cannot be written
 */
export async function writeCorpus(folder: string, content: CorpusContent): Promise<CorpusManifest> {
  const byClass: Record<string, number> = Object.fromEntries(LEXICAL_CLASSES.map((name) => [name, 0]));
  const byType: Record<string, number> = Object.fromEntries(
    [...ENTITY_TYPES, "unknown"].map((name) => [name, 0]),
  );
  let occurrences = 0;
  async function* phraseRows(): AsyncGenerator<string[]> {
    for await (const { phrase, lexicalClass, type, count } of content.phrases) {
      byClass[lexicalClass]++;
      byType[type === undefined ? "unknown" : entityTypeOfFine(type)]++;
      occurrences += count;
      yield [phrase, lexicalClass, type ?? "", String(count)];
    }
  }
  async function* synonymRows(): AsyncGenerator<string[]> {
    for await (const { phrase, synonym, source } of content.synonyms ?? []) yield [phrase, synonym, source];
  }
  const phrases = await writeTabLines(join(folder, CORPUS_FILES.phrases), phraseColumns, phraseRows());
  const synonyms = await writeTabLines(join(folder, CORPUS_FILES.synonyms), synonymColumns, synonymRows());
  const manifest: CorpusManifest = {
    format: 1,
    sources: content.sources ?? [],
    settings: content.settings ?? {},
    counts: { phrases: phrases.rows, occurrences, byClass, byType, synonymPairs: synonyms.rows },
    fingerprint: fingerprint(`${phrases.hash}\n${synonyms.hash}\n`),
  };
  await writeWholeJson(join(folder, CORPUS_FILES.manifest), manifest);
  return manifest;
}

/** A sample of a corpus: frequent phrases of each class and type, and the distribution of counts. */
export type CorpusSample = ReturnType<typeof sampleCorpus>;

/** Phrases shown of each class and type. */
const examples = 3;

/**
 * Describes a corpus.
 * @returns the most frequent phrases of each class and type; phrases by their number of words, the last also of longer
 *   ones; and counts: least, lower quartile, median, upper quartile, most
 */
export function sampleCorpus(corpus: Corpus) {
  const frequentByClass: Record<string, string[]> = {};
  const frequentByType: Record<string, string[]> = {};
  const byWords = new Array<number>(8).fill(0);
  const note = (table: Record<string, string[]>, key: string, phrase: string): void => {
    table[key] ??= [];
    if (table[key].length < examples) table[key].push(phrase);
  };
  for (const [row, phrase] of corpus.phrases.entries()) {
    note(frequentByClass, LEXICAL_CLASSES[corpus.classes[row]], phrase);
    if (corpus.types[row] !== UNKNOWN_TYPE) note(frequentByType, FINE_TYPES[corpus.types[row]], phrase);
    byWords[Math.min(phrase.split(" ").length, byWords.length) - 1]++;
  }
  const sorted = corpus.counts.slice().sort();
  const at = (fraction: number): number => sorted[Math.round(fraction * (sorted.length - 1))] ?? 0;
  return { frequentByClass, frequentByType, byWords, countQuartiles: [0, 0.25, 0.5, 0.75, 1].map(at) };
}
