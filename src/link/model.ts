/** What a store knows when a run begins: the settings that stay, what the last learning found, and the next numbers. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import type { Sharing } from "../files/shards/shard.js";
import { likeArray } from "../like-array.js";
import type { TableColumns } from "../match/columns/align.js";
import { coordinatesOf } from "../match/columns/coordinates.js";
import type { ColumnOptions, DroppedColumn } from "../match/columns/fields.js";
import type { KnownPair } from "../match/compare-tables.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import { oppositionLevels } from "../match/evidence/across-columns.js";
import { degreeLevels } from "../match/evidence/levels.js";
import { type EvidenceColumn, opposedColumn } from "../match/evidence/pair-evidence.js";
import type { ColumnReport } from "../match/explain.js";
import type { BoundedOptions } from "../match/memory/memory-plan.js";
import type { LearnedRows } from "../match/rescore.js";
import { CellFile } from "../table/read/cell-file.js";
import type { LinkedRow } from "./reconcile.js";
import type { Store } from "./store.js";

/** Fixed by the first run. */
export interface StoreSettings extends ColumnOptions {
  /** The compared columns: every table needs them. */
  readonly columns: readonly string[];
  /** Undefined: rows are compared without a model. */
  readonly model?: { readonly fingerprint: string; readonly name: string };
}

export interface RunOptions extends BoundedOptions {
  readonly settings: StoreSettings;
  readonly encoder: () => Promise<PhraseEncoder | "none">;
  /** Default: what the store has; 0.9 in a new store. */
  readonly precision?: number;
  readonly likely?: "report" | "accept";
  /** Default "when-grown": by half since it last did. */
  readonly learn?: "when-grown" | "again" | "never";
  /** A review file or labels to apply from now on, and a file for doubtful pairs to judge. Both lead to learning again. */
  readonly review?: string;
  readonly reviewOutput?: string;
  /** Compares one shard of the store's rows and ends, or takes what all shards found. */
  readonly sharing?: Sharing;
  readonly signal?: AbortSignal;
}

/** What one learning found; it holds until the next. */
export interface StoreModel {
  /** Undefined where one column of phrases is compared: every run with new rows then compares all. */
  readonly learned?: LearnedRows;
  /** The least mean log-odds of groups that are one entity; null: only rows that are equal in all compared columns are. */
  readonly least: number | null;
  /** Whether likely groups are accepted where the promise is refused. */
  readonly likely: "report" | "accept";
  /** Rows that were learned from. */
  readonly rows: number;
  readonly precision: PrecisionReport;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
}

export const modelText = (model: StoreModel): string =>
  JSON.stringify(model, (_, value) => (value instanceof Float64Array ? [...value] : value));

/** Undefined for a model of a version of pearl that compared other things: the next run learns again. */
function parseModel(text: string): StoreModel | undefined {
  const model = JSON.parse(text) as StoreModel;
  if (model.learned === undefined) return model;
  const { weights, evidence, fields } = model.learned;
  const places = Object.values(coordinatesOf(fields) ?? {});
  const isOther = ({ name, field, levels, unit }: EvidenceColumn): boolean =>
    unit === undefined ||
    (name === opposedColumn && levels !== oppositionLevels) ||
    (places.includes(fields[field]) && levels !== degreeLevels);
  const { match, related, near } = weights;
  if (evidence.some(isOther) || (near !== undefined && near.siblings === undefined)) return undefined;
  const columns = (values: readonly Iterable<number>[]) => values.map((column) => Float64Array.from(column));
  const whole = {
    ...{ ...weights, match: columns(match), related: columns(related) },
    near: near && {
      ...near,
      kinds: Float64Array.from(near.kinds),
      ...{ shared: columns(near.shared), differing: columns(near.differing) },
      siblings: columns(near.siblings),
    },
  };
  return { ...model, learned: { ...model.learned, weights: whole } };
}

