/** Several tables as one: the rows of each below those before, cells that belong together in one column. */

import { isLikeArray, likeArray } from "../../like-array.js";
import { alignColumns, alignHeaders } from "../../match/columns/align.js";
import { axesOf } from "../../match/columns/column-names.js";
import { haveAxes, withAxes } from "../../match/columns/coordinates.js";
import { planColumns } from "../../match/columns/fields.js";
import { profileColumn } from "../../match/columns/profile.js";
import type { Cell, TypedColumn } from "../../table/cell.js";
import { textOfCell } from "../../table/cell.js";
import { findColumn } from "../../table/columns.js";
import { stemOf } from "../../table/format.js";
import { readAllColumns, type WholeTable, type WholeTableOptions } from "../../table/whole-table.js";

/** By column of the result, the column of each table. */
type Parts = Map<string, (string | undefined)[]>;

/**
 * Reads tables and puts their columns together: those of one header, in any letter case, and then those of the first table and of
 * another that hold the same. A column in front names each row's table: its file without the ending or, where two have the same
 * name, its path.
 * @param options.column by name, of any table: it holds the phrases
 * @param onNote also called with the columns that were put together under two names
 * @returns `source`: the column in front; `ignored`: this one, and those that number the rows of a table, which say nothing about rows of another
 * @throws TableError
 */
export async function readStacked(
  paths: readonly string[],
  { column, ...options }: WholeTableOptions,
  onNote?: (note: string) => void,
): Promise<{ readonly table: WholeTable; readonly source: string; readonly ignored: readonly string[] }> {
  const read: WholeTable[] = [];
  for (const path of paths) read.push(await readAllColumns(path, options, onNote));
  const isApart = column === undefined && read.some(({ description }) => haveAxes(description.columns));
  const tables = isApart ? read.map((table) => apart(table, onNote)) : read;
  const [first, ...others] = tables;
  const partsOf: Parts = new Map(first.description.columns.map((name) => [name, [name]]));
  for (const [at, table] of others.entries()) addTable(partsOf, { first, table, place: at + 1, onNote });
  const all = new Set(tables.flatMap(({ description }) => description.columns));
  let source = "source";
  while (all.has(source)) source += "_";
  const isNumberingAll = ([, parts]: readonly [string, readonly (string | undefined)[]]): boolean =>
    tables.every((table, place) => parts[place] === undefined || isNumbering(table, parts[place]));
  const ignored = [source, ...[...partsOf].filter(isNumberingAll).map(([name]) => name)];
  return { table: stacked(tables, partsOf, { source, column }), source, ignored };
}

/** The table with two columns in place of one of both coordinates, if it has one. What is no pair of them stays in the first. */
function apart(table: WholeTable, onNote?: (note: string) => void): WholeTable {
  const { description, typed } = table;
  const columns = withAxes(table.columns, {});
  const at = description.columns.findIndex((name) => !Object.hasOwn(columns, name));
  if (at < 0) return table;
  const name = description.columns[at];
  const axes = axesOf(name);
  onNote?.(`${description.path}: ${name} is taken apart into ${axes.join(" and ")}`);
  const both = (row: number): string[] => axes.map((axis) => columns[axis][row]);
  const cells = (row: number): Cell[] =>
    typed
      .cells(row)
      .toSpliced(at, 1, ...(both(row).some(Boolean) ? both(row) : [table.columns[name][row], ""]));
  const made = axes.map((axis): TypedColumn => ({ name: axis, type: "VARCHAR" }));
  return {
    ...{ ...table, columns },
    description: { ...description, columns: description.columns.toSpliced(at, 1, ...axes) },
    typed: { columns: typed.columns.toSpliced(at, 1, ...made), cells },
  };
}

/** Whether a column numbers the rows of its table. */
const isNumbering = ({ columns }: WholeTable, name: string): boolean =>
  profileColumn(name, columns[name]).dropped?.startsWith("row ") === true;

interface Added {
  readonly first: WholeTable;
  readonly table: WholeTable;
  readonly place: number;
  readonly onNote?: (note: string) => void;
}

