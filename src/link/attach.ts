/**
 * Links new and changed rows to the entities of a store by weights learned before. Only rows near them are read;
 * average linkage starts from the entities that exist.
 */
import { averageLinkage, groupsFrom } from "../group/average-linkage.js";
import type { NamingVectors } from "../match/candidates/near-names.js";
import type { Pairs } from "../match/candidates/pair-set.js";
import { textAt, textCount } from "../match/columns/texts.js";
import type { KnownPair } from "../match/compare-tables.js";
import { groupBy } from "../match/group-by.js";
import {
  asPartOf,
  type LearnedRows,
  type PairScorer,
  pairScorer,
  type ReadRows,
  readRows,
} from "../match/rescore.js";
import { certain } from "../match/weights/learn.js";
import { everyPair } from "../match/weights/pair-classes.js";
import { equalGroups, type Grouping } from "./grouping.js";
import { columnsOf, type RunOptions, readJudged, readLinked, type StoreModel } from "./model.js";
import type { LinkedRow } from "./reconcile.js";
import type { Store } from "./store.js";
import { findNear, wholeCounts, writeTerms } from "./terms.js";

/** Rows of an entity that are compared with a new row. */
const mostMembers = 20;
/** Pairs below it, compared without embeddings, are not compared with them. */
const leastPlausible = -6;

/** Links the rows that this run has put into the store. */
export async function attach(
  store: Store,
  run: number,
  { learned, least }: StoreModel,
  { settings, encoder, signal }: RunOptions,
): Promise<Grouping> {
  const read = (cells: readonly (readonly string[])[]) =>
    readRows(columnsOf(settings.columns, cells), learned);
  const fresh = await readLinked(store, run, `SELECT "row" FROM "row" WHERE run = ${run}`);
  await writeTerms(store, run, fresh.rows, read(fresh.cells));
  const { rows, cells, pairs } = await readNear(store, run);
  const part = read(cells);
  const whole = asPartOf(part, await wholeCounts(store, part, rows));
  const scores = await scored(whole, pairs, rows, { learned, encoder, signal });
  const judged = await readJudged(store);
  const grouped = await groupsOf(rows, cells, { ...pairs, ...scores }, { judged, least, signal });
  return { rows, ...grouped, explain: scores.scorer.explain };
}

/** The first rows of each entity. */
const members = `SELECT entity, "row" FROM assignment WHERE until IS NULL
  QUALIFY row_number() OVER (PARTITION BY entity ORDER BY "row") <= ${mostMembers}`;

/** The new and changed rows, those near them, more rows of their entities, and the pairs to compare, by place. */
async function readNear(store: Store, run: number) {
  const fresh = `SELECT "row" FROM "row" WHERE run = ${run}`;
  const current = "SELECT * FROM assignment WHERE until IS NULL";
  await store.query(
    `CREATE OR REPLACE TEMP TABLE new_near AS
     SELECT DISTINCT least(new, old) AS a, greatest(new, old) AS b FROM (${await findNear(store, run)}
       UNION SELECT changed."row", m."row" FROM (${current}) changed JOIN (${members}) m USING (entity)
       WHERE changed."row" <> m."row" AND changed."row" IN (${fresh}))`,
  );
  const near = await store.query<Record<"a" | "b", number>>("SELECT a, b FROM new_near ORDER BY a, b");
  const linked = await readLinked(
    store,
    run,
    `WITH near AS (${fresh} UNION SELECT a FROM new_near UNION SELECT b FROM new_near) SELECT "row" FROM near
     UNION SELECT "row" FROM (${members}) WHERE entity IN (SELECT entity FROM (${current}) JOIN near USING ("row"))`,
  );
  const place = new Map(linked.rows.map(({ row }, at) => [row, at]));
  const side = (name: "a" | "b") => Int32Array.from(near, (pair) => place.get(pair[name])!);
  return { ...linked, pairs: { left: side("a"), right: side("b") } };
}

