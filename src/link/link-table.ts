/** Links a table file to the entities of a store, and writes its rows with their entities. */
import { copyFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError, StoreError } from "../errors.js";
import { inTemporaryFolder } from "../files/object-storage/temporary-folder.js";
import { endsEarly, endWithNothing } from "../files/shards/shard.js";
import { exists } from "../files/whole-file.js";
import { addedColumns, checkNames, namedColumns } from "../group/tables/group-files.js";
import {
  type AlignedNames,
  alignColumns,
  alignHeaders,
  type ColumnNames,
  type TableColumns,
} from "../match/columns/align.js";
import { type ColumnOptions, type DroppedColumn, planColumns } from "../match/columns/fields.js";
import { Growing } from "../match/columns/lists.js";
import { TextNumbers } from "../match/columns/texts.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import type { ColumnReport } from "../match/explain.js";
import { nothingToCompare } from "../match/matches.js";
import { type BoundedOptions, boundedReading } from "../match/memory/memory-plan.js";
import { once } from "../match/once.js";
import { refuseAnswered, writeReview } from "../match/review/review-file.js";
import type { Cell } from "../table/cell.js";
import { findColumn } from "../table/columns.js";
import { type RowsFormat, stemOf } from "../table/format.js";
import type { TableOptions } from "../table/table.js";
import { batchesOf, noteEmpty, readAllColumns, type WholeTable } from "../table/whole-table.js";
import { refuseAsStore, stateOf } from "../table/write/output-names.js";
import { writeRows } from "../table/write/text-rows.js";
import { isVisible } from "../text/visible.js";
import { likelyColumns, likelyLines } from "./grouping.js";
import { type RunOptions, readAllLinked, readState, type StoreSettings, type StoreState } from "./model.js";
import { linkRows, type RunCounts } from "./run.js";
import { type Store, withStore } from "./store.js";

/** Options of {@link linkTable}. */
export interface LinkOptions
  extends ColumnOptions,
    BoundedOptions,
    Pick<RunOptions, "learn" | "likely" | "review" | "reviewOutput" | "sharing" | "signal"> {
  /** The promised precision of the pairs of rows within entities. Default: the store's; 0.9 for a new one. */
  readonly precision?: number;
  /** A column whose cells identify rows: a row whose other cells change stays the same row. */
  readonly key?: string;
  /** Keys identify rows within a source. Default: the source of the store's keys; of none or several, the name of the file. */
  readonly source?: string;
  /** A function is called if rows are compared. Default: the embedded model. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none" | (() => Promise<PhraseEncoder>);
  /** The table's rows with `entity` in front: .csv, .tsv, .jsonl, .parquet, .xlsx, or "-"; nothing is written by default. */
  readonly output?: string;
  readonly format?: RowsFormat;
  /** Where all likely pairs of the store are written if the promise is refused; nothing is written by default. */
  readonly likelyOutput?: string;
  readonly table?: TableOptions;
}

/** What {@link linkTable} did. Entities are named E1, E2 and so on, in the order in which they came to be. */
export interface LinkReport extends RunCounts, PrecisionReport {
  readonly rows: number;
  /** Rows that its weights were learned from. */
  readonly learnedFrom: number;
  /** What is linked: rows at an established precision, likely rows on demand, or equal rows only. */
  readonly linked: "established" | "likely" | "equal";
  /** Rows of the store that are likely the same as one of another entity and are not linked, as the promise was refused. */
  readonly likely: number;
  /** Pairs written to `reviewOutput`. */
  readonly reviewed?: number;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
}

/**
 * Gives each row of a table the stable name of its entity. Rows that the store knows keep theirs, new rows join the entity
 * they belong to or begin one. The store is a file, made by the first run; a run that fails leaves it as it was. Outputs are
 * written from a store that is up to date: where only this fails, running again writes them.
 *
 * @throws TableError, StoreError, ArgumentError
 */
