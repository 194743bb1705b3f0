/** From tables and the plan of their columns to threads and temporary files, as a limit of memory allows. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import type { Sharing } from "../../files/shards/shard.js";
import type { WholeTableOptions } from "../../table/whole-table.js";
import { isVisible } from "../../text/visible.js";
import type { TableColumns } from "../columns/align.js";
import { type ColumnOptions, type ColumnPlan, fieldKind, namingField, rowsOf } from "../columns/fields.js";
import { TextNumbers } from "../columns/texts.js";
import type { MatchRunOptions } from "../compare-tables.js";
import { phraseColumn } from "../phrase-column.js";
import {
  checkFolder,
  type MatchSize,
  type MemoryLimit,
  type Need,
  needOfAdding,
  needOfLearning,
  needOfPhrases,
  needOfRows,
  planMemory,
} from "./memory-plan.js";

/** Options of what can be kept within a limit of memory. */
export interface BoundedOptions {
  /** Keeps the work within a limit of memory. Results do not depend on it. */
  readonly memory?: MemoryLimit;
  /** Worker threads at most. Default: all cores. */
  readonly threads?: number;
  readonly onNote?: (note: string) => void;
}

/** How a table is read: until the signal is aborted, and with a limit its cells in a file. @throws TableError for a missing folder */
export async function boundedReading<Options extends object>(
  table: Options | undefined,
  { memory, signal }: BoundedOptions & { readonly signal?: AbortSignal },
): Promise<Partial<Options> & Pick<WholeTableOptions, "cellFolder" | "signal">> {
  if (memory !== undefined) await checkFolder(memory.folder);
  const given: Partial<Options> = { ...table };
  return { signal, ...given, cellFolder: memory?.folder };
}

interface Options extends BoundedOptions, Pick<ColumnOptions, "kindOf"> {
  readonly encoder?: PhraseEncoder | "none";
  readonly sharing?: Sharing;
}

/**
 * How the columns of a plan are compared within the limit, of one table or of two: nothing changes without one.
 * @throws ArgumentError for a limit that is too small; TableError for a disk that has too little room
 */
export const withinMemory = (
  tables: readonly TableColumns[],
  plan: ColumnPlan,
  options: Options,
): Promise<Bounds> => boundsOf(() => needOf(tables, plan, options), options);

/** The same for the phrases of one column of a table. @param options with `k`, all of them are embedded */
export const phrasesWithinMemory = (
  phrases: readonly string[],
  options: Options & { readonly k?: number },
): Promise<Bounds> => boundsOf(() => needOfColumn([phrases], options, options.k !== undefined), options);

/** The same for all rows of a store, from which a link learns. */
export const storeWithinMemory = (table: TableColumns, plan: ColumnPlan, options: Options): Promise<Bounds> =>
  boundsOf(() => needOfLearning(sizeOf([table], plan, options)), options);

/** @throws ArgumentError where rows that are added to a store need more than the limit */
export const checkAddedRows = (rows: number, options: Options): Promise<Bounds> =>
  boundsOf(() => needOfAdding(rows, dimensionOf(options.encoder)), options);

type Bounds = Pick<MatchRunOptions, "threads" | "spill">;

async function boundsOf(need: () => Need, { memory, threads, onNote }: BoundedOptions): Promise<Bounds> {
  if (memory === undefined) return { threads };
  const { note, ...bounds } = await planMemory(memory, need(), threads);
  onNote?.(note);
  return bounds;
}

function needOf(tables: readonly TableColumns[], plan: ColumnPlan, options: Options): Need {
  if (phraseColumn(tables, plan, options) === undefined) return needOfRows(sizeOf(tables, plan, options));
  const columns = tables.map((table, side) => table[plan.pairs[0][side]]);
  return needOfColumn(columns, options);
}

function sizeOf(
  tables: readonly TableColumns[],
  { pairs, profiles }: ColumnPlan,
  { encoder, kindOf, sharing }: Options,
): MatchSize {
  const compared = pairs.map(([name, other]) => {
    const field = { name, other, profile: profiles.get(name)! };
    return { ...field, kind: fieldKind(field, kindOf) };
  });
  const naming = compared[namingField(compared)];
  const names = naming && [naming.name, naming.other];
  return {
    rows: tables.map(rowsOf),
    columns: pairs.length,
    names: names === undefined ? 0 : distinctCells(tables.map((table, side) => table[names[side]])),
    dimension: dimensionOf(encoder),
    parts: sharing?.kind === "merge" ? sharing.count : undefined,
  };
}

function needOfColumn(columns: readonly (readonly string[])[], { encoder }: Options, isTopics = false): Need {
  const rows = columns.map(({ length }) => length);
  const [first, second] = rows;
  const phrases = second === undefined ? distinctCells(columns) : first + second;
  return needOfPhrases({ rows, phrases, dimension: dimensionOf(encoder), isTopics });
}

/** Of the embedded model, which is loaded where none is given. */
const embeddedDimension = 600;

const dimensionOf = (encoder: PhraseEncoder | "none" | undefined): number =>
  encoder === "none" ? 0 : (encoder?.dimension ?? embeddedDimension);

function distinctCells(columns: readonly (readonly string[])[]): number {
  const found = new TextNumbers();
  for (const cells of columns) for (const cell of cells) if (isVisible(cell)) found.numberOf(cell.trim());
  return found.size;
}