/** A store as a run finds it. */
export interface StoreState {
  /** Undefined where no run is left. */
  readonly settings?: StoreSettings;
  readonly model?: StoreModel;
  /** Number of the next run, row and entity. */
  readonly run: number;
  readonly nextRow: number;
  readonly nextEntity: number;
  /** Current rows, entities, and pairs of rows within these. */
  readonly rows: number;
  readonly entities: number;
  readonly pairs: number;
}

export async function readState(store: Store): Promise<StoreState> {
  const [{ settings, model, ...numbers }] = await store.query<
    Omit<StoreState, "settings" | "model"> & Record<"settings" | "model", string | null>
  >(
    `SELECT coalesce(max(run), 0) + 1 AS run, coalesce(max(next_entity), 1) AS nextEntity,
       (SELECT coalesce(max("row"), 0) + 1 FROM "row") AS nextRow,
       (SELECT count(*)::INTEGER FROM "row" WHERE until IS NULL) AS rows, 
       (SELECT settings FROM meta WHERE EXISTS (SELECT 1 FROM run WHERE undone IS NULL)) AS settings,
       (SELECT model FROM learned ORDER BY run DESC LIMIT 1) AS model,
       coalesce(max_by(entities, run) FILTER (undone IS NULL), 0) AS entities,
       coalesce(max_by(pairs, run) FILTER (undone IS NULL), 0) AS pairs FROM run`,
  );
  return {
    ...numbers,
    settings: settings === null ? undefined : JSON.parse(settings),
    model: model === null ? undefined : parseModel(model),
  };
}

/** Current rows of the store by number, with their compared cells. @param where a condition for some of them */
export async function readLinked(store: Store, run: number, where = "true") {
  const found = await store.query<LinkedRow & { readonly cells: string }>(linkedRows(run, where, ", cells"));
  return {
    rows: found as readonly LinkedRow[],
    cells: found.map((line): string[] => JSON.parse(line.cells)),
  };
}

/** All current rows of the store, and the columns of their compared cells: with a folder, the cells lie there in a file. */
export async function readAllLinked(store: Store, run: number, names: readonly string[], folder?: string) {
  if (folder === undefined) {
    const { rows, cells } = await readLinked(store, run);
    return { rows, table: columnsOf(names, cells) };
  }
  const [numbers, entities, same] = await store.columns<[number, number, boolean]>(
    linkedRows(run, "true", ""),
  );
  const [row, entity] = [Int32Array.from(numbers), Int32Array.from(entities)];
  const isSame = Uint8Array.from(same, Number);
  const rows = likeArray(row.length, (place): LinkedRow => {
    return { row: row[place], entity: entity[place], isSame: isSame[place] === 1 };
  });
  const file = new CellFile(folder);
  const table: Record<string, readonly string[]> = Object.create(null);
  for (const [column, name] of names.entries()) {
    const values = store.values(
      `SELECT cells ->> '$[${column}]' FROM "row" WHERE until IS NULL ORDER BY "row"`,
    );
    table[name] = await file.column(values, rows.length);
  }
  return { rows, table };
}

const linkedRows = (run: number, where: string, cells: string): string =>
  `SELECT r."row", coalesce(entity, 0) AS entity, r.run < ${run} AS isSame${cells} FROM "row" r
   LEFT JOIN assignment a ON r."row" = a."row" AND a.until IS NULL
   WHERE r.until IS NULL AND ${where} ORDER BY r."row"`;

/** The judged pairs, by rows of the store, the lesser one first. Of the decisions on a pair the last one counts. */
export const readJudged = (store: Store): Promise<KnownPair[]> =>
  store.query(
    `SELECT least(a, b) AS "left", greatest(a, b) AS "right", match = 1 AS match FROM judged
     QUALIFY row_number() OVER (PARTITION BY least(a, b), greatest(a, b) ORDER BY run DESC) = 1 ORDER BY run, a, b`,
  );

/** The columns of rows as tables hold them. */
export const columnsOf = (names: readonly string[], rows: readonly (readonly string[])[]): TableColumns =>
  Object.fromEntries(names.map((name, column) => [name, rows.map((cells) => cells[column])]));
