/** Candidates for reconciliation queries: rows of an index, scored by all columns. */
import { setImmediate } from "node:timers/promises";
import { groupBy } from "../../by-key.js";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { type IndexMatches, matchIndex, type NamedRow } from "../../join/match-index.js";
import { sigmoid } from "../../match/weights/logistic.js";
import { isVisible } from "../../text/visible.js";
import { nameColumn, type ServedIndex } from "../service.js";
import { type Candidate, mostCandidates, type Query } from "./schemas.js";

/** Every row has this type: an index is one kind of thing. */
export const rowType = (name: string) => ({ id: "row", name });

/** Candidates looked at, however few are asked for: scores depend on the alternatives. */
const leastCandidates = 20;

export interface Reconciling {
  readonly name: string;
  readonly served: ServedIndex;
  readonly encoder: PhraseEncoder;
}

export function rowOf({ index, rows }: ServedIndex, key: string): NamedRow | undefined {
  const cells = rows.get(key);
  return cells && Object.fromEntries(index.layout.columns.map((column, at) => [column, cells[at]]));
}

/** The candidates of each query, best first. */
export async function candidatesOf(
  reconciling: Reconciling,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<Candidate[][]> {
  const { served, encoder } = reconciling;
  const { columns } = served.index.layout;
  const column = nameColumn(served.index);
  // A blank name finds nothing, and a comparison refuses rows without any text.
  const named = queries.filter(({ name = "", id }) => isVisible(name) && id === undefined);
  const rows = named.map(({ name = "", cells }) => ({
    ...Object.fromEntries(Object.entries(cells).filter(([other]) => columns.includes(other))),
    [column]: name,
  }));
  const k = Math.max(leastCandidates, ...named.map(({ limit }) => limit));
  const settings = { k, ordinary: served.ordinary, signal };
  const found = rows.length > 0 ? await matchIndex(served.index, encoder, rows, settings) : undefined;
  const keys = await keysOf(served, queries, signal);
  return queries.map((query) => {
    const place = named.indexOf(query);
    if (place < 0) return lookedUp(reconciling, keys.get(query) ?? [], query.limit);
    return scored(reconciling, found!, place, rows[place]).slice(0, query.limit);
  });
}

/** The nearest rows of a query, scored by the evidence of all columns. */
function scored(
  { name, served }: Reconciling,
  found: IndexMatches,
  right: number,
  row: NamedRow,
): Candidate[] {
  const accepted = found.matches.find((pair) => pair.right === right);
  const hits = found.nearest[right];
  const explained = hits.map((hit) => ({ hit, ...evidenceOf(found, hit, right, row) }));
  const equal = explained.filter(({ isEqual }) => isEqual);
  // Where the last of the nearest is as near as an equal one, more rows may be.
  const isAlone =
    equal.length === 1 && (hits.length < found.k || hits[hits.length - 1].score < equal[0].hit.score);
  const candidates = explained.map(({ hit, probability, features, isEqual, agrees }): Candidate => {
    const isAccepted = accepted?.left === hit.place;
    const likely = isAccepted ? accepted.probability : probability;
    return {
      ...described(served, hit.key, hit.cells),
      score: Number((100 * likely).toFixed(2)),
      // Few rows promise no precision; then only the one row that is equal in all columns is certain.
      match: (isAccepted && agrees && found.findings.promise.established) || (isEqual && isAlone),
      features: [...features, feature("similarity", hit.score), feature("probability", likely)],
      type: [rowType(name)],
    };
  });
  const rank = ({ match, score }: Candidate): number => score + (match ? 100 : 0);
  return candidates.sort((a, b) => rank(b) - rank(a));
}

function evidenceOf(
  { evidence }: IndexMatches,
  hit: IndexMatches["nearest"][0][0],
  right: number,
  row: NamedRow,
) {
  const { prior, columns } = evidence(hit.place, right);
  const filled = columns.filter(({ level, isEqual }) => level >= 0 && isEqual !== undefined);
  // What tells rows apart too well or hardly at all is not compared as evidence; a cell that the query names still counts.
  const left = Object.keys(row).filter((name) => !columns.some((column) => column.name === name));
  const agrees = left.every((name) => !isVisible(row[name]) || sameText(row[name], hit.cells[name]));
  return {
    probability: sigmoid(columns.reduce((sum, { logOdds }) => sum + logOdds, prior)),
    features: columns.map(({ name, logOdds }) => feature(name, logOdds)),
    agrees,
    isEqual: agrees && filled.length > 0 && filled.every(({ isEqual }) => isEqual),
  };
}

const sameText = (a: string, b = ""): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

const feature = (name: string, value: number) => ({ id: name, name, value: Number(value.toFixed(4)) });

/** Rows that are read before other requests have their turn. */
export const rowsInTurn = 20_000;

/** @throws the signal's reason */
export async function othersTurn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/**
 * The keys of rows, by key or by equal cells, for queries without a name. Queries about the same columns share a pass over
 * the rows. Of many keys only as many are kept as can be shown, and one that says that there are more.
 */
async function keysOf(
  { index: { layout }, rows }: ServedIndex,
  queries: readonly Query[],
  signal: AbortSignal,
) {
  const found = new Map<Query, readonly string[]>();
  for (const query of queries)
    if (query.id !== undefined) found.set(query, rows.has(query.id) ? [query.id] : []);
  const others = queries.filter(({ name, id }) => name === undefined && id === undefined);
  const columnsOf = ({ cells }: Query): string[] => Object.keys(cells).sort();
  for (const group of groupBy(others, (query) => JSON.stringify(columnsOf(query))).values()) {
    const columns = columnsOf(group[0]);
    const places = columns.map((column) => layout.columns.indexOf(column));
    if (columns.length === 0 || places.includes(-1)) continue;
    const keysByCells = new Map<string, string[]>();
    for (const query of group) {
      const cells = JSON.stringify(columns.map((column) => query.cells[column]));
      if (!keysByCells.has(cells)) keysByCells.set(cells, []);
      found.set(query, keysByCells.get(cells)!);
    }
    let read = 0;
    for (const [key, row] of rows) {
      const keys = keysByCells.get(JSON.stringify(places.map((at) => row[at])));
      if (keys !== undefined && keys.length <= mostCandidates) keys.push(key);
      if (++read % rowsInTurn === 0) await othersTurn(signal);
    }
  }
  return found;
}

/** Rows by their keys. */
function lookedUp({ name, served }: Reconciling, keys: readonly string[], limit: number): Candidate[] {
  return keys.slice(0, limit).map((key) => ({
    ...described(served, key, rowOf(served, key)!),
    ...{ score: 100, match: keys.length === 1, features: [], type: [rowType(name)] },
  }));
}

/** A row by its key and name, with its other cells as description. */
export function described(served: ServedIndex, key: string, cells: NamedRow) {
  const { keyColumn } = served.index.layout;
  const column = nameColumn(served.index);
  const others = Object.entries(cells).filter(([name, cell]) => ![column, keyColumn].includes(name) && cell);
  const description = others.map(([name, cell]) => `${name}: ${cell}`).join(", ");
  return { id: key, name: cells[column] || key, description };
}
