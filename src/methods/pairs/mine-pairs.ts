/**
 * Hard negatives for pairs: of the phrases that a model finds nearest to a text, those that are less near than its
 * positive, by a margin.
 *
 * Source of the margin that is relative to the positive's score: Moreira et al. (2024), "NV-Retriever", section 3 (there
 * TopK-PercPos, best at 95 %). Ranks and absolute limits as in sentence-transformers' mine_hard_negatives.
 */
import { basename } from "node:path";
import { countBy, groupBy, madeFor } from "../../by-key.js";
import { normalKey } from "../../corpus/mining/known-pairs.js";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError, TableError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { batchSeed, createRandom, sampleWithout } from "../../random.js";
import { exactNeighbours } from "../../search/exact.js";
import { hnswLibrary } from "../../search/graph/hnsw.js";
import { productSlack, settledRanking } from "../../search/ranking.js";
import { dotRows, gatherRows } from "../../search/vectors.js";
import { mean } from "../../statistics.js";
import type { RowsFormat } from "../../table/format.js";
import { batchesOf, readWholeTable } from "../../table/whole-table.js";
import { writeRows } from "../../table/write/text-rows.js";
import { classesOf } from "./pair-data.js";
import { type Pair, type PairTable, readPairs } from "./pairs.js";

/** Which phrases are negatives of a pair, and how many. Scores are cosines of a text with its positive and with others. */
export interface PairNegativesOptions {
  /** Negatives of a pair at most. Default 1. */
  readonly negatives?: number;
  /** Ranks that are considered, among the phrases that may be negatives: those behind the first `skip` (default 0) ... */
  readonly skip?: number;
  /** ... up to this one. Default 50. */
  readonly nearest?: number;
  /** A negative's score is at most the positive's less this share of it. Default 0.05: 95 % of the positive's score. */
  readonly relativeMargin?: number;
  /** A negative's score is at most the positive's less this. Default 0. */
  readonly margin?: number;
  /** Limits of a negative's score. Default -1 and 1. */
  readonly minScore?: number;
  readonly maxScore?: number;
  /** "random": drawn from those within the limits, by `seed` (default 0). Default "top", the nearest of them. */
  readonly sampling?: "top" | "random";
  readonly seed?: number;
  /** How the nearest are found. Default: "exact" up to 100,000 candidates, and for more "hnsw", which misses a few. */
  readonly search?: "exact" | "hnsw";
}

/** Options of {@link minePairs}: what a negative may be, and how the table is read and the candidates are encoded. */
export interface MinePairsOptions extends PairNegativesOptions {
  /** Default: the embedded model, loaded for the call. */
  readonly encoder?: PhraseEncoder;
  /** A table whose phrases are the candidates. Default: the positives of the pairs. */
  readonly among?: string;
  /** Format of the output. Default: by its name. */
  readonly format?: RowsFormat;
  readonly signal?: AbortSignal;
  /** Called with finished and all phrases or pairs. */
  readonly onProgress?: (progress: { step: "encoding" | "mining"; done: number; total: number }) => void;
  /** Called with lines for the user. */
  readonly onNote?: (line: string) => void;
}

/** What {@link minePairs} wrote. */
export type PairMiningReport = Awaited<ReturnType<typeof minePairs>>;

const exactUpTo = 100_000;
/** Phrases that are searched, or added to the graph, at a time. */
const atOnce = 2048;
/** Ranks in memory at a time: 200 MB. */
const ranksAtOnce = 2 ** 24;

/**
 * Reads pairs as {@link finetune} does, and writes them with negatives: columns text, positive and negative, and type and
 * label where the pairs have them; a row for each negative, and one with an empty cell for a pair without any. Rows that
 * already have a negative are kept. A negative is never connected to the text by pairs and has none of its labels, in any
 * spelling. Memory: 12 bytes per pair and dimension.
 * @throws TableError, ArgumentError, ModelError
 */
