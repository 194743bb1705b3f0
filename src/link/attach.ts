/**
 * Links new and changed rows to the entities of a store by weights learned before. Only rows near them are read; entities
 * are groups that already stand, and average linkage starts from there.
 */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { averageLinkage, groupsFrom } from "../group/average-linkage.js";
import type { NamingVectors } from "../match/candidates/near-names.js";
import type { Pairs } from "../match/candidates/pair-set.js";
import type { KnownPair } from "../match/compare-tables.js";
import { asPartOf, type PairScorer, pairScorer, type ReadRows, readRows } from "../match/rescore.js";
import { certain } from "../match/weights/learn.js";
import { columnsOf, equalRow, readCells, readTerms } from "./contents.js";
import { certainGroups, chains, type Grouping, reasonOf } from "./grouping.js";
import type { StoreModel } from "./model.js";
import { nearRows } from "./near-rows.js";
import type { LinkedRow } from "./reconcile.js";
import type { Store } from "./store.js";
import { searchTerms, wholeCounts } from "./terms.js";

export interface AttachOptions {
  /** The columns of the cells. */
  readonly names: readonly string[];
  readonly model: StoreModel;
  readonly encoder: PhraseEncoder | "none";
  /** Judged pairs, by rows of the store. */
  readonly judged: readonly KnownPair[];
  readonly signal?: AbortSignal;
}

/** Rows of an entity that are compared with a new row. */
const mostMembers = 20;
/** Pairs below it, compared without embeddings, are not compared with them. */
const leastPlausible = -6;

/**
 * @param pending cells of new and changed rows, which are in the store already
 * @param entities of each row of the store, 0 for none
 */
export async function attach(
  store: Store,
  pending: ReadonlyMap<number, readonly string[]>,
  entities: Int32Array,
  options: AttachOptions,
): Promise<Grouping> {
  const { names, model, signal } = options;
  const { learned } = model;
  const terms = await readTerms(store);
  const fresh = readRows(columnsOf(names, [...pending.values()]), learned);
  const near = nearRows(
    new Map([...pending.keys()].map((row, place) => [row, searchTerms(fresh, place)])),
    terms,
  );
  for (const [row, equal] of await equalRow(store, pending.keys())) near.get(row)!.add(equal);
  const own = membersOf(entities, pending.keys());
  for (const [row, others] of near)
    for (const member of own.get(entities[row]) ?? []) if (member !== row) others.add(member);
  signal?.throwIfAborted();
  const numbers = withMembers(near, entities);
  const stored = await readCells(store, numbers);
  const cells = numbers.map((row) => stored.get(row)!);
  const part = readRows(columnsOf(names, cells), learned);
  const read = asPartOf(part, wholeCounts(part, terms));
  const rows = numbers.map((row): LinkedRow => {
    return { row, entity: entities[row], isSame: entities[row] > 0 && !pending.has(row) };
  });
  const pairs = pairsOf(near, new Map(numbers.map((row, place) => [row, place])));
  const learnedScorer = await plausibleScorer(read, pairs, rows, options);
  const scorer = decided(learnedScorer, rows, options.judged);
  const grouped = await groupsOf(rows, cells, pairs, { scorer, least: model.least, signal });
  return { rows, ...grouped, reasonFor };

  function reasonFor(a: number, b: number) {
    return reasonOf(learned, scorer.explain(a, b));
  }
}

/** The first rows of the entities that some rows belong to. */
function membersOf(entities: Int32Array, rows: Iterable<number>): Map<number, number[]> {
  const members = new Map<number, number[]>();
  for (const row of rows) if (entities[row] > 0) members.set(entities[row], []);
  entities.forEach((entity, row) => {
    const found = members.get(entity);
    if (found !== undefined && found.length < mostMembers) found.push(row);
  });
  return members;
}

/** The rows, the rows near them, and more rows of their entities; ascending. */
function withMembers(near: ReadonlyMap<number, ReadonlySet<number>>, entities: Int32Array): number[] {
  const rows = [...near].flatMap(([row, others]) => [row, ...others]);
  const all = new Set([...rows, ...[...membersOf(entities, rows).values()].flat()]);
  return [...all].sort((a, b) => a - b);
}

