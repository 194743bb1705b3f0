/**
 * What the search for near rows and the rarity of words need of a store, as hashed terms with their counts: words of rows, and
 * values, words and 3-grams of their columns. Terms that find rows have a list of them.
 */
import { FNV_BASIS, FNV_PRIME } from "../files/checksums/fnv.js";
import { hash } from "../match/candidates/grams.js";
import { BestRows, RowSums } from "../match/candidates/term-search.js";
import { bareDigits } from "../match/cells/numbers.js";
import { invertLists, type Lists, ListsBuilder } from "../match/columns/lists.js";
import { isText } from "../match/columns/profile.js";
import { textCount, textReader } from "../match/columns/texts.js";
import { countRows, type ReadRows, type RowCounts } from "../match/rescore.js";
import { buckets, gramsOf } from "../match/spelling/gram-sets.js";
import { placesByNumber } from "../places-by-number.js";
import type { LinkedRow } from "./reconcile.js";
import { listed, type Store } from "./store.js";

/** Rows are found by the first three. */
const kinds = { word: 0, gram: 1, code: 2, value: 3, filled: 4, fieldWord: 5 } as const;
type TermKind = keyof typeof kinds;

/** 32 bits: of a million terms, one in five thousand shares its number with another. */
const termOf = (kind: TermKind, field: number, text: string): number =>
  hash(text, Math.imul(FNV_BASIS ^ (8 * field + kinds[kind]), FNV_PRIME));

/** A term of some rows, and where it is counted. */
interface CountedTerm {
  readonly kind: TermKind;
  readonly field: number;
  readonly term: number;
  readonly counts: Uint32Array;
  readonly place: number;
}

/** A term with the number of rows that have it and, if it finds rows, their places. */
export interface RowTerm {
  readonly kind: TermKind;
  readonly term: number;
  readonly count: number;
  readonly places?: Uint32Array;
}

/** The terms whose counts are not 0. */
function* termsOf({ tables }: ReadRows, { words, fields }: RowCounts): Generator<CountedTerm> {
  // Terms keep their numbers when columns are learned in another order.
  const headers = tables.fields.map(({ name }) => name).sort();
  const ranks = tables.fields.map(({ name }) => headers.indexOf(name));
  function* each(kind: TermKind, field: number, counts: Uint32Array, textOf: (place: number) => string) {
    for (let place = 0; place < counts.length; place++)
      if (counts[place] > 0)
        yield { kind, field, term: termOf(kind, ranks[field] ?? 0, textOf(place)), counts, place };
  }
  const word = textReader(tables.vocabulary);
  yield* each("word", 0, words, word);
  for (const [field, { kind, set }] of tables.fields.entries()) {
    const counted = fields[field];
    yield* each("filled", field, counted.filled, () => "");
    // Values of codes find rows; other values are counted only.
    const ofValue = isText(kind) || kind === "category" ? "value" : "code";
    const read = textReader(set.texts);
    yield* each(ofValue, field, counted.values, (value) => bareDigits(read(value)));
    yield* each("fieldWord", field, counted.words, word);
    yield* each("gram", field, counted.grams, String);
  }
}

/** For terms that find rows: the rows with each, by its place in the counts. */
function rowLists({ tables, words, grams }: ReadRows): (kind: TermKind, field: number) => Lists | undefined {
  const { fields, naming, vocabulary } = tables;
  const ofWords = invertLists(words.left, textCount(vocabulary));
  const byValue = fields.map(({ left, set }): Lists => {
    const { starts, order } = placesByNumber(left, textCount(set.texts));
    return { starts, items: order };
  });
  const ofNames = new ListsBuilder();
  for (const value of naming < 0 ? [] : fields[naming].left) {
    ofNames.push(value < 0 ? [] : gramsOf(grams[naming]!, value));
  }
  const ofGrams = invertLists(ofNames.finish(), buckets);
  return (kind, field) =>
    kind === "word"
      ? ofWords
      : kind === "code"
        ? byValue[field]
        : kind === "gram" && field === naming
          ? ofGrams
          : undefined;
}

export function* readTerms(read: ReadRows): Generator<RowTerm> {
  const listsOf = rowLists(read);
  for (const { kind, field, term, counts, place } of termsOf(read, countRows(read))) {
    const lists = listsOf(kind, field);
    const places = lists?.items.subarray(lists.starts[place], lists.starts[place + 1]);
    yield { kind, term, count: counts[place], places };
  }
}

/** Stores the terms of rows. @param before of changed rows as they were: these no longer count */
export async function writeTerms(
  store: Store,
  run: number,
  rows: readonly LinkedRow[],
  terms: Iterable<RowTerm>,
  before: Iterable<RowTerm> = [],
): Promise<void> {
  function* lines() {
    for (const { term, count, places } of terms) {
      const numbers = places && Uint32Array.from(places, (place) => rows[place].row);
      yield [run, null, term, count, numbers === undefined ? null : new Uint8Array(numbers.buffer)];
    }
    for (const { term, count } of before) yield [run, null, term, -count, null];
  }
  await store.append("term", lines());
}