export async function minePairs(path: string, output: string, options: MinePairsOptions = {}) {
  const settings = checkedSettings(options);
  const table = await readPairs(path);
  options.onNote?.(table.summary);
  if (table.unread.includes("score"))
    options.onNote?.("the column score is not read: each row counts as a pair that means the same");
  const rows = [...groupBy(table.pairs, (pair) => JSON.stringify({ ...pair, negative: "" })).values()];
  const candidates = await candidatesOf(table, options.among);
  return withEncoder(options.encoder, options, async (encoder) => {
    const given = { ...options, settings, table, rows, candidates };
    const mined = await negativesOf(encoder, given);
    const written = rows.flatMap((own, place) => withNegatives(own, mined[place].found));
    const columns = ["text", "positive", "negative", "type", "label"] as const;
    const kept = columns.filter((name, place) => place < 3 || written.some((pair) => pair[name]));
    const batches = batchesOf(written, (pair) => kept.map((name) => pair[name]));
    await writeRows(output, kept, batches, options.format);
    const scores = mined.flatMap(({ found }) => found.map(({ score }) => score));
    return {
      ...{ path: output, pairs: rows.length, candidates: candidates.length, negatives: scores.length },
      /** Pairs that got at least one negative. */
      withNegatives: mined.filter(({ found }) => found.length > 0).length,
      /** Pairs of which at least one candidate is no positive: neither connected to the text nor of its label. */
      withCandidates: mined.filter(({ open }) => open > 0).length,
      /** Mean cosine of the texts with their positives, and with the negatives found; undefined where none was. */
      positiveScore: mean(mined.map(({ own }) => own)),
      negativeScore: scores.length === 0 ? undefined : mean(scores),
      /** Fingerprint of the model. */
      model: await encoder.fingerprint(),
      settings,
    };
  });
}

interface MinedRequest extends MinePairsOptions {
  readonly settings: Settings;
  readonly table: PairTable;
  /** The rows of each pair. */
  readonly rows: readonly (readonly Pair[])[];
  readonly candidates: readonly string[];
}

/** The score of each pair, and its negatives. */
async function negativesOf(encoder: PhraseEncoder, request: MinedRequest) {
  const { settings, table, rows, candidates, signal, onNote, onProgress } = request;
  const phrases = rows.flatMap(([{ text, positive }]) => [text, positive]);
  const encoding = (done: number, total: number) => onProgress?.({ step: "encoding", done, total });
  const encoded = await encoder.encodeMatrix([...phrases, ...candidates], { signal, onProgress: encoding });
  const { data, dimension, truncated } = encoded;
  if (truncated > 0)
    onNote?.(`phrases truncated to the length that the model reads: ${formatCount(truncated)}`);
  const scoreOf = (text: number, other: number) => dotRows(data, text, data, other, dimension);
  const { ofText, most } = refusals(table, candidates);
  const given = rows.reduce((longest, own) => Math.max(longest, own.length), 0);
  const search = { ...request, nearest: settings.nearest, refused: most + given };
  const mined: { readonly own: number; readonly open: number; readonly found: readonly Scored[] }[] = [];
  for await (const ranked of nearestCandidates({ data, dimension, pairs: rows.length }, search)) {
    const place = mined.length;
    const isRefused = ofText(rows[place][0].text);
    const known = rows[place].map(({ negative }) => normalKey(negative));
    const open = ranked.filter((row) => !isRefused(row) && !known.includes(normalKey(candidates[row])));
    const scored = open.slice(settings.skip, settings.nearest).map((row) => ({
      negative: candidates[row],
      score: scoreOf(2 * place, phrases.length + row),
    }));
    const own = scoreOf(2 * place, 2 * place + 1);
    const found = chosen(scored, own, { ...settings, seed: batchSeed(settings.seed, place) });
    mined.push({ own, open: open.length, found });
    onProgress?.({ step: "mining", done: mined.length, total: rows.length });
  }
  return mined;
}

interface Scored {
  readonly negative: string;
  readonly score: number;
}

/** The rows of a pair: those with a negative already, then one for each that was found. */
function withNegatives(own: readonly Pair[], found: readonly Scored[]): Pair[] {
  const given = own.filter(({ negative }) => negative !== "");
  const rows = [...given, ...found.map(({ negative }) => ({ ...own[0], negative }))];
  return rows.length > 0 ? rows : [...own];
}

async function candidatesOf({ pairs }: PairTable, among: string | undefined): Promise<string[]> {
  const phrases =
    among === undefined ? pairs.map(({ positive }) => positive) : (await readWholeTable(among)).phrases;
  const distinct = new Set(phrases.map((phrase) => phrase.trim()));
  distinct.delete("");
  if (among !== undefined && distinct.size === 0)
    throw new TableError(`${basename(among)}: the table has no phrases. Give candidates for negatives.`);
  return [...distinct];
}

