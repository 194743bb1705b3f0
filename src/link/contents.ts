/** Reads and writes what a store holds: rows, their entities, their terms, and what was learned. */
import type { Lists } from "../match/columns/vocabulary.js";
import { type LearnedRows, readRows } from "../match/rescore.js";
import type { IncomingRow } from "./identify.js";
import { parseModel, type StoreModel, type StoreSettings } from "./model.js";
import type { Store } from "./store.js";
import { allTerms, type Postings } from "./terms.js";

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

/** Adds rows; earlier cells of the same rows are replaced. */
export async function writeRows(
  store: Store,
  run: number,
  rows: readonly { readonly row: number; readonly incoming: IncomingRow }[],
): Promise<void> {
  await replace(
    store,
    "row",
    run,
    rows.map(({ row }) => row),
  );
  await store.append(
    "row",
    rows.map(({ row, incoming: { source, key, hash, occurrence, place, cells } }) => {
      return [run, null, row, source, key, hash, occurrence, place + 1, JSON.stringify(cells)];
    }),
  );
}

export async function writeEntities(
  store: Store,
  run: number,
  rows: readonly { readonly row: number; readonly entity: number }[],
): Promise<void> {
  await replace(
    store,
    "assignment",
    run,
    rows.map(({ row }) => row),
  );
  await store.append(
    "assignment",
    rows.map(({ row, entity }) => [run, null, row, entity]),
  );
}

async function replace(
  store: Store,
  table: "row" | "assignment",
  run: number,
  rows: readonly number[],
): Promise<void> {
  if (run === 1 || rows.length === 0) return;
  await store.query(
    `UPDATE "${table}" SET until = ${run} WHERE until IS NULL AND "row" IN (${rows.join(",")})`,
  );
}

/** Rows of one line of the table of terms. */
const perLine = 65_536;

/** Stores the terms of rows. */
export async function writePostings(
  store: Store,
  run: number,
  rows: ReadonlyMap<number, readonly string[]>,
  { learned, names }: { readonly learned: LearnedRows; readonly names: readonly string[] },
): Promise<void> {
  const numbers = [...rows.keys()];
  for (let from = 0; from < numbers.length; from += perLine) {
    const part = Int32Array.from(numbers.slice(from, from + perLine));
    const terms = allTerms(
      readRows(
        columnsOf(
          names,
          Array.from(part, (row) => rows.get(row)!),
        ),
        learned,
      ),
    );
    await store.append("posting", [[run, null, bytes(part), bytes(terms.starts), bytes(terms.items)]]);
  }
}

const bytes = ({ buffer, byteOffset, byteLength }: Int32Array | Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The terms of all current rows. */
export async function readPostings(store: Store): Promise<Postings[]> {
  const lines = await store.query(
    "SELECT run, rows, starts, terms FROM posting WHERE until IS NULL ORDER BY run",
  );
  // Rows that changed are in two lines: the one of their last change counts.
  const changed = await store.query(
    'SELECT "row", max(run) FROM "row" WHERE "row" IN (SELECT "row" FROM "row" WHERE until IS NOT NULL) GROUP BY 1',
  );
  const since = new Map(changed.map(([row, run]) => [Number(row), Number(run)]));
  return lines.map(([run, ...blobs]) => {
    const [rows, starts, items] = blobs.map((blob) => words(blob as { readonly bytes: Uint8Array }));
    const part = { rows: new Int32Array(rows.buffer), terms: { starts, items } };
    return since.size === 0 ? part : withoutStale(part, (row) => (since.get(row) ?? 0) > Number(run));
  });
}

/** A copy, since numbers of 32 bits need an aligned place in memory. */
const words = ({ bytes: found }: { readonly bytes: Uint8Array }): Uint32Array =>
  new Uint32Array(Uint8Array.from(found).buffer);

function withoutStale(
  { rows, terms: { starts, items } }: Postings,
  isStale: (row: number) => boolean,
): Postings {
  const kept = [...rows.keys()].filter((place) => !isStale(rows[place]));
  if (kept.length === rows.length) return { rows, terms: { starts, items } };
  const lists: Lists = { starts: new Uint32Array(kept.length + 1), items: new Uint32Array(items.length) };
  kept.forEach((place, index) => {
    const own = items.subarray(starts[place], starts[place + 1]);
    lists.items.set(own, lists.starts[index]);
    lists.starts[index + 1] = lists.starts[index] + own.length;
  });
  const used = lists.items.subarray(0, lists.starts[kept.length]);
  return {
    rows: Int32Array.from(kept, (place) => rows[place]),
    terms: { starts: lists.starts, items: used },
  };
}

/** For some rows, the first other row of the store with equal cells. */
export async function equalRow(store: Store, rows: Iterable<number>): Promise<Map<number, number>> {
  const found = await store.query(
    `SELECT a."row", min(b."row") FROM "row" a JOIN "row" b ON a.hash = b.hash AND a."row" <> b."row"
     WHERE a.until IS NULL AND b.until IS NULL AND a."row" IN (${[...rows].join(",")}) GROUP BY 1`,
  );
  return new Map(found.map(([row, other]) => [Number(row), Number(other)]));
}
