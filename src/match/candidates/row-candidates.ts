/**
 * Candidate pairs of two tables, or of one, from several sources: rare words of the whole row, letters and embedding of
 * the naming column, words of each other text column, and equal codes. Every source is bounded per row.
 */
import type { Field, PreparedTables } from "../columns/fields.js";
import { isText } from "../columns/profile.js";
import { rowWords } from "../columns/row-words.js";
import { textReader } from "../columns/texts.js";
import { inRanges, type RangedWork, type RangeOptions } from "../run/partition.js";
import { withoutCopies } from "./copies.js";
import { equalCodes } from "./equal-codes.js";
import { type FoldedTexts, indexTerms, termRows } from "./grams.js";
import { type NamingVectors, nearNames } from "./near-names.js";
import { type AddPair, PairSet, type Pairs, type Spill } from "./pair-set.js";
import type { SearchSettings } from "./row-search.js";
import type { TermSearchOptions } from "./term-search.js";
import { fieldTerms, type Terms, wordTerms } from "./word-terms.js";

export interface CandidateOptions extends RangeOptions, Omit<TermSearchOptions, "accept" | "k"> {
  /** Candidates per row and source. */
  readonly k: number;
  /** The same for columns other than the naming one. */
  readonly kOther: number;
  readonly spill?: Spill;
}

const leastCosine = 0.3;

/** One way to find candidates. It adds pairs in any order, and tells how far it is as a share. */
type Source = (onShare: (share: number) => void) => Promise<void>;

/** An aborted call rejects with the reason of its signal. */
export async function findCandidates(
  given: PreparedTables,
  vectors: NamingVectors | undefined,
  { k, kOther, postings, mostOfRarest, spill, onProgress, ...run }: CandidateOptions,
): Promise<Pairs> {
  const copies = withoutCopies(given, k);
  const tables = copies?.tables ?? given;
  const { fields, naming, rows, isOneTable } = tables;
  const { signal } = run;
  const pairs = new PairSet(rows[1], spill);
  const addPair: AddPair = isOneTable
    ? (a, b) => (a < b ? pairs.add(a, b) : a > b ? pairs.add(b, a) : undefined)
    : (a, b) => pairs.add(a, b);
  let add = addPair;
  if (isOneTable) copies?.addEqual(addPair);
  const common = { postings, mostOfRarest, isOneTable };
  const byTerms =
    (termsOf: () => Terms, limits: Nearest): Source =>
    (onShare) =>
      searchTerms(termsOf(), { ...limits, ...common }, { ...run, onShare }, (a, b) => add(a, b));
  const sources = [byTerms(() => wordTerms(rowWords(tables), rows, isOneTable), { k, least: 0 })];
  fields.forEach((field, index) => {
    if (index === naming) sources.push(byTerms(() => gramTerms(field, isOneTable), { k, least: 0 }));
    else if (isText(field.kind))
      sources.push(byTerms(() => fieldTerms(field), { k: kOther, least: leastCosine }));
  });
  if (vectors !== undefined)
    sources.push((onShare) => nearNames(fields[naming], { vectors, k, isOneTable, signal, onShare }, add));
  sources.push(() => equalCodes(fields, { isOneTable, signal }, add));
  try {
    for (const [place, source] of sources.entries()) {
      const onShare = (share: number): void =>
        onProgress?.(Math.floor((place + share) * rows[0]), sources.length * rows[0]);
      add = copies?.adding(addPair) ?? addPair;
      await source(onShare);
      onShare(1);
    }
    return pairs.finish();
  } finally {
    spill?.runs.close();
  }
}

/** The nearest rows of a query, of more than a least cosine. */
type Nearest = Pick<SearchSettings, "k" | "least">;

/** Searches the left rows for each right row and, of two tables, the other way round. */
async function searchTerms(
  { left, right, terms }: Terms,
  limits: Omit<SearchSettings, "queries" | "base" | "index">,
  { onShare, ...run }: RangeOptions & { onShare(share: number): void },
  add: AddPair,
): Promise<void> {
  const directions = [{ queries: right, base: left, take: (row: number, found: number) => add(found, row) }];
  if (!limits.isOneTable) directions.push({ queries: left, base: right, take: add });
  for (const [place, { queries, base, take }] of directions.entries()) {
    const onProgress = (done: number, total: number): void =>
      onShare((place + done / total) / directions.length);
    const settings = { ...limits, queries, base, index: indexTerms(base, terms) };
    const work: RangedWork<"search"> = {
      settings,
      total: queries.starts.length - 1,
      itemsIn: (range) => range,
      take: (found) => found.queries.forEach((query, pair) => take(query, found.rows[pair])),
    };
    await inRanges("search", work, { ...run, onProgress });
  }
}

/** Letters, words and initials of the naming column. */
function gramTerms({ set, left, right }: Field, isOneTable: boolean): Terms {
  const read = textReader(set.texts);
  const textsOf = (values: Int32Array): FoldedTexts => ({
    length: values.length,
    *[Symbol.iterator]() {
      for (const value of values) yield value < 0 ? "" : read(value);
    },
  });
  const found = termRows(textsOf(left), isOneTable ? [] : textsOf(right));
  const [ofLeft, ofRight] = [
    { ...found.left, values: left },
    { ...found.right, values: right },
  ];
  return { left: ofLeft, right: isOneTable ? ofLeft : ofRight, terms: found.statistics.documents.length };
}
