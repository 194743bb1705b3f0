/** The files that grouping writes: their names, their added columns, and the rows of each. */
import { partSeparator, writtenParts } from "../../match/columns/column-names.js";
import type { ColumnOptions } from "../../match/columns/fields.js";
import type { RuleOptions } from "../../match/rules.js";
import { commandWith, type NamedCommand } from "../../match/unnamed-column.js";
import { type Cell, jsonLine, nameOfColumn, numberCell, type OutputColumn } from "../../table/cell.js";
import { findColumn, namedColumn } from "../../table/columns.js";
import { type RowsFormat, rowsFormatOfName } from "../../table/format.js";
import type { TableOptions } from "../../table/table.js";
import { batchesOf, type NamedTable, type WholeTable } from "../../table/whole-table.js";
import { refuseOverwriting } from "../../table/write/output-names.js";
import { writeRows } from "../../table/write/text-rows.js";
import type { GoldenRecords } from "../golden-records.js";
import type { DuplicateGroup, DuplicateRow } from "../kept-rows.js";

export interface FileOptions {
  readonly table?: TableOptions;
  /** Format of the output; default by its name. */
  readonly format?: RowsFormat;
  readonly onNote?: (line: string) => void;
}

export const rowNumber = (name: string): OutputColumn => ({ name, type: "BIGINT" });
export const numberColumn = (name: string): OutputColumn => ({ name, type: "DOUBLE" });

/** Writes `row`, `kept_row` and `probability` of each removed row before its own columns. */
export async function writeRemoved(
  output: string,
  { typed: { columns, cells }, description }: WholeTable,
  removed: readonly DuplicateRow[],
): Promise<void> {
  const names = [rowNumber("row"), rowNumber("kept_row"), numberColumn("probability")];
  const rows = batchesOf(removed, ({ row, keptRow, probability }) => [
    ...[numberCell(row + 1), numberCell(keptRow + 1), numberCell(probability, 4)],
    ...cells(row),
  ]);
  await writeRows(output, [...addedColumns(columns, names), ...columns], rows, undefined, description);
}

export interface GroupsToWrite {
  readonly groups: readonly DuplicateGroup[];
  readonly isKept: (row: number) => boolean;
  /** Says why a row is the same as the kept one; undefined without such a column. */
  readonly why?: (duplicate: DuplicateRow) => string;
}

/** Writes all rows of each group, the kept one first: `group`, `kept`, `row`, `probability`, `why`, its own columns. */
export async function writeGroups(
  output: string,
  { typed: { columns, cells }, description }: WholeTable,
  { groups, isKept, why }: GroupsToWrite,
): Promise<void> {
  const names = [rowNumber("group"), "kept", rowNumber("row"), numberColumn("probability")];
  const added = addedColumns(columns, why === undefined ? names : [...names, "why"]);
  function* lines() {
    for (const [index, { kept, others }] of groups.entries()) {
      yield { index, row: kept };
      for (const duplicate of others) yield { index, row: duplicate.row, duplicate };
    }
  }
  const rows = batchesOf(lines(), ({ index, row, duplicate }) => [
    ...[numberCell(index + 1), isKept(row) ? "yes" : "no", numberCell(row + 1)],
    duplicate === undefined ? null : numberCell(duplicate.probability, 4),
    ...(why === undefined ? [] : [duplicate === undefined ? "" : why(duplicate)]),
    ...cells(row),
  ]);
  await writeRows(output, [...added, ...columns], rows, undefined, description);
}

/**
 * Writes where the cells of golden records come from, as JSON lines: `record` (from 1), `rows` of its group, `sources` of
 * these rows if a rule names sources, and `cells`: by column its `value`, `rule`, and `rows` that it was taken from.
 */
export async function writeOrigins(
  output: string,
  { columns: texts, description: { columns: names } }: NamedTable,
  { rules, source, recordOf }: GoldenRecords,
  groups: Iterable<readonly number[]>,
  { id = "record", idOf, nameOf = (row: number) => row + 1 }: OriginNames = {},
): Promise<void> {
  const json = (value: unknown) => ({ json: JSON.stringify(value) });
  const numbers = (rows: readonly number[]) => json(rows.map(nameOf));
  let record = 0;
  const lines = batchesOf(groups, (rows) => {
    const cells = recordOf(rows).map(
      ({ cell, rows: from }, place): Cell => ({
        json: jsonLine(["value", "rule", "rows"], [cell, rules[names[place]], numbers(from)]),
      }),
    );
    const sources = source === undefined ? undefined : json(rows.map((row) => texts[source][row]));
    return [json(idOf?.(rows) ?? ++record), numbers(rows), sources, { json: jsonLine(names, cells) }];
  });
  await writeRows(output, [id, "rows", "sources", "cells"], lines, "jsonl");
}

/** How {@link writeOrigins} names a record and a row. Default: their numbers, from 1. */
interface OriginNames {
  readonly id?: string;
  readonly idOf?: (rows: readonly number[]) => string;
  readonly nameOf?: (row: number) => string | number;
}

export const commandFor =
  (name: string, path: string): NamedCommand =>
  ([column]) =>
    commandWith([name, path], ["-c", column]);

export function checkNames(
  inputs: readonly (string | undefined)[],
  [main, ...others]: readonly (string | undefined)[],
  format: RowsFormat | undefined,
): void {
  if (main !== undefined && format === undefined) rowsFormatOfName(main);
  for (const name of others) if (name !== undefined) rowsFormatOfName(name, "");
  refuseOverwriting(inputs, [main, ...others]);
}

/** Options with the names that a table's columns have, in place of numbers and names in other case. @throws TableError */
export function namedColumns(
  { description: { path, columns } }: Pick<NamedTable, "description">,
  { on, ignore, kindOf, compare, same, never }: ColumnOptions & RuleOptions,
): ColumnOptions & RuleOptions {
  const nameOf = (wanted: string): string => columns[findColumn(path, columns, wanted)];
  /** Also of a column that is made of several, as a date of its parts. */
  const composedName = (wanted: string): string =>
    writtenParts(wanted, (name) => namedColumn(columns, name) >= 0)
      .map(nameOf)
      .join(partSeparator);
  const byName = <Value>(said: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(Object.entries(said).map(([name, value]) => [composedName(name), value]));
  return {
    on: on && [...new Set(on.map(nameOf))],
    ignore: ignore?.map(nameOf),
    ...{ same: same?.map(composedName), never: never?.map(composedName) },
    ...{ kindOf: kindOf && byName(kindOf), compare: compare && byName(compare) },
  };
}

/** Added columns, with an underscore appended to a name that the table already has. */
export function addedColumns(
  columns: readonly OutputColumn[],
  added: readonly OutputColumn[],
): OutputColumn[] {
  const taken = new Set(columns.map((column) => nameOfColumn(column).toLowerCase()));
  return added.map((column) => {
    let free = nameOfColumn(column);
    while (taken.has(free)) free = `${free}_`;
    return typeof column === "string" ? free : { ...column, name: free };
  });
}
