/** From tables to candidate pairs with evidence: columns, candidates and levels in one go. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { type Kept, learnedOnce, type Sharing } from "../files/shards/shard.js";
import { createRandom } from "../random.js";
import { inSharedMemory, shared } from "../runtime/shared-array.js";
import type { NamingVectors } from "./candidates/nearest-by-embedding.js";
import type { Pairs, Spill } from "./candidates/pair-set.js";
import { findCandidates } from "./candidates/row-candidates.js";
import type { PreparedTables } from "./columns/fields.js";
import { rowWords } from "./columns/row-words.js";
import { eachText, TextNumbers, type Texts, textCount } from "./columns/texts.js";
import {
  type ComparisonSettings,
  comparisonSettings,
  type RowComparison,
  rowComparison,
} from "./evidence/pair-evidence.js";
import { comparedClasses, pairLevels } from "./evidence/pair-levels.js";
import { once } from "./once.js";
import { allowedPairs, type PairRules } from "./rules.js";
import type { RangeOptions } from "./run/partition.js";
import { keptComparison } from "./shards/kept-comparison.js";
import { keptPairs, mergedClasses, ownPairs } from "./shards/shared-pairs.js";
import { type RowPairs, SortedRows } from "./weights/left-rows.js";
import type { PairClasses } from "./weights/pair-classes.js";
import { type PairTable, placeOf } from "./weights/pair-table.js";

/** What a long call is at, in plain words. */
export type MatchStage = "encoding" | "finding candidates" | "comparing" | "learning weights" | "grouping";

/** How a long call works, whatever it computes. */
export interface MatchRunOptions {
  /** Worker threads at most. Default: all cores. Results do not depend on it. */
  readonly threads?: number;
  /** Where candidate pairs go that have no room in memory. Default: all are in memory. Results do not depend on it. */
  readonly spill?: Spill;
  readonly signal?: AbortSignal;
  /** Called at least every second or so with what is done of the stage and the whole of it. */
  readonly onProgress?: (stage: MatchStage, done: number, total: number) => void;
}

export interface CompareOptions extends MatchRunOptions, Pick<RangeOptions, "itemsPerThread"> {
  /** Undefined: compare without a model. */
  readonly encoder?: PhraseEncoder;
  /** What the rows are compared by, if it was prepared before. */
  readonly prepared?: ComparisonSettings;
  /** For the prepared rows. */
  readonly rules?: PairRules;
  /** Finds the pairs and ends, compares one shard of them and ends, or takes what all shards found. */
  readonly sharing?: Sharing;
}

/** Two rows, counted from 0. */
export interface RowNumbers {
  readonly left: number;
  readonly right: number;
}

/** Two rows that are likely the same. */
export interface RowMatch extends RowNumbers {
  /** Estimated probability that they are the same. */
  readonly probability: number;
}

/** A pair of rows that someone has judged. */
export interface KnownPair extends RowNumbers {
  readonly match: boolean;
  /** Where one answer decides about many pairs, the share of it that each has. Default 1. */
  readonly share?: number;
}

export interface ComparedTables extends PairTable {
  readonly left: SortedRows;
  readonly tables: PreparedTables;
  readonly comparison: RowComparison;
  readonly rules?: PairRules;
  /** By `never` rule, how many pairs of each class it forbids: these are none of the pairs. */
  readonly forbidden: readonly Uint32Array[];
}

/** Candidates per row and source, for two tables and for one. */
const perRow = { join: { k: 8, kOther: 4 }, dedupe: { k: 15, kOther: 8 } };
const postings = 20_000;
/** Up to so many rows, one table has all of these; from there on fewer, down to those of many rows. */
const fewRows = 20_000;
/** In larger tables every row and source has fewer, so that pairs fit into memory, and time grows as the rows do. */
export const manyRows = 400_000;
export const perRowOfMany = { k: 8, kOther: 4, postings: 6_000, mostOfRarest: 20_000 };
/** More names are compared without embeddings, which would need gigabytes. */
export const mostEmbedded = 300_000;
/** Random pairs show how often unrelated rows agree. */
const randomPairs = 40_000;

/** How many candidates each row and source has. @param rows of the larger table */
export function candidateLimits(rows: number, isOneTable: boolean) {
  if (rows > manyRows) return perRowOfMany;
  if (!isOneTable) return { ...perRow.join, postings };
  const many = Math.max(0, Math.log(rows / fewRows) / Math.log(manyRows / fewRows));
  const between = (few: number, ofMany: number): number => Math.round(few + many * (ofMany - few));
  return {
    k: between(perRow.dedupe.k, perRowOfMany.k),
    kOther: between(perRow.dedupe.kOther, perRowOfMany.kOther),
    // All rows together follow about as many as a table of few rows does.
    postings: Math.max(perRowOfMany.postings, Math.round(postings / Math.max(1, rows / fewRows))),
  };
}

