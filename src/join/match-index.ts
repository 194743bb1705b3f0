/** Matches a few rows with an index: the nearest by phrase are joined with them, as two tables are. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import type { TableColumns } from "../match/columns/align.js";
import { cellsOfColumn, pairText, partsOfColumn, readPair } from "../match/columns/column-names.js";
import { ownValue } from "../match/columns/fields.js";
import type { IndexEntry, SearchHit } from "../search/index-types.js";
import { searchPhrases } from "../search/phrase-search.js";
import type { VectorIndex } from "../search/vector-index.js";
import { type Joined, type JoinRowsOptions, joinRows } from "./roads.js";

/** A row as cells by column; absent cells are empty. */
export type NamedRow = Readonly<Record<string, string>>;

export interface NearestOptions extends Pick<JoinRowsOptions, "on" | "signal"> {
  /** Candidates per row. Default 20. */
  readonly k?: number;
  /** What candidates must meet, as `city = 'Ulm'`. */
  readonly where?: string;
  /** Rows of the index that are compared besides: they show how often unrelated rows agree. Default none. */
  readonly ordinary?: readonly IndexEntry[];
}

/** Rows with their nearest rows of an index: plain data, which another thread may compare. */
export interface NearestRows {
  readonly rows: readonly NamedRow[];
  /** Rows of the index that are compared as if they were given too. */
  readonly companions: readonly NamedRow[];
  /** Rows that were asked for by phrase, for each given row; fewer where the index has fewer. */
  readonly k: number;
  /** Columns of the index. */
  readonly header: readonly string[];
  readonly candidates: readonly NamedRow[];
  /** By given row: its nearest rows by phrase, best first, each with its place among the candidates. */
  readonly nearest: readonly (readonly (SearchHit & { readonly place: number })[])[];
}

/** What was found: the left table is `candidates`, the right one the given rows. */
export type IndexMatches = Joined & NearestRows;

export type MatchNearestOptions = Omit<JoinRowsOptions, "encoder"> & { readonly encoder: PhraseEncoder };

/** @throws ArgumentError where the rows lack the index's phrases */
export async function nearestRows(
  index: VectorIndex,
  encoder: PhraseEncoder,
  rows: readonly NamedRow[],
  { k = 20, where, ordinary = [], on, signal }: NearestOptions = {},
): Promise<NearestRows> {
  const given = columnsOf(rows);
  const phrases = cellsOfColumn(given, phraseColumnOf(index, given, on));
  const found = await searchPhrases(index, encoder, phrases, { k, where, signal });
  const places = new Map<string, number>();
  const candidates: NamedRow[] = [];
  const nearest = found.map((hits) =>
    hits.map((hit) => {
      const place = places.get(hit.key) ?? candidates.push(hit.cells) - 1;
      places.set(hit.key, place);
      return { ...hit, place };
    }),
  );
  const { columns: header } = index.layout;
  for (const { key, cells } of ordinary)
    if (!places.has(key)) candidates.push(Object.fromEntries(header.map((name, at) => [name, cells[at]])));
  const companions = companionsOf(index, given, ordinary, on).slice(rows.length);
  return { rows, companions, k, header, candidates, nearest };
}

/** By default, each given row has at most one match. */
export async function matchNearest(found: NearestRows, options: MatchNearestOptions): Promise<IndexMatches> {
  const { rows, companions } = found;
  const tables = [columnsOf(found.candidates, found.header), columnsOf([...rows, ...companions])] as const;
  const joined = await joinRows(...tables, { kind: "many-to-one", ...options });
  if (companions.length === 0) return { ...joined, ...found };
  const { findings } = joined;
  const matches = joined.matches.filter(
    ({ right, probability }) => right < rows.length && probability >= evenOdds,
  );
  const reason = `a precision is estimated from ${leastRows} rows or more`;
  const promise = { ...findings.promise, established: false, reason };
  return { ...joined, matches, findings: { ...findings, promise }, ...found };
}

const evenOdds = 0.5;
/**
 * With fewer given rows, rows of the index are compared as if they were given too: a few rows do not show how rows that are the
 * same agree, and what contradicts them.
 */
const leastRows = 30;

/** Rows of an index with the columns of the given ones; none where one column is compared alone. */
function companionsOf(
  { layout: { columns, phraseColumn = "" } }: VectorIndex,
  given: TableColumns,
  ordinary: readonly IndexEntry[],
  on: readonly string[] = Object.keys(given),
): NamedRow[] {
  const nameInIndex = new Map(askedPairs(columns, given, on).map(([name, other]) => [other, name]));
  const places = Object.keys(given).map((name) => columns.indexOf(nameInIndex.get(name) ?? name));
  if (on.length === 1 || !places.includes(columns.indexOf(phraseColumn))) return [];
  return ordinary
    .slice(0, leastRows)
    .map(({ cells }) =>
      Object.fromEntries(Object.keys(given).map((name, at) => [name, cells[places[at]] ?? ""])),
    );
}

/** The column of the given rows that holds phrases, as the index's phrase column does. */
function phraseColumnOf({ layout }: VectorIndex, rows: TableColumns, on: readonly string[] = []) {
  const names = Object.keys(rows);
  const { phraseColumn = "" } = layout;
  const named =
    askedPairs(layout.columns, rows, on).find(([left]) => left === phraseColumn)?.[1] ?? phraseColumn;
  if (partsOfColumn(rows, named).length > 0) return named;
  if (names.length === 1) return names[0];
  throw new ArgumentError(
    `The rows have no column ${named}, which the index finds rows by; they have ${names.join(", ") || "none"}. ` +
      `Rename one, or name it in "on": "${pairText(phraseColumn, "COLUMN")}".`,
  );
}

/** The columns of the index and of the given rows that `on` names. */
const askedPairs = (header: readonly string[], rows: TableColumns, on: readonly string[]) =>
  on.map((text) =>
    readPair(
      text,
      (name) => header.includes(name),
      (name) => partsOfColumn(rows, name).length > 0,
    ),
  );

/** Rows as columns of text. */
export function columnsOf(rows: readonly NamedRow[], names?: readonly string[]): TableColumns {
  const all = names ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return Object.fromEntries(all.map((name) => [name, rows.map((row) => ownValue(row, name) ?? "")]));
}