/** Which candidates may not be negatives of a pair, and how many of them a pair has at most. */
function refusals(table: PairTable, candidates: readonly string[]) {
  const numbers = new Map<number, number>();
  const read = new Map<string, number>();
  const groupOf = (phrase: string) =>
    madeFor(read, phrase, () => madeFor(numbers, normalKey(phrase), () => numbers.size));
  const sides = table.pairs.flatMap((pair) => [pair.text, pair.positive].map((side) => ({ pair, side })));
  for (const phrase of [...sides.map(({ side }) => side), ...candidates]) groupOf(phrase);
  const { ofPair, joined } = classesOf([table], { groupOf, count: numbers.size });
  // a phrase of two labels is in both
  const classes = new Map<number, Set<number>>();
  for (const { pair, side } of sides) madeFor(classes, groupOf(side), () => new Set()).add(ofPair(pair));
  const of = (phrase: string) => ({
    joined: joined(phrase),
    classes: [...(classes.get(groupOf(phrase)) ?? [])],
  });
  const known = candidates.map(of);
  const connected = countBy(known, (own) => own.joined);
  const alike = countBy(
    known.flatMap((own) => own.classes),
    (number) => number,
  );
  const countOf = (text: string) => {
    const own = of(text);
    const start = connected.get(own.joined) ?? 0;
    return own.classes.reduce((sum, number) => sum + (alike.get(number) ?? 0), start);
  };
  return {
    ofText: (text: string) => {
      const own = of(text);
      return (row: number): boolean =>
        known[row].joined === own.joined || known[row].classes.some((number) => own.classes.includes(number));
    },
    most: table.pairs.reduce((most, { text }) => Math.max(most, countOf(text)), 0),
  };
}

interface CandidateSearch extends Pick<MinePairsOptions, "search" | "signal"> {
  readonly nearest: number;
  /** Candidates of a pair to leave out at most. */
  readonly refused: number;
}

/**
 * For each pair the candidates nearest to its text, as rows, best first.
 * @param data [2 pairs + candidates, dimension]: text and positive of each pair, then the candidates
 */
async function* nearestCandidates(
  { data, dimension, pairs }: { data: Float32Array; dimension: number; pairs: number },
  { nearest, refused, search, signal }: CandidateSearch,
): AsyncGenerator<number[]> {
  const rows = data.subarray(2 * pairs * dimension);
  const count = rows.length / dimension;
  const k = Math.min(count, nearest + refused);
  const isExact = (search ?? (count > exactUpTo ? "hnsw" : "exact")) === "exact";
  const graph = isExact ? undefined : hnswLibrary().create({ dimension, metric: "cosine" });
  for (let first = 0; graph !== undefined && first < count; first += atOnce) {
    signal?.throwIfAborted();
    graph.add(first, rows.subarray(first * dimension, (first + atOnce) * dimension));
  }
  const width = k + productSlack;
  const size = Math.max(1, Math.min(atOnce, Math.floor(ranksAtOnce / width)));
  for (let from = 0; from < pairs; from += size) {
    signal?.throwIfAborted();
    const texts = Array.from({ length: Math.min(size, pairs - from) }, (_, place) => 2 * (from + place));
    const queries = gatherRows(data, texts, dimension);
    const found =
      graph?.search(queries, width) ??
      (await exactNeighbours(queries, rows, { dimension, k: width, signal })).indices;
    const ranked = settledRanking(found, { queries, rows, dimension, k });
    for (let start = 0; start < ranked.length; start += k)
      yield [...ranked.subarray(start, start + k)].filter((row) => row >= 0);
  }
}

/** The negatives of a pair, of candidates that may be. @param own the score of the positive */
function chosen(scored: readonly Scored[], own: number, settings: Settings): Scored[] {
  const { margin, relativeMargin, minScore, maxScore, sampling, negatives, seed } = settings;
  const most = Math.min(maxScore, own - margin, own - relativeMargin * Math.abs(own));
  const fitting = scored.filter(({ score }) => score >= minScore && score <= most);
  return sampling === "top"
    ? fitting.slice(0, negatives)
    : sampleWithout(fitting, negatives, createRandom(seed));
}

type Settings = ReturnType<typeof checkedSettings>;

function checkedSettings(options: PairNegativesOptions) {
  const { negatives = 1, skip = 0, nearest = 50, sampling = "top", seed = 0 } = options;
  const { relativeMargin = 0.05, margin = 0, minScore = -1, maxScore = 1 } = options;
  for (const [name, value, least] of [
    ["negatives", negatives, 1],
    ["skip", skip, 0],
    ["nearest", nearest, skip + 1],
  ] as const)
    if (!(Number.isInteger(value) && value >= least))
      throw new ArgumentError(`${name} must be a whole number of at least ${least}, not ${value}`);
  for (const [name, value] of Object.entries({ relativeMargin, margin }))
    if (!(value >= 0 && value <= 2)) throw new ArgumentError(`${name} must be from 0 to 2, not ${value}`);
  if (!(minScore <= maxScore))
    throw new ArgumentError(`minScore must be at most the largest score, ${maxScore}, not ${minScore}`);
  return { negatives, skip, nearest, relativeMargin, margin, minScore, maxScore, sampling, seed };
}
