/** Links a table file to the entities of a store, and writes its rows with their entities. */
import { basename, resolve } from "node:path";
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError, StoreError } from "../errors.js";
import type { ColumnReport } from "../match/column-report.js";
import { type ColumnOptions, type DroppedColumn, planColumns } from "../match/columns/fields.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import { nameOfColumn } from "../table/cell.js";
import { type RowsFormat, rowsFormatOfName } from "../table/format.js";
import type { TableOptions } from "../table/table.js";
import { batchesOf, readAllColumns, type WholeTable } from "../table/whole-table.js";
import { writeRows } from "../table/write/text-rows.js";
import { readState } from "./contents.js";
import { incomingRows } from "./identify.js";
import { likelyColumns, likelyLines } from "./likely-rows.js";
import { entityName, type StoreSettings } from "./model.js";
import { linkRows, type RunCounts, type RunOptions } from "./run.js";
import { type Store, withStore } from "./store.js";

/** Options of {@link linkTable}. */
export interface LinkOptions
  extends ColumnOptions,
    Pick<RunOptions, "learn" | "likely" | "review" | "reviewOutput" | "signal"> {
  /** The promised precision of the pairs of rows within entities. Default: the store's; 0.9 for a new one. */
  readonly precision?: number;
  /** A column whose cells identify rows: a row whose other cells change stays the same row. */
  readonly key?: string;
  /** Keys identify rows within a source. Default: the name of the file. */
  readonly source?: string;
  /** A function is called if rows are compared. Default: the embedded model. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none" | (() => Promise<PhraseEncoder>);
  /** The table's rows with `entity` in front: .csv, .tsv, .jsonl, .parquet, or "-"; nothing is written by default. */
  readonly output?: string;
  readonly format?: RowsFormat;
  /** Where likely pairs are written if the promise is refused; nothing is written by default. */
  readonly likelyOutput?: string;
  readonly table?: TableOptions;
  readonly onNote?: (line: string) => void;
}

/** What {@link linkTable} did. Entities are named E1, E2 and so on, in the order in which they came to be. */
export interface LinkReport extends RunCounts, PrecisionReport {
  readonly rows: number;
  /** Number of the run in the store; 0 where nothing changed. */
  readonly run: number;
  /** Whether the run learned from all rows of the store, and from how many its weights were learned. */
  readonly hasLearned: boolean;
  readonly learnedFrom: number;
  /** What is linked: rows at an established precision, likely rows on demand, or equal rows only. */
  readonly linked: "established" | "likely" | "equal";
  readonly entitiesBefore: number;
  readonly entitiesAfter: number;
  /** Pairs of rows within the entities of the store. */
  readonly matches: number;
  /** Entity of each row of the table. */
  readonly entityOf: readonly string[];
  /** Rows that are likely the same as one of another entity and were not linked, as the promise was refused. */
  readonly likely: number;
  /** Pairs written to `reviewOutput`. */
  readonly reviewed?: number;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
}

/**
 * Gives each row of a table the stable name of its entity. Rows that the store knows keep theirs, new rows join the entity
 * they belong to or begin one. The store is a file, made by the first run; a run that fails leaves it as it was.
 *
 * @throws TableError, StoreError, ArgumentError
 */
export async function linkTable(
  path: string,
  storePath: string,
  options: LinkOptions = {},
): Promise<LinkReport> {
  checkOutputs(path, storePath, options);
  options.signal?.throwIfAborted();
  const table = await readAllColumns(path, options.table, options.onNote);
  const { encoder: given = () => PhraseEncoder.load() } = options;
  let loading: Promise<PhraseEncoder | "none"> | undefined;
  const encoder = (): Promise<PhraseEncoder | "none"> => {
    loading ??= Promise.resolve(typeof given === "function" ? given() : given);
    return loading;
  };
  try {
    return await withStore(storePath, "any", (store) =>
      linkInto(store, path, table, { ...options, encoder }),
    );
  } finally {
    const loaded = options.encoder === undefined ? await loading : undefined;
    if (loaded !== undefined && loaded !== "none") await loaded.dispose();
  }
}

type LoadingOptions = Omit<LinkOptions, "encoder"> & {
  readonly encoder: () => Promise<PhraseEncoder | "none">;
};

async function linkInto(
  store: Store,
  path: string,
  table: WholeTable,
  options: LoadingOptions,
): Promise<LinkReport> {
  const before = await countEntities(store);
  const { result, after, likely } = await store.transaction(async () => {
    const state = await readState(store);
    let settings = state.settings;
    if (settings === undefined) settings = await newSettings(path, table, options);
    else checkSettings(store, settings, { path, table, options });
    const names = settings.columns;
    const cells = table.phrases.map((_, row) => names.map((name) => table.columns[name][row]));
    const { source = sourceOf(path) } = options;
    const keys = options.key === undefined ? undefined : keyColumn(path, table, options.key);
    const incoming = incomingRows(path, cells, { source, keys });
    const found = await linkRows(store, state, incoming, {
      ...options,
      settings,
      encoder: checkedEncoder(store, settings, options),
    });
    return {
      result: found,
      after: await countEntities(store),
      likely: await likelyLines(store, found.likely),
    };
  });
  const { model, entities, likely: _, writeReview, ...counts } = result;
  const entityOf = Array.from(entities, entityName);
  if (options.output !== undefined) await writeLinked(options.output, table, entityOf, options.format);
  if (options.likelyOutput !== undefined && likely.length > 0)
    await writeRows(options.likelyOutput, likelyColumns, [likely]);
  const reviewed = options.reviewOutput && (await writeReview?.(options.reviewOutput));
  const { precision, columns, dropped, rows: learnedFrom } = model;
  const linked = precision.promise.established ? "established" : model.least === null ? "equal" : "likely";
  return {
    ...{
      rows: table.phrases.length,
      ...counts,
      ...precision,
      learnedFrom,
      linked,
      columns,
      dropped,
      entityOf,
    },
    ...{
      entitiesBefore: before.entities,
      entitiesAfter: after.entities,
      matches: after.pairs,
      likely: likely.length,
      ...(typeof reviewed === "number" && { reviewed }),
    },
  };
}