export async function linkTable(
  path: string,
  storePath: string,
  given: LinkOptions = {},
): Promise<LinkReport> {
  const outputs = [given.output, given.reviewOutput, given.likelyOutput];
  checkNames([path, given.review], outputs, given.format);
  refuseAsStore(storePath, [path, ...outputs]);
  await refuseAnswered(given.reviewOutput);
  given.signal?.throwIfAborted();
  const table = await readAllColumns(path, await boundedReading(given.table, given), given.onNote);
  noteEmpty(table, given.onNote);
  const { columns } = table.description;
  const key = given.key === undefined ? undefined : columns[findColumn(path, columns, given.key)];
  const options: LinkOptions = { ...given, key };
  const withOwn = <Result>(work: (place: string) => Promise<Result>): Promise<Result> =>
    endsEarly(options.sharing) ? withCopy(storePath, work) : work(storePath);
  // What is compared shows in the first rows: without any, no store is made.
  if (table.phrases.length === 0 && !(await withOwn(hasRuns))) return linkNothing(path, table, options);
  let own: PhraseEncoder | undefined;
  const load = async (): Promise<PhraseEncoder> => {
    const encoder = await import("../encoder/phrase-encoder.js");
    own = await encoder.PhraseEncoder.load();
    return own;
  };
  const { encoder: chosen = load } = options;
  const encoder = once(async () => (typeof chosen === "function" ? chosen() : chosen));
  try {
    const link = (store: Store) => linkInto(store, path, table, { ...options, encoder });
    return await withOwn((place) => withStore(place, "any", link, options.memory));
  } finally {
    await own?.dispose();
  }
}

/** Lets shards use a store at the same time, each a copy: one process alone can open a store. */
const withCopy = <Result>(path: string, work: (copy: string) => Promise<Result>): Promise<Result> =>
  inTemporaryFolder(async (folder) => {
    const copy = join(folder, basename(path));
    // A killed run leaves what it has written last beside the store.
    for (const ending of ["", ".wal"])
      if (await exists(path + ending)) await copyFile(path + ending, copy + ending);
    return work(copy);
  });

type LoadingOptions = Omit<LinkOptions, "encoder"> & {
  readonly encoder: () => Promise<PhraseEncoder | "none">;
};

async function linkInto(
  store: Store,
  path: string,
  table: WholeTable,
  options: LoadingOptions,
): Promise<LinkReport> {
  const { result, likely } = await store.transaction(async () => {
    const state = await readState(store);
    const settings = state.settings ?? (await newSettings(path, table, options));
    const compared =
      state.settings === undefined
        ? settings.columns
        : await comparedColumns(store, { ...state, settings }, { path, table, options });
    const keys = options.key === undefined ? undefined : checkedKeys(path, table.columns[options.key]);
    const others = table.description.columns.filter((name) => !compared.includes(name));
    const incoming = {
      ...{ source: options.source, name: stemOf(path), keys, rows: table.phrases.length },
      cellsOf: (row: number) => compared.map((name) => table.columns[name][row]),
      restOf: (row: number) => Object.fromEntries(others.map((name) => [name, table.columns[name][row]])),
    };
    const encoder = checkedEncoder(store, settings, options);
    const result = await linkRows(store, state, incoming, { ...options, settings, encoder });
    return { result, likely: await likelyLines(store) };
  });
  const { counts, model, writeReview } = result;
  await writeLinked(table, counts.entityOf, likely, options);
  const reviewed = options.reviewOutput && (await writeReview?.(options.reviewOutput, table.description));
  const { precision, columns, dropped } = model;
  const linked = precision.promise.established ? "established" : model.least === null ? "equal" : "likely";
  return {
    ...{ ...counts, ...precision, columns, dropped },
    ...{ rows: table.phrases.length, learnedFrom: model.rows, linked },
    ...{ likely: likely.length, ...(typeof reviewed === "number" && { reviewed }) },
  };
}

const hasRuns = async (storePath: string): Promise<boolean> =>
  (await exists(storePath)) &&
  withStore(storePath, "existing", async (store) => {
    return !store.isNew && (await readState(store)).settings !== undefined;
  });

