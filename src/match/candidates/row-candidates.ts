/**
 * Candidate pairs of two tables, or of one, from several sources: rare words of the whole row, letters and embedding of
 * the naming column, words of each other text column, equal codes, and near places. Every source is bounded per row.
 */
import { placesByNumber } from "../../places-by-number.js";
import { shared } from "../../runtime/shared-array.js";
import { coordinatesOf } from "../columns/coordinates.js";
import type { Field, PreparedTables } from "../columns/fields.js";
import type { Lists } from "../columns/lists.js";
import { isText } from "../columns/profile.js";
import { type CountedWords, rowWords } from "../columns/row-words.js";
import { textCount, textReader } from "../columns/texts.js";
import type { ValuedColumn } from "../columns/value-set.js";
import { inRanges, type RangedWork, type RangeOptions } from "../run/partition.js";
import { equalCodes, NumberedKeys, nearPlaces } from "./blocks.js";
import { type FoldedTexts, indexTerms, termRows } from "./grams.js";
import { type NamingVectors, nearNames } from "./nearest-by-embedding.js";
import { type AddPair, PairSet, type Pairs, type Spill } from "./pair-set.js";
import type { RowTerms, SearchSettings, TermSearchOptions } from "./term-search.js";

export interface CandidateOptions extends RangeOptions, Omit<TermSearchOptions, "accept" | "k"> {
  /** Candidates per row and source. */
  readonly k: number;
  /** The same for columns other than the naming one. */
  readonly kOther: number;
  readonly spill?: Spill;
}

const leastCosine = 0.3;

/** A rule of blocking: adds pairs in any order, and tells how far it is as a share. */
type Rule = (add: AddPair, onShare: (share: number) => void) => Promise<void>;

