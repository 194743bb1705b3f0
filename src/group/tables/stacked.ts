/** Several tables as one: the rows of each below those before, cells that belong together in one column. */
import { planColumns } from "../../match/columns/fields.js";
import { profileColumn } from "../../match/columns/profile.js";
import type { Cell, TypedColumn } from "../../table/cell.js";
import { textOfCell } from "../../table/cell.js";
import { stemOf } from "../../table/format.js";
import { readAllColumns, type WholeTable, type WholeTableOptions } from "../../table/whole-table.js";

/** The column that names the table of each row. */
const sourceName = "source";

/**
 * Reads tables and aligns their columns with those of the first: by header where headers agree, else by what the cells hold.
 * Columns that the first table lacks follow. A column in front names each row's table, as its file is called without the ending.
 * @returns `ignored`: that column, and those that number the rows of a table, which say nothing about rows of another
 * @param onNote also called with the columns that were aligned under two names
 * @throws TableError
 */
export async function readStacked(
  paths: readonly string[],
  options: WholeTableOptions,
  onNote?: (note: string) => void,
): Promise<{ readonly table: WholeTable; readonly ignored: readonly string[] }> {
  const tables: WholeTable[] = [];
  for (const path of paths) tables.push(await readAllColumns(path, options, onNote));
  const [first, ...others] = tables;
  const source = first.description.columns.includes(sourceName) ? `${sourceName}_` : sourceName;
  /** By column of the result, the column of each table. */
  const partsOf = new Map(first.description.columns.map((name) => [name, [name] as (string | undefined)[]]));
  for (const [place, table] of others.entries()) {
    const { pairs } = planColumns(first.columns, table.columns);
    const alike = new Map(pairs.map(([name, other]) => [other, name]));
    for (const name of table.description.columns) {
      const own = alike.get(name) ?? name;
      if (own !== name) onNote?.(`${table.description.path}: ${name} is compared as ${own}`);
      const parts = partsOf.get(own) ?? [];
      parts[place + 1] = name;
      partsOf.set(own, parts);
    }
  }
  const isNumbering = ([, parts]: readonly [string, readonly (string | undefined)[]]): boolean =>
    tables.some(({ columns }, place) => {
      const own = parts[place];
      return own !== undefined && profileColumn(own, columns[own]).dropped?.startsWith("row ") === true;
    });
  const ignored = [source, ...[...partsOf].filter(isNumbering).map(([name]) => name)];
  return { table: stacked(tables, partsOf, source), ignored };
}

function stacked(
  tables: readonly WholeTable[],
  partsOf: ReadonlyMap<string, readonly (string | undefined)[]>,
  source: string,
): WholeTable {
  const [{ description }] = tables;
  const names = [source, ...partsOf.keys()];
  const sizes = tables.map(({ phrases }) => phrases.length);
  const stems = tables.map((table) => stemOf(table.description.path));
  const columns: Record<string, readonly string[]> = Object.create(null);
  columns[source] = sizes.flatMap((size, table) => new Array<string>(size).fill(stems[table]));
  for (const [name, parts] of partsOf)
    columns[name] = tables.flatMap((table, place) => {
      const own = parts[place];
      return own === undefined ? new Array<string>(sizes[place]).fill("") : [...table.columns[own]];
    });
  const starts = sizes.map((_, place) => sizes.slice(0, place).reduce((sum, size) => sum + size, 0));
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
    const table = starts.findLastIndex((start) => start <= row);
    const own = tables[table].typed.cells(row - starts[table]);
    const cells = placesOf[table].map((place, column) => {
      const cell = place < 0 ? undefined : own[place];
      return typedColumns[column].type === "VARCHAR" && cell != null ? textOfCell(cell) : cell;
    });
    return [stems[table], ...cells];
  };
  return {
    columns,
    description: { ...description, columns: names, rowCount: columns[source].length, column: names[1] },
    phrases: columns[names[1]],
    cells: (row) => names.map((name) => columns[name][row]),
    typed: { columns: [{ name: source, type: "VARCHAR" }, ...typedColumns], cells: cellsOf },
  };
}
