/** From tables and the plan of their columns to threads and temporary files, as a limit of memory allows. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import type { TableColumns } from "../columns/align.js";
import { type ColumnOptions, type ColumnPlan, namingField, rowsOf } from "../columns/fields.js";
import type { MatchRunOptions } from "../compare-tables.js";
import { checkFolder, type MatchSize, type MemoryLimit, planMemory } from "./memory-plan.js";

/** Options of what can be kept within a limit of memory. */
export interface BoundedOptions {
  /** Keeps the work within a limit of memory. Results do not depend on it. */
  readonly memory?: MemoryLimit;
  /** Worker threads at most. Default: all cores. */
  readonly threads?: number;
  readonly onNote?: (note: string) => void;
}

/** How a table is read: with a limit, its cells lie in a file. @throws TableError for a folder that is missing */
export async function boundedReading<Options extends object>(
  table: Options | undefined,
  { memory }: BoundedOptions,
): Promise<Partial<Options> & { readonly cellFolder?: string }> {
  if (memory === undefined) return { ...table };
  await checkFolder(memory.folder);
  return { ...table, cellFolder: memory.folder } as Options & { readonly cellFolder: string };
}

type Options = BoundedOptions & Pick<ColumnOptions, "kindOf"> & { readonly encoder?: PhraseEncoder | "none" };

/**
 * How the rows of one table, or of two, are matched by several columns within the limit: nothing changes without one.
 * @throws ArgumentError for a limit that is too small; TableError for a disk that has too little room
 */
export async function withinMemory(
  tables: readonly TableColumns[],
  plan: ColumnPlan,
  options: Options,
): Promise<Pick<MatchRunOptions, "threads" | "spill">> {
  const { memory, threads, onNote } = options;
  if (memory === undefined) return { threads };
  const { note, ...found } = await planMemory(memory, sizeOf(tables, plan, options), threads);
  onNote?.(note);
  return found;
}

function sizeOf(
  tables: readonly TableColumns[],
  { pairs, profiles }: ColumnPlan,
  { encoder, kindOf = {} }: Options,
): MatchSize {
  const compared = pairs.map(([name, other]) => {
    const profile = profiles.get(name)!;
    return { name, other, profile, kind: kindOf[name] ?? kindOf[other] ?? profile.kind };
  });
  const naming = compared[namingField(compared)];
  const names = naming && [naming.name, naming.other];
  return {
    rows: tables.map(rowsOf),
    columns: pairs.length,
    names: names === undefined ? 0 : distinctCells(tables.map((table, side) => table[names[side]])),
    dimension: dimensionOf(encoder),
  };
}

/** Of the embedded model, which is loaded where none is given. */
const embeddedDimension = 600;

export const dimensionOf = (encoder: PhraseEncoder | "none" | undefined): number =>
  encoder === "none" ? 0 : (encoder?.dimension ?? embeddedDimension);

export function distinctCells(columns: readonly (readonly string[])[]): number {
  const found = new Set<string>();
  for (const cells of columns) for (const cell of cells) found.add(cell.trim());
  found.delete("");
  return found.size;
}