/** `names` for `data/names.csv.gz`. */
const sourceOf = (path: string): string =>
  path === "-"
    ? "stdin"
    : basename(path)
        .replace(/\.gz$/, "")
        .replace(/(?<=.)\.[^.]*$/, "");

async function countEntities(store: Store): Promise<{ entities: number; pairs: number }> {
  const isMade =
    (await store.query("SELECT 1 FROM duckdb_tables() WHERE table_name = 'assignment'")).length > 0;
  if (!isMade) return { entities: 0, pairs: 0 };
  const [[entities, pairs]] = await store.query(
    `SELECT count(*), coalesce(sum(rows * (rows - 1) // 2), 0)::BIGINT
     FROM (SELECT count(*) AS rows FROM assignment WHERE until IS NULL GROUP BY entity)`,
  );
  return { entities: Number(entities), pairs: Number(pairs) };
}

async function newSettings(path: string, table: WholeTable, options: LoadingOptions): Promise<StoreSettings> {
  const { on, kindOf, key } = options;
  const ignore = [...(options.ignore ?? []), ...(key === undefined ? [] : [key])];
  const { pairs, dropped } = planColumns(table.columns, undefined, { on, ignore, kindOf });
  if (pairs.length === 0) {
    const reasons = dropped.map(({ name, reason }) => `${name} (${reason})`).join(", ");
    throw new ArgumentError(
      `${path}: no column can be compared. Left out: ${reasons}. Name columns with --on.`,
    );
  }
  const encoder = await options.encoder();
  const model =
    encoder === "none" ? undefined : { fingerprint: await encoder.fingerprint(), name: encoder.model.name };
  return { columns: pairs.map(([name]) => name), on, ignore: options.ignore, kindOf, model };
}

/** @throws StoreError where the table or the options do not fit the store */
function checkSettings(
  { path: storePath }: Store,
  settings: StoreSettings,
  { path, table, options }: { path: string; table: WholeTable; options: LoadingOptions },
): void {
  const missing = settings.columns.filter((name) => table.columns[name] === undefined);
  if (missing.length > 0)
    throw new StoreError(
      `${path} has no column ${missing.join(", ")}: ${storePath} compares ${settings.columns.join(", ")}. Rename the ` +
        "table's columns, or start a new store.",
    );
  for (const name of ["on", "ignore", "kindOf"] as const)
    if (options[name] !== undefined && JSON.stringify(options[name]) !== JSON.stringify(settings[name]))
      throw new StoreError(
        `${storePath} compares ${settings.columns.join(", ")}: its columns do not change. Leave out --on, --ignore and ` +
          "--kind-of, or start a new store.",
      );
}

/** The encoder, if it is the store's. */
function checkedEncoder(
  { path }: Store,
  { model }: StoreSettings,
  { encoder }: LoadingOptions,
): RunOptions["encoder"] {
  return async () => {
    const found = await encoder();
    const fingerprint = found === "none" ? undefined : await found.fingerprint();
    if (fingerprint === model?.fingerprint) return found;
    const other = found === "none" ? "none" : found.model.name;
    throw new StoreError(
      `${path} compares with the model ${model?.name ?? "none"}, not with ${other}. Choose its model, or start a new store.`,
    );
  };
}

function keyColumn(path: string, table: WholeTable, key: string): readonly string[] {
  const keys = table.columns[key];
  if (keys === undefined)
    throw new ArgumentError(
      `${path} has no column ${key}. Columns: ${Object.keys(table.columns).join(", ")}.`,
    );
  return keys;
}

async function writeLinked(
  output: string,
  { typed, phrases }: WholeTable,
  entityOf: readonly string[],
  format: RowsFormat | undefined,
): Promise<void> {
  const taken = new Set(typed.columns.map((column) => nameOfColumn(column).toLowerCase()));
  let name = "entity";
  while (taken.has(name)) name = `${name}_`;
  const rows = batchesOf(phrases.keys(), (row) => [entityOf[row], ...typed.cells(row)]);
  await writeRows(output, [name, ...typed.columns], rows, format);
}

function checkOutputs(
  path: string,
  storePath: string,
  { output, likelyOutput, reviewOutput, format }: LinkOptions,
): void {
  for (const name of [format === undefined ? output : undefined, reviewOutput])
    if (name !== undefined) rowsFormatOfName(name);
  const names = [path, storePath, output, likelyOutput, reviewOutput].filter(
    (name) => name !== undefined && name !== "-",
  );
  const repeated = names.find((name, at) =>
    names.slice(0, at).some((other) => resolve(other!) === resolve(name!)),
  );
  if (repeated !== undefined)
    throw new ArgumentError(
      `${repeated} is named twice. The table, the store and the output are different files.`,
    );
}