/** Scores the pairs. Embeds the names of plausible rows, and of their entities, only. */
async function scored(
  read: ReadRows,
  { left, right }: Pairs,
  rows: readonly LinkedRow[],
  { learned, encoder, signal }: Pick<RunOptions, "encoder" | "signal"> & { readonly learned: LearnedRows },
): Promise<{ scorer: PairScorer; odds: Float64Array }> {
  const first = pairScorer(read, learned);
  const odds = first.scores(left, right);
  const plausible = [...odds.keys()].filter((pair) => odds[pair] >= leastPlausible);
  const model = plausible.length === 0 || learned.naming < 0 ? "none" : await encoder();
  if (model === "none") return { scorer: first, odds };
  const chosen = new Set(plausible.flatMap((pair) => [left[pair], right[pair]]));
  const entities = new Set([...chosen].map((place) => rows[place].entity));
  entities.delete(0);
  rows.forEach(({ entity }, place) => entities.has(entity) && chosen.add(place));
  const { left: values, set } = read.tables.fields[learned.naming];
  const named = [...new Set([...chosen].map((place) => values[place]))].filter((value) => value >= 0);
  const texts = named.map((value) => textAt(set.texts, value));
  const { data, dimension } = await model.encodeMatrix(texts, { signal });
  const vectors: NamingVectors = { data: new Float32Array(textCount(set.texts) * dimension), dimension };
  named.forEach((value, place) => {
    vectors.data.set(data.subarray(place * dimension, (place + 1) * dimension), value * dimension);
  });
  const scorer = first.withVectors(vectors);
  const of = (side: Int32Array): Int32Array => Int32Array.from(plausible, (pair) => side[pair]);
  scorer.scores(of(left), of(right)).forEach((score, place) => {
    odds[plausible[place]] = score;
  });
  return { scorer, odds };
}

/** Groups by average linkage over what stands; where the promise was refused, of equal rows, and the likely ones beside. */
async function groupsOf(
  rows: readonly LinkedRow[],
  cells: readonly (readonly string[])[],
  { left, right, odds, scorer }: Pairs & { readonly odds: Float64Array; readonly scorer: PairScorer },
  {
    judged,
    least,
    signal,
  }: Pick<RunOptions, "signal"> & {
    /** By rows of the store: answers outweigh all evidence. */
    readonly judged: readonly KnownPair[];
    readonly least: number | null;
  },
): Promise<Pick<Grouping, "groups" | "likely">> {
  const entityOf = (place: number): number => (rows[place].isSame ? rows[place].entity : -1 - place);
  const standing = [...groupBy(rows.keys(), entityOf).values()].flatMap(([left, ...others]) =>
    others.map((right): KnownPair => ({ left, right, match: true })),
  );
  const answers = new Map(
    judged.map(({ left: a, right: b, match }) => [
      `${Math.min(a, b)} ${Math.max(a, b)}`,
      match ? certain : -certain,
    ]),
  );
  const answerOf = (a: number, b: number): number | undefined => answers.get(`${rows[a].row} ${rows[b].row}`);
  const all = {
    classOf: everyPair(left.length + standing.length),
    left: Int32Array.from([...left, ...standing.map((pair) => pair.left)]),
    right: Int32Array.from([...right, ...standing.map((pair) => pair.right)]),
    logOdds: Float64Array.from([
      ...odds.map((value, pair) => answerOf(left[pair], right[pair]) ?? value),
      ...standing.map(() => certain),
    ]),
  };
  const weigh = (a: number, b: number): number =>
    entityOf(a) === entityOf(b)
      ? certain
      : (answerOf(a, b) ?? scorer.scores(Int32Array.of(a), Int32Array.of(b))[0]);
  const floor = least ?? 0;
  const merges = await averageLinkage(rows.length, all, { least: floor, weigh, signal });
  const linked = groupsFrom(rows.length, merges, floor);
  return least !== null ? { groups: linked } : { groups: equalGroups(cells, standing), likely: linked };
}
