/**
 * Links new and changed rows to the entities of a store by weights learned before. Only rows near them are read;
 * average linkage starts from the entities that exist.
 */

import { groupBy } from "../by-key.js";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { averageLinkage, groupsFrom } from "../group/average-linkage.js";
import type { NamingVectors } from "../match/candidates/nearest-by-embedding.js";
import { PairSet, type Pairs } from "../match/candidates/pair-set.js";
import { eachText } from "../match/columns/texts.js";
import type { KnownPair } from "../match/compare-tables.js";
import { type LearnedRows, type PairScorer, pairScorer, type ReadRows, readRows } from "../match/rescore.js";
import { certain } from "../match/weights/learn.js";
import { everyPair } from "../match/weights/pair-classes.js";
import { equalGroups, type Grouping, pairsWithoutFirst } from "./grouping.js";
import {
  columnsOf,
  type RunOptions,
  readJudged,
  readLinked,
  type StoreModel,
  type StoreState,
} from "./model.js";
import type { LinkedRow } from "./reconcile.js";
import { listed, type Store } from "./store.js";
import { findNear, readTerms, wholeCounts, writeTerms } from "./terms.js";

/** Rows of an entity that are compared with a new row. */
const mostMembers = 20;
/** Pairs below it, compared without embeddings, are not looked at again: they connect nothing. */
const leastPlausible = -6;

type Linked = Awaited<ReturnType<typeof readLinked>>;
type RowPair = readonly [number, number];
/** What was learned of several columns. */
export type LearnedModel = StoreModel & Required<Pick<StoreModel, "learned">>;

/** Links the rows that this run has put into the store. */
export async function attach(
  store: Store,
  { run }: StoreState,
  { learned, least }: LearnedModel,
  { settings, encoder, signal }: RunOptions,
): Promise<Grouping> {
  const read = (cells: Linked["cells"]): ReadRows => readRows(columnsOf(settings.columns, cells), learned);
  const fresh = await readLinked(store, run, `r.run = ${run}`);
  const changed = await store.query<{ cells: string }>(`SELECT cells FROM "row" WHERE until = ${run}`);
  const terms = [...readTerms(read(fresh.cells))];
  const before = readTerms(read(changed.map(({ cells }): string[] => JSON.parse(cells))));
  await writeTerms(store, run, fresh.rows, terms, before);
  const [{ size }] = await store.query<{ size: number }>(
    'SELECT count(*)::INTEGER AS size FROM "row" WHERE until IS NULL',
  );
  const known = new Map<number, number>();
  const scorerOf = async (rows: ReadRows) =>
    pairScorer(rows, await wholeCounts(store, known, rows, size), learned);
  const equal = await equalRows(store, run);
  const judged = await readJudged(store);
  const isFresh = new Set(fresh.rows.map(({ row }) => row));
  const decided = judged.flatMap(({ left, right }): RowPair[] =>
    isFresh.has(left) ? [[left, right]] : isFresh.has(right) ? [[right, left]] : [],
  );
  const rest = await pairsWithoutFirst(store, run);
  const found = [...equal, ...decided, ...rest, ...(await findNear(store, fresh.rows, terms, size, known))];
  const looked = new Set([...isFresh, ...found.flat()]);
  const near = await readLinked(store, run, `r."row" IN (${listed(looked)})`);
  const answers = answersOf(judged);
  const pairs = pairsOf(near.rows, found);
  const odds = (await scorerOf(read(near.cells))).scores(pairs.left, pairs.right);
  const plausible = Array.from(odds.keys(), (pair): RowPair => {
    return [near.rows[pairs.left[pair]].row, near.rows[pairs.right[pair]].row];
  }).filter((pair, place) => odds[place] >= leastPlausible || answers.has(pair.join(" ")));
  const group = await readEntities(store, run, { near: near.rows, pairs: [...equal, ...plausible], judged });
  const groupRead = read(group.cells);
  const first = await scorerOf(groupRead);
  const model = group.pairs.left.length === 0 || learned.naming < 0 ? "none" : await encoder();
  const scorer =
    model === "none" ? first : first.withVectors(await nameVectors(groupRead, learned, model, signal));
  const grouped = await groupsOf(group, scorer, judged, { least, signal });
  const placeOf = new Map(group.rows.map(({ row }, place) => [row, place]));
  const others = fresh.rows.filter(({ row }) => !placeOf.has(row));
  const rows = [...group.rows, ...others].sort((x, y) => x.row - y.row);
  const places = rows.map(({ row }) => placeOf.get(row) ?? -1);
  // A row that is near no other is a group of its own.
  const spread = (groups: ArrayLike<number>) =>
    places.map((place, at) => (place < 0 ? group.rows.length + at : groups[place]));
  return {
    rows,
    groups: spread(grouped.groups),
    likely: grouped.likely && spread(grouped.likely),
    explain: (a, b) => scorer.explain(places[a], places[b]),
  };
}

/** The new and changed rows that have the same cells as another, each with the first one. */
export async function equalRows(store: Store, run: number): Promise<RowPair[]> {
  const equal = await store.query<Record<"a" | "b", number>>(
    `SELECT a."row" AS a, CASE a."row" WHEN least[1] THEN least[2] ELSE least[1] END AS b FROM "row" a JOIN (
       SELECT cells, min("row", 2) AS least FROM "row" WHERE until IS NULL AND
         cells IN (SELECT cells FROM "row" WHERE run = ${run} AND until IS NULL) GROUP BY cells HAVING count(*) > 1
     ) USING (cells) WHERE a.run = ${run} AND a.until IS NULL`,
  );
  return equal.map(({ a, b }) => [a, b]);
}

