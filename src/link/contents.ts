/** Reads and writes what a store holds: rows, their entities, their terms, and what was learned. */
import { type LearnedRows, readRows } from "../match/rescore.js";
import { parseModel, type StoreModel, type StoreSettings } from "./model.js";
import type { Store } from "./store.js";
import { allTerms, type StoredTerms } from "./terms.js";

/** A store as a run finds it. */
export interface StoreState {
  readonly settings?: StoreSettings;
  readonly model?: StoreModel;
  /** Number of the next run, row and entity. */
  readonly run: number;
  readonly nextRow: number;
  readonly nextEntity: number;
  /** Current rows. */
  readonly rows: number;
}

export async function readState(store: Store): Promise<StoreState> {
  if (store.isNew) return { run: 1, nextRow: 1, nextEntity: 1, rows: 0 };
  const [[settings]] = await store.query("SELECT settings FROM meta");
  const [[run, nextEntity]] = await store.query("SELECT max(run) + 1, max(next_entity) FROM run");
  const [[nextRow, rows]] = await store.query(
    'SELECT coalesce(max("row"), 0) + 1, count(*)::INTEGER FROM "row" WHERE until IS NULL',
  );
  const [learned] = await store.query("SELECT model FROM learned ORDER BY run DESC LIMIT 1");
  return {
    settings: JSON.parse(String(settings)),
    model: learned && parseModel(String(learned[0])),
    ...{ run: Number(run), nextRow: Number(nextRow), nextEntity: Number(nextEntity), rows: Number(rows) },
  };
}

/** The entity of each row, 0 where there is none. */
export async function readEntities(store: Store, nextRow: number): Promise<Int32Array> {
  const entities = new Int32Array(nextRow);
  if (store.isNew) return entities;
  const found = await store.query('SELECT "row", entity FROM assignment WHERE until IS NULL');
  for (const [row, entity] of found) entities[Number(row)] = Number(entity);
  return entities;
}

/** The compared cells of some rows, or of all, by row. */
export async function readCells(store: Store, rows?: Iterable<number>): Promise<Map<number, string[]>> {
  const chosen = rows === undefined ? "" : `AND "row" IN (${[...rows, 0].join(",")})`;
  const found = await store.query(
    `SELECT "row", cells FROM "row" WHERE until IS NULL ${chosen} ORDER BY "row"`,
  );
  return new Map(found.map(([row, cells]) => [Number(row), JSON.parse(String(cells))]));
}

/** The columns of some rows as tables hold them. */
export const columnsOf = (
  names: readonly string[],
  rows: readonly (readonly string[])[],
): Record<string, string[]> =>
  Object.fromEntries(names.map((name, column) => [name, rows.map((cells) => cells[column])]));

/** Stores the terms of rows. */
export async function writeTerms(
  store: Store,
  run: number,
  rows: ReadonlyMap<number, readonly string[]>,
  { learned, names }: { readonly learned: LearnedRows; readonly names: readonly string[] },
): Promise<void> {
  const { starts, items } = allTerms(readRows(columnsOf(names, [...rows.values()]), learned));
  const bytes = new Uint8Array(items.buffer, items.byteOffset, items.byteLength);
  const lines = Array.from(rows.keys(), (row, place): [number, Uint8Array] => {
    return [row, bytes.subarray(4 * starts[place], 4 * starts[place + 1])];
  });
  await store.put("term", run, lines);
}

/** The terms of all current rows. */
export async function readTerms(store: Store): Promise<StoredTerms> {
  const lines = await store.query('SELECT "row", terms FROM term WHERE until IS NULL ORDER BY "row"');
  const parts = lines.map(([, terms]) => (terms as { readonly bytes: Uint8Array }).bytes);
  const starts = new Uint32Array(lines.length + 1);
  parts.forEach((part, place) => {
    starts[place + 1] = starts[place] + part.length / 4;
  });
  // Copied into one array: numbers of 32 bits need an aligned place in memory.
  const items = new Uint32Array(starts[lines.length]);
  const bytes = new Uint8Array(items.buffer);
  parts.forEach((part, place) => {
    bytes.set(part, 4 * starts[place]);
  });
  return { rows: Int32Array.from(lines, ([row]) => Number(row)), terms: { starts, items } };
}

/** For some rows, the first other row of the store with equal cells. */
export async function equalRow(store: Store, rows: Iterable<number>): Promise<Map<number, number>> {
  const found = await store.query(
    `SELECT a."row", min(b."row") FROM "row" a JOIN "row" b ON a.hash = b.hash AND a."row" <> b."row"
     WHERE a.until IS NULL AND b.until IS NULL AND a."row" IN (${[...rows].join(",")}) GROUP BY 1`,
  );
  return new Map(found.map(([row, other]) => [Number(row), Number(other)]));
}
