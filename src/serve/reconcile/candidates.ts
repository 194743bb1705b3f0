/** Candidates for reconciliation queries: rows of an index, scored by all columns. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { type IndexMatches, matchIndex, type NamedRow } from "../../join/match-index.js";
import { sigmoid } from "../../match/weights/logistic.js";
import type { ServedIndex } from "../service.js";
import type { Candidate, Query } from "./schemas.js";

/** Every row has this type: an index is one kind of thing. */
export const rowType = (name: string) => ({ id: "row", name });

/** Candidates looked at, however few are asked for: scores depend on the alternatives. */
const leastCandidates = 20;

export interface Reconciling {
  readonly name: string;
  readonly served: ServedIndex;
  readonly encoder: PhraseEncoder;
}

/** The column that names a row. */
export const nameColumn = ({ index: { layout } }: ServedIndex): string =>
  layout.phraseColumn ?? layout.columns[0];

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
  const column = nameColumn(served);
  const named = queries.filter(({ name, id }) => name !== undefined && id === undefined);
  const rows = named.map(({ name = "", cells }) => ({
    ...Object.fromEntries(Object.entries(cells).filter(([other]) => columns.includes(other))),
    [column]: name,
  }));
  const k = Math.max(leastCandidates, ...named.map(({ limit }) => limit));
  const settings = { k, ordinary: served.ordinary, signal };
  const found = rows.length > 0 ? await matchIndex(served.index, encoder, rows, settings) : undefined;
  return queries.map((query) => {
    const place = named.indexOf(query);
    const candidates = place < 0 ? lookedUp(reconciling, query) : scored(reconciling, found!, place);
    return candidates.slice(0, query.limit);
  });
}

/** The nearest rows of a query, scored by the evidence of all columns. */
function scored({ name, served }: Reconciling, found: IndexMatches, right: number): Candidate[] {
  const accepted = found.matches.find((pair) => pair.right === right);
  const explained = found.nearest[right].map((hit) => ({ hit, ...evidenceOf(found, hit.place, right) }));
  const equal = explained.filter(({ isEqual }) => isEqual);
  const candidates = explained.map(({ hit, probability, features, isEqual }): Candidate => {
    const isAccepted = accepted?.left === hit.place;
    const likely = isAccepted ? accepted.probability : probability;
    return {
      ...described(served, hit.key, hit.cells),
      score: Number((100 * likely).toFixed(2)),
      // Few rows promise no precision; then only the one row that is equal in all columns is certain.
      match: (isAccepted && found.promise.established) || (isEqual && equal.length === 1),
      features: [...features, feature("similarity", hit.score), feature("probability", likely)],
      type: [rowType(name)],
    };
  });
  const rank = ({ match, score }: Candidate): number => score + (match ? 100 : 0);
  return candidates.sort((a, b) => rank(b) - rank(a));
}

function evidenceOf({ explain }: IndexMatches, left: number, right: number) {
  const { prior, columns } = explain(left, right);
  const filled = columns.filter(({ level, isEqual }) => level >= 0 && isEqual !== undefined);
  return {
    probability: sigmoid(columns.reduce((sum, { logOdds }) => sum + logOdds, prior)),
    features: columns.map(({ name, logOdds }) => feature(name, logOdds)),
    isEqual: filled.length > 0 && filled.every(({ isEqual }) => isEqual),
  };
}

const feature = (name: string, value: number) => ({ id: name, name, value: Number(value.toFixed(4)) });

/** Rows by key or by equal cells, for queries without a name. */
function lookedUp({ name, served }: Reconciling, { id, cells }: Query): Candidate[] {
  const { columns } = served.index.layout;
  const wanted = Object.entries(cells).map(([column, text]) => [columns.indexOf(column), text] as const);
  const isFound = (row: readonly string[]): boolean =>
    wanted.length > 0 && wanted.every(([at, text]) => row[at] === text);
  const keys =
    id === undefined
      ? [...served.rows].filter(([, row]) => isFound(row)).map(([key]) => key)
      : [id].filter((key) => served.rows.has(key));
  return keys.map((key) => ({
    ...described(served, key, rowOf(served, key)!),
    ...{ score: 100, match: keys.length === 1, features: [], type: [rowType(name)] },
  }));
}

/** A row by its key and name, with its other cells as description. */
export function described(served: ServedIndex, key: string, cells: NamedRow) {
  const { keyColumn } = served.index.layout;
  const column = nameColumn(served);
  const others = Object.entries(cells).filter(([name, cell]) => ![column, keyColumn].includes(name) && cell);
  const description = others.map(([name, cell]) => `${name}: ${cell}`).join(", ");
  return { id: key, name: cells[column] || key, description };
}