/** An aborted call rejects with the reason of its signal. */
export async function findCandidates(
  given: PreparedTables,
  vectors: NamingVectors | undefined,
  { k, kOther, postings, mostOfRarest, spill, onProgress, ...run }: CandidateOptions,
): Promise<Pairs> {
  const copies = withoutCopies(given, k);
  const tables = copies?.tables ?? given;
  const { fields, naming, rows, isOneTable } = tables;
  const byTerms =
    (termsOf: () => Terms, limits: Nearest = { k, least: 0 }): Rule =>
    (add, onShare) =>
      searchTerms(termsOf(), { ...limits, postings, mostOfRarest, isOneTable }, { ...run, onShare }, add);
  const rules = [byTerms(() => wordTerms(rowWords(tables), rows))];
  fields.forEach((field, index) => {
    if (index === naming) rules.push(byTerms(() => gramTerms(field)));
    else if (isText(field.kind))
      rules.push(byTerms(() => fieldTerms(field), { k: kOther, least: leastCosine }));
  });
  const one = { k, isOneTable, signal: run.signal };
  if (vectors !== undefined)
    rules.push((add, onShare) => nearNames(fields[naming], { ...one, vectors, onShare }, add));
  rules.push((add) => equalCodes(fields, one, add));
  const places = coordinatesOf(fields);
  if (places !== undefined) rules.push((add) => nearPlaces(places, { ...one, k: kOther }, add));
  const pairs = new PairSet(rows[1], spill);
  const addPair: AddPair = isOneTable
    ? (a, b) => (a < b ? pairs.add(a, b) : a > b ? pairs.add(b, a) : undefined)
    : (a, b) => pairs.add(a, b);
  if (isOneTable) copies?.addEqual(addPair);
  try {
    for (const [place, rule] of rules.entries()) {
      const onShare = (share: number): void =>
        onProgress?.(Math.floor((place + share) * rows[0]), rules.length * rows[0]);
      await rule(copies?.adding(addPair) ?? addPair, onShare);
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

/** The terms of the rows of both tables; of one table the same object twice. */
interface Terms {
  readonly left: RowTerms;
  readonly right: RowTerms;
  /** Number of terms. */
  readonly terms: number;
}

/** @param rowsOf the terms of a table's rows, called once for one table */
function termsOf<Side>(
  { left, right }: Readonly<Record<"left" | "right", Side>>,
  terms: number,
  rowsOf: (side: Side) => RowTerms,
): Terms {
  const ofLeft = rowsOf(left);
  return { left: ofLeft, right: right === left ? ofLeft : rowsOf(right), terms };
}

/** Letters, words and initials of the naming column. */
function gramTerms({ set, left, right }: Field): Terms {
  const read = textReader(set.texts);
  const textsOf = (values: Int32Array): FoldedTexts => ({
    length: values.length,
    *[Symbol.iterator]() {
      for (const value of values) yield value < 0 ? "" : read(value);
    },
  });
  const found = termRows(textsOf(left), left === right ? [] : textsOf(right));
  return termsOf({ left, right }, found.statistics.documents.length, (values) => ({
    ...(values === left ? found.left : found.right),
    values,
  }));
}

/** Words in a larger share of the rows tell too little to find candidates by. */
const commonShare = 0.1;
const fewRows = 50;

/** The words of whole rows. */
function wordTerms(words: CountedWords, rows: readonly [number, number]): Terms {
  const total = words.right === words.left ? rows[0] : rows[0] + rows[1];
  const most = Math.max(fewRows, commonShare * total);
  const weights = Float32Array.from(words.rows, (count) =>
    count > most || count === 0 ? 0 : Math.log(1 + total / count),
  );
  return termsOf(words, weights.length, (lists) => weighted(sortedLists(lists), weights));
}

/** The words of one column's cells. */
function fieldTerms(field: Field): Terms {
  const { words, rarity } = field.set;
  const sorted = sortedLists(words);
  return termsOf(field, rarity.length, (values) => weighted(sorted, rarity, values));
}

/** The same lists, each ascending. */
function sortedLists({ starts, items }: Lists): Lists {
  const sorted = items.slice();
  for (let list = 0; list + 1 < starts.length; list++) sorted.subarray(starts[list], starts[list + 1]).sort();
  return { starts, items: sorted };
}

/** Sparse vectors of unit length. @param values the list of each row, -1 for none; default: each row has its own */
function weighted({ starts: lists, items }: Lists, weights: Float32Array, values?: Int32Array): RowTerms {
  const rows = values?.length ?? lists.length - 1;
  const starts = shared(Uint32Array, rows + 1);
  const listOf = (row: number): number => (values === undefined ? row : values[row]);
  let total = 0;
  for (let row = 0; row < rows; row++)
    if (listOf(row) >= 0) total += lists[listOf(row) + 1] - lists[listOf(row)];
  const columns = shared(Uint32Array, total);
  const ofTerms = shared(Float32Array, total);
  let used = 0;
  for (let row = 0; row < rows; row++) {
    const list = listOf(row);
    const end = list < 0 ? 0 : lists[list + 1];
    let squares = 0;
    for (let place = lists[Math.max(0, list)]; place < end; place++) {
      const word = items[place];
      if (weights[word] === 0 || (place > lists[list] && items[place - 1] === word)) continue;
      columns[used] = word;
      ofTerms[used++] = weights[word];
      squares += weights[word] ** 2;
    }
    starts[row + 1] = used;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let place = starts[row]; place < used; place++) ofTerms[place] *= scale;
  }
  return { starts, columns: columns.subarray(0, used), weights: ofTerms.subarray(0, used), values };
}

/** The first row that equals each row; of an empty row itself. */
function firstRows(columns: readonly Pick<ValuedColumn, "set" | "left">[], rows: number): Int32Array {
  let classOf = new Int32Array(rows);
  for (const { set, left } of columns) {
    const keys = new NumberedKeys(rows);
    const values = textCount(set.texts) + 1;
    classOf = classOf.map((number, row) => keys.add(number * values + left[row] + 1));
  }
  const firstOf = new Int32Array(rows).fill(-1);
  return classOf.map((number, row) => {
    if (columns.every(({ left }) => left[row] < 0)) return row;
    if (firstOf[number] < 0) firstOf[number] = row;
    return firstOf[number];
  });
}

/**
 * The tables with empty cells in rows that equal an earlier one, and a function that adds a pair for all rows that equal its two.
 * @param k how many further pairs with equal rows a row has for each source of candidates
 */
function withoutCopies(tables: PreparedTables, k: number) {
  const { fields, alone, rows, isOneTable } = tables;
  const left = firstRows([...fields, ...alone[0]], rows[0]);
  const ofRight = fields.map(({ set, right }) => ({ set, left: right }));
  const right = isOneTable ? left : firstRows([...ofRight, ...alone[1]], rows[1]);
  const isFirst = (first: number, row: number): boolean => first === row;
  if (left.every(isFirst) && right.every(isFirst)) return undefined;
  const emptied = (values: Int32Array, firstOf: Int32Array): Int32Array =>
    values.map((value, row) => (firstOf[row] === row ? value : -1));
  const masked = fields.map((field) => {
    const ofLeft = emptied(field.left, left);
    return { ...field, left: ofLeft, right: isOneTable ? ofLeft : emptied(field.right, right) };
  });
  const maskedAlone = (side: 0 | 1, firstOf: Int32Array): ValuedColumn[] =>
    alone[side].map((column) => ({ ...column, left: emptied(column.left, firstOf) }));
  const [ofLeft, ofRightRows] = [placesByNumber(left, rows[0]), placesByNumber(right, rows[1])];
  const open = [new Int32Array(rows[0]), new Int32Array(rows[1])];
  return {
    tables: { ...tables, fields: masked, alone: [maskedAlone(0, left), maskedAlone(1, right)] as const },
    /** Each row meets an equal of the other, and the nearest ones, which come first, meet all as long as there is room. */
    adding: (add: AddPair): AddPair => {
      for (const rooms of open) rooms.fill(k);
      return (a, b) => {
        const own = ofLeft.order.subarray(ofLeft.starts[a], ofLeft.starts[a + 1]);
        const others = ofRightRows.order.subarray(ofRightRows.starts[b], ofRightRows.starts[b + 1]);
        const least = Math.min(own.length, others.length);
        const further = Math.min(least - 1, open[0][a], open[1][b]);
        open[0][a] -= further;
        open[1][b] -= further;
        const most = Math.max(own.length, others.length);
        for (let step = 0; step <= further; step++)
          for (let at = 0; at < most; at++) add(own[at % own.length], others[(at + step) % others.length]);
      };
    },
    /** Pairs of equal rows of one table. */
    addEqual: (add: AddPair): void => {
      for (let first = 0; first < rows[0]; first++) {
        const equal = ofLeft.order.subarray(ofLeft.starts[first], ofLeft.starts[first + 1]);
        const steps = Math.min(k, equal.length - 1);
        equal.forEach((row, at) => {
          for (let step = 1; step <= steps; step++) add(row, equal[(at + step) % equal.length]);
        });
      }
    },
  };
}