/** Writes what a first link of no rows gives. */
async function linkNothing(path: string, table: WholeTable, options: LinkOptions): Promise<LinkReport> {
  const { key, precision, reviewOutput, sharing } = options;
  if (key !== undefined) checkedKeys(path, table.columns[key]);
  const { dropped } = planColumns(table.columns, undefined, namedColumns(table, options));
  endWithNothing(sharing);
  await writeLinked(table, [], [], options);
  const reviewed =
    reviewOutput && (await writeReview(reviewOutput, { left: table.columns }, [], table.description));
  return {
    ...{ ...nothingToCompare(precision), columns: [], dropped, linked: "established", entityOf: [] },
    ...{ rows: 0, learnedFrom: 0, known: 0, added: 0, changed: 0, renewed: 0 },
    ...{ created: 0, merged: 0, split: 0, run: 0, entitiesBefore: 0, entitiesAfter: 0 },
    ...{ matches: 0, likely: 0, hasLearned: false },
    ...(typeof reviewed === "number" && { reviewed }),
  };
}

async function newSettings(path: string, table: WholeTable, options: LoadingOptions): Promise<StoreSettings> {
  const { on, ignore, kindOf } = namedColumns(table, options);
  const left = [...(ignore ?? []), ...(options.key === undefined ? [] : [options.key])];
  const { pairs, dropped } = planColumns(table.columns, undefined, { on, ignore: left, kindOf });
  if (pairs.length === 0) {
    const reasons = dropped.map(({ name, reason }) => `${name} (${reason})`).join(", ");
    throw new ArgumentError(
      `${path}: no column can be compared. Left out: ${reasons}. Name columns with --on.`,
    );
  }
  const model = await modelOf(await options.encoder());
  return { columns: pairs.map(([name]) => name).sort(), on, ignore, kindOf, model };
}

const modelOf = async (encoder: PhraseEncoder | "none"): Promise<StoreSettings["model"]> =>
  encoder === "none" ? undefined : { fingerprint: await encoder.fingerprint(), name: encoder.model.name };

interface Incoming {
  readonly path: string;
  readonly table: WholeTable;
  readonly options: LoadingOptions;
}

/**
 * For each compared column of the store the column of the table: of this name, else of the same letters and digits, else the one
 * that holds the same as the rows of the store.
 *
 * @throws StoreError where there is none or several, or the options do not fit the store
 */
async function comparedColumns(
  store: Store,
  { settings, run, model }: StoreState & { readonly settings: StoreSettings },
  { path, table, options }: Incoming,
): Promise<string[]> {
  const left = settings.columns.filter((name) => table.columns[name] === undefined);
  const right = table.description.columns.filter(
    (name) => !settings.columns.includes(name) && name !== options.key,
  );
  const byHeader = alignHeaders({ left, right });
  const found = new Map(byHeader.aligned);
  const { rest } = byHeader;
  const refuseSecond = (name: string, other: string, [second]: readonly AlignedNames[]): void => {
    if (second !== undefined)
      throw new StoreError(
        `${path} has no column ${name}, and ${other} and ${second[1]} both hold what ${store.path} has there. Rename the ` +
          `one that is ${name}.`,
      );
  };
  for (const [name, other] of byHeader.aligned)
    refuseSecond(name, other, alignHeaders({ left: [name], right: rest.right }).aligned);
  if (rest.left.length > 0) {
    const { table: stored } = await readAllLinked(store, run, settings.columns, options.memory?.folder);
    const naming = model?.columns.find(({ kind }) => kind === "name")?.name;
    const alike = (names: ColumnNames) => alignColumns(stored, table.columns, names);
    const byCells = alike(rest);
    const byName = namingPair(stored, table.columns, rest, byCells, naming);
    const taken = [...byCells, ...byName].map(([, other]) => other);
    const open = rest.right.filter((column) => !taken.includes(column));
    for (const [name, other] of byCells) refuseSecond(name, other, alike({ left: [name], right: open }));
    for (const [name, other] of byName)
      refuseSecond(name, other, namingPair(stored, table.columns, { left: [name], right: open }, [], naming));
    for (const [name, other] of [...byCells, ...byName]) found.set(name, other);
  }
  const missing = left.filter((name) => !found.has(name));
  if (missing.length > 0)
    throw new StoreError(
      `${path} has no column ${missing.join(", ")}: ${store.path} compares ${settings.columns.join(", ")}. Rename the ` +
        "table's columns, or start a new store.",
    );
  refuseOthers(store, settings, { path, table, options }, found);
  for (const [name, other] of found) options.onNote?.(`${path}: ${other} is compared as ${name}`);
  return settings.columns.map((name) => found.get(name) ?? name);
}