export async function compareTables(
  tables: PreparedTables,
  { encoder, prepared, sharing, spill, rules, ...run }: CompareOptions = {},
): Promise<ComparedTables> {
  const { isOneTable, rows, fields, naming } = tables;
  const texts = fields[naming]?.set.texts ?? new TextNumbers().texts();
  const vectors = prepared?.vectors ?? (await valueVectors(texts, encoder, run, sharing));
  const limits = candidateLimits(Math.max(...rows), isOneTable);
  const candidates = { ...limits, spill, ...asStage(run, "finding candidates") };
  const find = () => findCandidates(tables, vectors, candidates);
  // Made after the search, which needs its memory.
  const settings = once(() => prepared ?? comparisonSettings(tables, rowWords(tables), vectors));
  const comparison = once(() => rowComparison(settings()));
  const comparing = asStage(run, "comparing");
  if (sharing?.kind === "learn") {
    const found = await find();
    sharing.end(keptComparison(tables, settings(), found));
  }
  if (sharing?.kind === "shard") {
    const own = ownPairs(await find(), sharing);
    sharing.end(keptPairs(own, await comparedClasses(comparison(), own, comparing)));
  }
  const all =
    sharing?.kind === "merge"
      ? await mergedClasses(sharing, rows[0], comparison().columns.length)
      : await classed(sortedRows(await find(), rows[0]), comparison, comparing);
  const drawn = drawPairs(rows, isOneTable, all.pairs);
  const random = await pairLevels(comparison(), drawn, { ...run, onProgress: undefined });
  const { pairs, classes, forbidden } = allowedPairs(all, rows[0], rules);
  return {
    ...{ ...pairs, ...classes, isOneTable, rows, tables, rules, forbidden, comparison: comparison() },
    ...{ columns: comparison().columns, random },
  };
}

interface ClassedPairs {
  readonly pairs: RowPairs & { readonly left: SortedRows };
  readonly classes: PairClasses;
}

const sortedRows = ({ left, right }: Pairs, leftRows: number): ClassedPairs["pairs"] => {
  return { left: SortedRows.of(left, leftRows), right };
};

const classed = async (
  pairs: ClassedPairs["pairs"],
  comparison: () => RowComparison,
  options: RangeOptions,
): Promise<ClassedPairs> => ({ pairs, classes: await comparedClasses(comparison(), pairs, options) });

/** The options of work in parts that reports as a stage. */
export function asStage(
  { onProgress, ...run }: Omit<MatchRunOptions, "spill"> & Pick<RangeOptions, "itemsPerThread">,
  stage: MatchStage,
): RangeOptions {
  return { ...run, onProgress: onProgress && ((done, total) => onProgress(stage, done, total)) };
}

async function valueVectors(
  texts: Texts,
  encoder: PhraseEncoder | undefined,
  run: MatchRunOptions,
  sharing: Sharing | undefined,
): Promise<NamingVectors | undefined> {
  const count = textCount(texts);
  const encode = async (): Promise<Kept> => {
    if (encoder === undefined || count === 0 || count > mostEmbedded) return {};
    const { signal, onProgress } = asStage(run, "encoding");
    const matrix = await encoder.encodeMatrix([...eachText(texts)], { signal, onProgress });
    const data = shared(Float32Array, matrix.data.length);
    data.set(matrix.data);
    return { vectors: data };
  };
  const { vectors } = await learnedOnce(["vectors"], encode, sharing);
  return vectors && { data: inSharedMemory(vectors as Float32Array), dimension: vectors.length / count };
}

/**
 * Random pairs of rows, of small tables all; by left row, of one table each pair with the smaller row first. Of two tables
 * without candidates, which are counted one by one: a single one would stand for thousands more like it. Of one table these
 * thousands keep pairs that are only alike from being taken for the same (chicago-sites: precision .81 without them, .89 with).
 */
function drawPairs(rows: readonly [number, number], isOneTable: boolean, candidates: RowPairs): Pairs {
  const drawn = rows[0] * rows[1] <= randomPairs ? everyPair(rows) : randomlyDrawn(rows);
  const pairs = isOneTable
    ? drawn.flatMap(([a, b]) => (a === b ? [] : [a < b ? ([a, b] as const) : ([b, a] as const)]))
    : drawn.filter(([a, b]) => placeOf(candidates, a, b) < 0);
  pairs.sort(([a], [b]) => a - b);
  return { left: Int32Array.from(pairs, ([a]) => a), right: Int32Array.from(pairs, ([, b]) => b) };
}

type PairList = (readonly [number, number])[];

const everyPair = ([left, right]: readonly [number, number]): PairList =>
  Array.from({ length: left * right }, (_, pair) => [Math.floor(pair / right), pair % right] as const);

function randomlyDrawn([left, right]: readonly [number, number]): PairList {
  const random = createRandom(1);
  const row = (rows: number): number => Math.floor(random() * rows);
  return Array.from({ length: randomPairs }, () => [row(left), row(right)] as const);
}