/** How many rows have each of some terms. @param known what was found before; it grows */
async function countTerms(
  store: Store,
  known: Map<number, number>,
  terms: readonly { readonly term: number }[],
): Promise<void> {
  const wanted = terms.map(({ term }) => term).filter((term) => !known.has(term));
  if (wanted.length === 0) return;
  const [found, counts] = await store.columns<[number, number]>(
    `SELECT term, sum(count)::INTEGER FROM term WHERE until IS NULL AND term IN (${listed(wanted)}) GROUP BY term`,
  );
  found.forEach((term, place) => {
    known.set(term, counts[place]);
  });
}

/** The counts of the values, words and grams of some rows in the whole store, and its rows. */
export async function wholeCounts(
  store: Store,
  known: Map<number, number>,
  read: ReadRows,
  rows: number,
): Promise<RowCounts> {
  const whole = { ...countRows(read), rows };
  const terms = [...termsOf(read, whole)];
  await countTerms(store, known, terms);
  for (const { term, counts, place } of terms) counts[place] = known.get(term) ?? 0;
  return whole;
}

/** Rows per new row: at most, and those of equal scores that are taken where more have them. */
const k = 12;
const leastFound = 3;
/** Rows visited for each kind of term to find them. */
const mostVisited = 1000;
/** A code of more rows is a common value. */
const mostEqual = 12;

/** A term to find a row by. */
interface Clue {
  readonly term: number;
  readonly count: number;
}

/**
 * Finds the rows that each new or changed row may be the same as: by rare words of the whole row, by letters of the name and by
 * equal codes (BM25 without the lengths of rows, Robertson and Zaragoza 2009; each kind counts as its share of the most that it
 * can reach).
 * @param size rows of the store @param known counts of terms; it grows @returns pairs of row numbers, the new row first
 */
export async function findNear(
  store: Store,
  rows: readonly LinkedRow[],
  terms: readonly RowTerm[],
  size: number,
  known: Map<number, number>,
): Promise<[number, number][]> {
  const clues = await cluesOf(store, known, rows, terms);
  const followed = clues.map((ofRow) => ofRow.map((ofKind) => rarest(ofKind)));
  const lists = await storedLists(store, new Set(followed.flat(2).map(({ term }) => term)));
  const sums = new RowSums();
  return rows.flatMap(({ row }, place) => {
    const listsOf = ({ term }: Clue): readonly Uint32Array[] => lists.get(term) ?? [];
    sums.start(
      followed[place]
        .flat()
        .flatMap(listsOf)
        .reduce((all, { length }) => all + length, 0),
    );
    for (const ofKind of followed[place]) {
      const rarities = ofKind.map((clue) =>
        Math.round(1e5 * Math.log(1 + (size - clue.count + 0.5) / (clue.count + 0.5))),
      );
      const most = rarities.reduce((sum, rarity) => sum + rarity, 0);
      ofKind.forEach((clue, at) => {
        // Whole numbers: sums do not depend on the order of the terms.
        const share = Math.floor((2 ** 20 * rarities[at]) / most);
        for (const list of listsOf(clue)) sums.add(list, share);
      });
    }
    const best = new BestRows(k + 1, (other) => other !== row);
    best.add(sums, sums.slots, 0, sums.count);
    const found = best.rows();
    // Of many rows with the same score, which come first says nothing.
    const cut = found[k]?.score ?? 0;
    return found
      .filter(({ score }, at) => score > cut || at < leastFound)
      .map((other): [number, number] => [row, other.row]);
  });
}

/** For each row the terms of each kind that it can be found by, with their counts in the store. */
async function cluesOf(
  store: Store,
  known: Map<number, number>,
  rows: readonly LinkedRow[],
  terms: readonly RowTerm[],
): Promise<Clue[][][]> {
  const found = terms.filter(({ places }) => places !== undefined);
  await countTerms(store, known, found);
  const clues = rows.map((): Clue[][] => [[], [], []]);
  for (const { kind, term, places } of found) {
    const clue = { term, count: known.get(term)! };
    if (kind !== "code" || clue.count <= mostEqual)
      for (const place of places!) clues[place][kinds[kind]].push(clue);
  }
  return clues;
}

/** The terms that lead to a bounded number of rows, and the rarest in any case. */
function rarest(clues: readonly Clue[]): Clue[] {
  let visited = 0;
  return [...clues]
    .sort((x, y) => x.count - y.count || x.term - y.term)
    .filter(({ count }, place) => {
      visited += count;
      return visited <= mostVisited || place === 0;
    });
}

/** The current rows with each term, as far as their cells have not changed since. */
async function storedLists(store: Store, terms: Iterable<number>): Promise<Map<number, Uint32Array[]>> {
  const changed = await store.query<{ row: number; run: number }>(
    'SELECT "row", max(until)::INTEGER AS run FROM "row" WHERE until IS NOT NULL GROUP BY "row"',
  );
  const changedIn = new Map(changed.map(({ row, run }) => [row, run]));
  const [found, runs, lists] = await store.columns<[number, number, Uint8Array]>(
    `SELECT term, run, rows FROM term WHERE until IS NULL AND rows IS NOT NULL AND term IN (${listed(terms)})`,
  );
  const all = new Map<number, Uint32Array[]>();
  found.forEach((term, place) => {
    const list = new Uint32Array(Uint8Array.from(lists[place]).buffer);
    const current =
      changedIn.size === 0 ? list : list.filter((row) => (changedIn.get(row) ?? 0) <= runs[place]);
    const known = all.get(term);
    if (known === undefined) all.set(term, [current]);
    else known.push(current);
  });
  return all;
}