function addTable(partsOf: Parts, { first, table, place, onNote }: Added): void {
  const { path, columns } = table.description;
  // A header that an earlier table had leads to that table's column.
  const headers = new Map(
    [...partsOf].flatMap(([own, parts]) => parts.map((name) => [name ?? own, own] as const)),
  );
  for (const own of partsOf.keys()) headers.set(own, own);
  const { aligned, rest } = alignHeaders({ left: [...headers.keys()], right: columns });
  const byHeader = aligned.map(([name, other]) => [headers.get(name)!, other] as const);
  const taken = new Set(byHeader.map(([own]) => own));
  const open = first.description.columns.filter((name) => !taken.has(name));
  // Numbers of rows are the same numbers as any counts.
  const [left, right] = [
    open.filter((name) => !isNumbering(first, name)),
    rest.right.filter((name) => !isNumbering(table, name)),
  ];
  const alike = alignColumns(first.columns, table.columns, { left, right });
  // What names the rows often has no value in common; of tables about other things it is another name.
  if (byHeader.length + alike.length > 0)
    for (const [name, other] of planColumns(first.columns, table.columns).pairs)
      if (
        open.includes(name) &&
        rest.right.includes(other) &&
        !alike.some((pair) => pair[0] === name || pair[1] === other)
      )
        alike.push([name, other]);
  const ownOf = new Map([...byHeader, ...alike].map(([own, name]) => [name, own]));
  for (const name of columns) {
    const own = ownOf.get(name) ?? name;
    if (own !== name) onNote?.(`${path}: ${name} is compared as ${own}`);
    const parts = partsOf.get(own) ?? [];
    parts[place] = name;
    partsOf.set(own, parts);
  }
}

function stacked(
  tables: readonly WholeTable[],
  partsOf: Parts,
  { source, column }: { readonly source: string; readonly column?: string },
): WholeTable {
  const [{ description }] = tables;
  const names = [source, ...partsOf.keys()];
  const sizes = tables.map(({ phrases }) => phrases.length);
  const paths = tables.map((table) => table.description.path);
  const isLone = new Set(paths.map(stemOf)).size === paths.length;
  const stems = isLone ? paths.map(stemOf) : paths;
  const starts = sizes.map((_, place) => sizes.slice(0, place).reduce((sum, size) => sum + size, 0));
  const tableOf = (row: number): number => starts.findLastIndex((start) => start <= row);
  const rows = sizes.reduce((sum, size) => sum + size, 0);
  const columns: Record<string, readonly string[]> = Object.create(null);
  columns[source] = sizes.flatMap((size, table) => new Array<string>(size).fill(stems[table]));
  for (const [name, parts] of partsOf) {
    const cells = tables.map((table, place) => table.columns[parts[place] ?? ""]);
    // Cells that lie in files stay there.
    columns[name] = cells.some((own) => own !== undefined && isLikeArray(own))
      ? likeArray(rows, (row) => cells[tableOf(row)]?.[row - starts[tableOf(row)]] ?? "")
      : cells.flatMap((own, place) => own ?? new Array<string>(sizes[place]).fill(""));
  }
  const phrases = column === undefined ? names[1] : names[findColumn(description.path, names, column)];
  /** For each table the place of each column of the result among its own; -1 for none. */
  const placesOf = tables.map((table, place) =>
    [...partsOf.values()].map((parts) => table.description.columns.indexOf(parts[place] ?? "")),
  );
  const typedColumns = [...partsOf].map(([name, parts]): TypedColumn => {
    const types = tables.flatMap(({ typed }, place) =>
      typed.columns.filter((column) => column.name === parts[place]).map(({ type }) => type),
    );
    return { name, type: types.every((type) => type === types[0]) ? types[0] : "VARCHAR" };
  });
  const cellsOf = (row: number): Cell[] => {
    const table = tableOf(row);
    const own = tables[table].typed.cells(row - starts[table]);
    const cells = placesOf[table].map((place, column) => {
      const cell = place < 0 ? undefined : own[place];
      return typedColumns[column].type === "VARCHAR" && cell != null ? textOfCell(cell) : cell;
    });
    return [stems[table], ...cells];
  };
  return {
    columns,
    description: { ...description, columns: names, rowCount: rows, column: phrases },
    phrases: columns[phrases],
    cells: (row) => names.map((name) => columns[name][row]),
    typed: { columns: [{ name: source, type: "VARCHAR" }, ...typedColumns], cells: cellsOf },
  };
}