/** Pairs by place in the rows, which are in the order of their numbers. */
function pairsOf(rows: readonly LinkedRow[], pairs: Iterable<RowPair>): Pairs {
  const placeOf = new Map(rows.map(({ row }, place) => [row, place]));
  const places = new PairSet(rows.length);
  for (const [a, b] of pairs) places.add(placeOf.get(Math.min(a, b))!, placeOf.get(Math.max(a, b))!);
  return places.finish();
}

/** What entities are read by: the rows of pairs, and of decisions. */
interface Wanted {
  readonly near: readonly LinkedRow[];
  readonly pairs: readonly RowPair[];
  readonly judged: readonly KnownPair[];
}

/**
 * The rows of pairs with more rows of their entities, also those that decisions are about. Changed rows are pairs with those
 * of their entity.
 */
async function readEntities(
  store: Store,
  run: number,
  { near, pairs, judged }: Wanted,
): Promise<Linked & { readonly pairs: Pairs }> {
  const isChanged = ({ entity, isSame }: LinkedRow): boolean => entity !== 0 && !isSame;
  const wanted = new Set(pairs.flat());
  const chosen = near.filter((row) => wanted.has(row.row) || isChanged(row));
  const decided = new Set(judged.flatMap(({ left, right }) => [left, right]));
  const read = await readLinked(
    store,
    run,
    `(r."row" IN (${listed(chosen.map(({ row }) => row))}) OR r."row" IN (
       SELECT "row" FROM assignment WHERE until IS NULL AND entity IN (${listed(chosen.map(({ entity }) => entity))})
       QUALIFY row_number() OVER (PARTITION BY entity ORDER BY "row") <= ${mostMembers} OR "row" IN (${listed(decided)})))`,
  );
  const members = groupBy(read.rows, ({ entity }) => entity);
  const own = read.rows
    .filter(isChanged)
    .flatMap(({ row, entity }) =>
      members.get(entity)!.flatMap((other): RowPair[] => (other.row === row ? [] : [[row, other.row]])),
    );
  return { ...read, pairs: pairsOf(read.rows, [...pairs, ...own]) };
}

/** The embeddings of the rows' names. */
async function nameVectors(
  { tables }: ReadRows,
  { naming }: LearnedRows,
  model: PhraseEncoder,
  signal: AbortSignal | undefined,
): Promise<NamingVectors> {
  const { data, dimension } = await model.encodeMatrix([...eachText(tables.fields[naming].set.texts)], {
    signal,
  });
  return { data: new Float32Array(data), dimension };
}

/** Judged pairs outweigh all evidence: log-odds by the numbers of their rows. */
const answersOf = (judged: readonly KnownPair[]): ReadonlyMap<string, number> =>
  new Map(judged.map(({ left, right, match }) => [`${left} ${right}`, match ? certain : -certain]));

/**
 * Groups by average linkage over what stands; where the promise was refused, of equal rows and by decisions, and the likely ones
 * beside.
 */
async function groupsOf(
  { rows, cells, pairs: { left, right } }: Linked & { readonly pairs: Pairs },
  scorer: PairScorer,
  judged: readonly KnownPair[],
  { least, signal }: Pick<RunOptions, "signal"> & Pick<StoreModel, "least">,
): Promise<Pick<Grouping, "groups" | "likely">> {
  const entityOf = (place: number): number => (rows[place].isSame ? rows[place].entity : -1 - place);
  const standing = [...groupBy(rows.keys(), entityOf).values()].flatMap(([left, ...others]) =>
    others.map((right): KnownPair => ({ left, right, match: true })),
  );
  const placeOf = new Map(rows.map(({ row }, place) => [row, place]));
  const decided = judged.flatMap(({ left, right, match }): KnownPair[] => {
    const [a, b] = [placeOf.get(left), placeOf.get(right)];
    return a === undefined || b === undefined ? [] : [{ left: a, right: b, match }];
  });
  // An entity may contradict a decision about its own rows.
  const between = decided.filter((pair) => entityOf(pair.left) !== entityOf(pair.right));
  const sure = [...standing, ...between];
  const answers = answersOf(judged);
  const answerOf = (a: number, b: number): number | undefined => answers.get(`${rows[a].row} ${rows[b].row}`);
  const odds = scorer.scores(left, right);
  const all = {
    classOf: everyPair(left.length + sure.length),
    left: Int32Array.from([...left, ...sure.map((pair) => pair.left)]),
    right: Int32Array.from([...right, ...sure.map((pair) => pair.right)]),
    weights: Float64Array.from([
      ...odds.map((value, pair) => answerOf(left[pair], right[pair]) ?? value),
      ...sure.map(({ match }) => (match ? certain : -certain)),
    ]),
  };
  const weigh = (a: number, b: number): number =>
    entityOf(a) === entityOf(b)
      ? certain
      : (answerOf(a, b) ?? scorer.scores(Int32Array.of(a), Int32Array.of(b))[0]);
  const floor = least ?? 0;
  const merges = await averageLinkage(rows.length, all, { least: floor, weigh, signal });
  const linked = groupsFrom(rows.length, merges, floor);
  if (least !== null) return { groups: linked };
  const known = [...standing, ...decided];
  return { groups: equalGroups(cells.length, (row) => cells[row], known), likely: linked };
}
