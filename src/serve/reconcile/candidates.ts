/** Look-ups in an index's rows: candidates for reconciliation queries, scored by all columns, suggestions, cells. */
import { setImmediate } from "node:timers/promises";
import { groupBy } from "../../by-key.js";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { type NamedRow, nearestRows } from "../../join/match-index.js";
import { conditionTest, parseCondition } from "../../search/where.js";
import { folded } from "../../text/accents.js";
import { isVisible } from "../../text/visible.js";
import type { Compare } from "../comparisons.js";
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
  /** What candidates must meet. */
  readonly where?: string;
}

/** Whether cells of the index's columns meet a condition. @throws ArgumentError that shows the place */
export const candidateTest = ({ served, where }: Reconciling): ((cells: readonly string[]) => boolean) =>
  where === undefined ? () => true : conditionTest(parseCondition(where, served.index.layout));

export function rowOf({ index, rows }: ServedIndex, key: string): NamedRow | undefined {
  const cells = rows.get(key);
  return cells && Object.fromEntries(index.layout.columns.map((column, at) => [column, cells[at]]));
}

/** The candidates of each query, best first. */
export async function candidatesOf(
  reconciling: Reconciling,
  queries: readonly Query[],
  compare: Compare,
  signal: AbortSignal,
): Promise<Candidate[][]> {
  const { name, served, encoder, where } = reconciling;
  const { columns } = served.index.layout;
  const column = nameColumn(served.index);
  // A blank name finds nothing, and a comparison refuses rows without any text.
  const named = queries.filter(({ name = "", id }) => isVisible(name) && id === undefined);
  const rows = named.map(({ name = "", cells }) => ({
    ...Object.fromEntries(Object.entries(cells).filter(([other]) => columns.includes(other))),
    [column]: name,
  }));
  const k = Math.max(leastCandidates, ...named.map(({ limit }) => limit));
  const settings = { k, where, ordinary: served.ordinary, signal };
  const near = rows.length > 0 ? await nearestRows(served.index, encoder, rows, settings) : undefined;
  const limits = named.map(({ limit }) => limit);
  const found = near && (await compare("reconcile", { near, limits }));
  const keys = await keysOf(reconciling, queries, signal);
  const type = [rowType(name)];
  return queries.map((query) => {
    const place = named.indexOf(query);
    if (place < 0) return lookedUp(reconciling, keys.get(query) ?? [], query.limit);
    return found![place].map(({ key, cells, ...scores }) => ({
      ...described(served, key, cells),
      ...scores,
      type,
    }));
  });
}

/** Rows that are read before other requests have their turn. */
const rowsInTurn = 20_000;

/** @throws the signal's reason */
async function othersTurn(signal: AbortSignal): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/**
 * The keys of rows, by key or by equal cells, for queries without a name. Queries about the same columns share a pass over
 * the rows. Of many keys only as many are kept as can be shown, and one that says that there are more.
 */
async function keysOf(reconciling: Reconciling, queries: readonly Query[], signal: AbortSignal) {
  const {
    index: { layout },
    rows,
  } = reconciling.served;
  const isCandidate = candidateTest(reconciling);
  const found = new Map<Query, readonly string[]>();
  for (const query of queries) {
    if (query.id === undefined) continue;
    const row = rows.get(query.id);
    found.set(query, row !== undefined && isCandidate(row) ? [query.id] : []);
  }
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
      if (keys !== undefined && keys.length <= mostCandidates && isCandidate(row)) keys.push(key);
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

const mostSuggested = 20;

/** Candidates whose name, or a word of it, starts with the prefix; first those whose name does. */
export async function suggestRows(asked: Reconciling, prefix: string, from: number, signal: AbortSignal) {
  const { served } = asked;
  const isCandidate = candidateTest(asked);
  const start = folded(prefix.trim());
  const inside = ` ${start}`;
  const found: [string[], string[]] = [[], []];
  let read = 0;
  for (const [key, cells] of served.rows) {
    const name = served.names[read++];
    const isFirst = name.startsWith(start) || key === prefix;
    if ((isFirst || name.includes(inside)) && isCandidate(cells)) found[isFirst ? 0 : 1].push(key);
    if (found[0].length >= from + mostSuggested) break;
    if (read % rowsInTurn === 0) await othersTurn(signal);
  }
  const keys = found.flat().slice(from, from + mostSuggested);
  return { result: keys.map((key) => described(served, key, rowOf(served, key)!)) };
}

/** Columns whose name starts with the prefix. */
export function suggestColumns({ index }: ServedIndex, prefix: string) {
  const names = index.layout.columns.filter((name) => folded(name).startsWith(folded(prefix.trim())));
  return { result: names.map((name) => ({ id: name, name })) };
}

/** The cells of rows: by key and column. Empty cells and unknown keys and columns give no values. */
export function cellsOf(served: ServedIndex, ids: readonly string[], names: readonly string[]) {
  const places = names.map((name) => served.index.layout.columns.indexOf(name));
  return ids.map((id) => {
    const cells = places.map((place) => served.rows.get(id)?.[place]);
    const properties = names.map((name, at) => ({ id: name, values: cells[at] ? [{ str: cells[at] }] : [] }));
    return { id, properties };
  });
}
