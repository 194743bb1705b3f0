/** From tables to candidate pairs with evidence: columns, candidates and levels in one go. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { createRandom } from "../random.js";
import { findCandidates, type NamingVectors } from "./candidates/row-candidates.js";
import type { PreparedTables } from "./columns/fields.js";
import { rowWords } from "./columns/row-words.js";
import { pairLevels, type RowComparison, rowComparison } from "./evidence/pair-evidence.js";
import type { PairTable } from "./weights/pair-table.js";

export interface CompareOptions {
  /** Undefined: compare without a model. */
  readonly encoder?: PhraseEncoder;
  readonly signal?: AbortSignal;
  /** Pairs that are candidates in any case, by prepared rows. */
  readonly known?: readonly KnownPair[];
}

/** A pair of rows that someone has judged. */
export interface KnownPair {
  readonly left: number;
  readonly right: number;
  readonly match: boolean;
}

export interface ComparedTables extends PairTable {
  readonly tables: PreparedTables;
  readonly comparison: RowComparison;
}

/** Candidates per row and source, for two tables and for one. */
const perRow = { join: { k: 8, kOther: 4 }, dedupe: { k: 15, kOther: 8 } };
const postings = 20_000;
/** In larger tables every row and source has fewer, so that pairs fit into memory. */
const manyRows = 400_000;
const perRowOfMany = { k: 8, kOther: 4, postings: 6_000 };
/** More names are compared without embeddings, which would need gigabytes. */
const mostEmbedded = 300_000;
/** Random pairs show how often unrelated rows agree. */
const randomPairs = 40_000;

export async function compareTables(
  tables: PreparedTables,
  { encoder, signal, known = [] }: CompareOptions = {},
): Promise<ComparedTables> {
  const { isOneTable, rows, fields, naming } = tables;
  const words = rowWords(tables);
  const vectors = naming < 0 ? undefined : await valueVectors(fields[naming].set.texts, encoder, signal);
  const isLarge = Math.max(...rows) > manyRows;
  const limits = isLarge ? perRowOfMany : { ...(isOneTable ? perRow.dedupe : perRow.join), postings };
  const pairs = await findCandidates(tables, words, vectors, { ...limits, known, signal });
  const comparison = rowComparison(tables, words, vectors);
  const levels = await pairLevels(comparison, pairs, signal);
  const random = await pairLevels(comparison, drawPairs(rows, isOneTable), signal);
  return { ...pairs, isOneTable, rows, tables, comparison, columns: comparison.columns, levels, random };
}

async function valueVectors(
  texts: readonly string[],
  encoder: PhraseEncoder | undefined,
  signal: AbortSignal | undefined,
): Promise<NamingVectors | undefined> {
  if (encoder === undefined || texts.length > mostEmbedded) return undefined;
  return { data: (await encoder.encodeMatrix(texts, { signal })).data, dimension: encoder.dimension };
}

/** Random pairs of rows, of small tables all; by left row, of one table each pair with the smaller row first. */
function drawPairs(rows: readonly [number, number], isOneTable: boolean) {
  const drawn = rows[0] * rows[1] <= randomPairs ? everyPair(rows) : randomlyDrawn(rows);
  const pairs = isOneTable
    ? drawn.flatMap(([a, b]) => (a === b ? [] : [a < b ? ([a, b] as const) : ([b, a] as const)]))
    : drawn;
  pairs.sort(([a], [b]) => a - b);
  return { left: Int32Array.from(pairs, ([a]) => a), right: Int32Array.from(pairs, ([, b]) => b) };
}

type RowPairs = (readonly [number, number])[];

const everyPair = ([left, right]: readonly [number, number]): RowPairs =>
  Array.from({ length: left * right }, (_, pair) => [Math.floor(pair / right), pair % right] as const);

function randomlyDrawn([left, right]: readonly [number, number]): RowPairs {
  const random = createRandom(1);
  const row = (rows: number): number => Math.floor(random() * rows);
  return Array.from({ length: randomPairs }, () => [row(left), row(right)] as const);
}