/** @throws StoreError for options that name other columns than the first run's, under the table's names or the store's */
function refuseOthers(
  store: Store,
  settings: StoreSettings,
  { table: { description }, options }: Incoming,
  found: ReadonlyMap<string, string>,
): void {
  const columns = [...new Set([...description.columns, ...settings.columns, ...(settings.ignore ?? [])])];
  const given = namedColumns({ description: { ...description, columns } }, options);
  const inTable = (name: string): string => found.get(name) ?? name;
  const texts = ({ on, ignore, kindOf }: ColumnOptions) => {
    const kinds = kindOf && Object.entries(kindOf).map(([name, kind]) => [inTable(name), kind]);
    return [on?.map(inTable), ignore?.map(inTable), kinds].map((said) => JSON.stringify(said));
  };
  const own = texts(settings);
  if (texts(given).some((text, place) => text !== undefined && text !== own[place]))
    throw new StoreError(
      `${store.path} compares ${settings.columns.join(", ")}: its columns do not change. Leave out --on, --ignore and ` +
        "--kind-of, or start a new store.",
    );
}

/** The columns that name the rows, where they are not found by what they hold: names may have no value in common. */
function namingPair(
  stored: TableColumns,
  table: TableColumns,
  { left, right }: ColumnNames,
  found: readonly AlignedNames[],
  naming: string | undefined,
): readonly AlignedNames[] {
  if (naming === undefined || !left.includes(naming) || found.some(([name]) => name === naming)) return [];
  const open = right.filter((name) => found.every(([, other]) => name !== other));
  const columns = Object.fromEntries(open.map((name) => [name, table[name]]));
  return planColumns({ [naming]: stored[naming] }, columns).pairs;
}

/** The encoder, if it is the store's. */
function checkedEncoder(
  { path }: Store,
  { model }: StoreSettings,
  { encoder }: LoadingOptions,
): RunOptions["encoder"] {
  return async () => {
    const found = await encoder();
    const other = await modelOf(found);
    if (other?.fingerprint === model?.fingerprint) return found;
    const [own, given] = [model, other].map((one) => one?.name ?? "none");
    throw new StoreError(
      `${path} compares with the model ${own}, not with ${given}. Choose its model, or start a new store.`,
    );
  };
}

/** @throws StoreError for keys that do not tell rows apart */
function checkedKeys(path: string, keys: readonly string[]): readonly string[] {
  const numbers = new TextNumbers();
  const firstOf = new Growing(Uint32Array);
  for (let row = 0; row < keys.length; row++) {
    const cell = keys[row];
    if (!isVisible(cell))
      throw new StoreError(`${path}, row ${row + 1}: the key is empty. Fill it, or leave --key out.`);
    const first = firstOf.numbers[numbers.numberOf(cell, () => firstOf.push(row))];
    if (first < row)
      throw new StoreError(
        `${path}: rows ${first + 1} and ${row + 1} have the same key "${cell}". Name a column that tells rows apart, or ` +
          "leave --key out.",
      );
  }
  return keys;
}

async function writeLinked(
  { typed, phrases, description }: WholeTable,
  entityOf: readonly string[],
  likely: readonly Cell[][],
  { output, likelyOutput, format }: Pick<LinkOptions, "output" | "likelyOutput" | "format">,
): Promise<void> {
  if (output !== undefined) {
    const rows = batchesOf(phrases.keys(), (row) => [entityOf[row], ...typed.cells(row)]);
    const columns = [...addedColumns(typed.columns, ["entity"]), ...typed.columns];
    await writeRows(output, columns, rows, format, description);
  }
  // a list of an earlier run must not look like what is likely now
  if (likelyOutput === undefined) return;
  if (likely.length > 0 || (await stateOf(likelyOutput)) !== undefined)
    await writeRows(likelyOutput, likelyColumns, [likely], undefined, description);
}