/** The candidate pairs by place, each once, the smaller place first. */
function pairsOf(
  near: ReadonlyMap<number, ReadonlySet<number>>,
  placeOf: ReadonlyMap<number, number>,
): Pairs {
  const size = placeOf.size;
  const keys = new Set<number>();
  for (const [row, others] of near)
    for (const other of others) {
      const [a, b] = [placeOf.get(row)!, placeOf.get(other)!];
      keys.add(Math.min(a, b) * size + Math.max(a, b));
    }
  const sorted = Float64Array.from(keys).sort();
  return {
    left: Int32Array.from(sorted, (key) => Math.floor(key / size)),
    right: Int32Array.from(sorted, (key) => key % size),
  };
}

/** Embeds the names of rows that are plausible without embeddings, and of their entities, only. */
async function plausibleScorer(
  read: ReadRows,
  { left, right }: Pairs,
  rows: readonly LinkedRow[],
  { model: { learned }, encoder, signal }: AttachOptions,
): Promise<PairScorer> {
  const first = pairScorer(read, learned);
  if (encoder === "none" || learned.naming < 0) return first;
  const { left: values, set } = read.tables.fields[learned.naming];
  const chosen = new Set<number>();
  first.scores(left, right).forEach((odds, pair) => {
    if (odds >= leastPlausible) chosen.add(left[pair]).add(right[pair]);
  });
  const chosenEntities = new Set([...chosen].map((place) => rows[place].entity));
  chosenEntities.delete(0);
  rows.forEach(({ entity }, place) => chosenEntities.has(entity) && chosen.add(place));
  const named = [...new Set([...chosen].map((place) => values[place]))].filter((value) => value >= 0);
  const { dimension } = encoder;
  const encoded = await encoder.encodeMatrix(
    named.map((value) => set.texts[value]),
    { signal },
  );
  const vectors: NamingVectors = { data: new Float32Array(set.texts.length * dimension), dimension };
  named.forEach((value, place) => {
    vectors.data.set(encoded.data.subarray(place * dimension, (place + 1) * dimension), value * dimension);
  });
  return pairScorer(read, learned, vectors);
}

/** Scores of judged pairs outweigh all evidence. */
function decided(scorer: PairScorer, rows: readonly LinkedRow[], judged: readonly KnownPair[]): PairScorer {
  if (judged.length === 0) return scorer;
  const keyOf = (a: number, b: number): string => `${Math.min(a, b)} ${Math.max(a, b)}`;
  const answers = new Map(judged.map(({ left, right, match }) => [keyOf(left, right), match]));
  const scores: PairScorer["scores"] = (left, right) =>
    scorer.scores(left, right).map((odds, pair) => {
      const answer = answers.get(keyOf(rows[left[pair]].row, rows[right[pair]].row));
      return answer === undefined ? odds : answer ? certain : -certain;
    });
  return { ...scorer, scores };
}

/** Groups by average linkage over what stands; where the promise was refused, of equal rows, and the likely ones beside. */
async function groupsOf(
  rows: readonly LinkedRow[],
  cells: readonly (readonly string[])[],
  { left, right }: Pairs,
  {
    scorer,
    least,
    signal,
  }: { readonly scorer: PairScorer; readonly least: number | null; readonly signal?: AbortSignal },
): Promise<Pick<Grouping, "groups" | "likely">> {
  const standing = chains(rows.keys(), (place) => (rows[place].isSame ? rows[place].entity : -1 - place));
  const together = (a: number, b: number): boolean =>
    rows[a].isSame && rows[b].isSame && rows[a].entity === rows[b].entity;
  const odds = scorer.scores(left, right);
  const all = {
    left: Int32Array.from([...left, ...standing.map(([a]) => a)]),
    right: Int32Array.from([...right, ...standing.map(([, b]) => b)]),
    logOdds: Float64Array.from([...odds, ...standing.map(() => certain)]),
  };
  const weigh = (a: number, b: number): number =>
    together(a, b) ? certain : scorer.scores(Int32Array.of(a), Int32Array.of(b))[0];
  const floor = least ?? 0;
  const merges = await averageLinkage(rows.length, all, { least: floor, weigh, signal });
  const linked = groupsFrom(rows.length, merges, floor);
  if (least !== null) return { groups: linked };
  return { groups: certainGroups(cells, standing), likely: linked };
}
