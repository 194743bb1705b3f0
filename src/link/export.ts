/** All rows of a store with their entities, and one golden record for each entity. */

import { groupBy } from "../by-key.js";
import { type GoldenOptions, type GoldenRecords, goldenRecords } from "../group/golden-records.js";
import { addedColumns, namedColumns, rowNumber, writeOrigins } from "../group/tables/group-files.js";
import { ownValue } from "../match/columns/fields.js";
import { numberCell } from "../table/cell.js";
import type { RowsFormat } from "../table/format.js";
import { batchesOf } from "../table/whole-table.js";
import { refuseAsStore, refuseOverwriting } from "../table/write/output-names.js";
import { writeRows } from "../table/write/text-rows.js";
import { readSettings, type StoredRow, storedRows, withRuns } from "./history.js";
import type { Store } from "./store.js";

/** The cells of all rows by column: the compared ones, then the others, both in order of their names. */
async function allRows(store: Store) {
  const rows = [...(await storedRows(store)).values()];
  const namesOf = (part: "cells" | "rest"): string[] => [
    ...new Set(rows.flatMap((row) => Object.keys(row[part]))),
  ];
  const names = [...namesOf("cells"), ...namesOf("rest").sort()];
  const cellOf = ({ cells, rest }: StoredRow, name: string): string =>
    ownValue(cells, name) ?? ownValue(rest, name) ?? "";
  return { rows, names, cellOf };
}

/** Writes all rows of a store with their entities. @returns the number of rows @throws StoreError, TableError */
export async function exportEntities(
  storePath: string,
  output: string,
  format?: RowsFormat,
): Promise<number> {
  refuseAsStore(storePath, [output]);
  return withRuns(storePath, async (store) => {
    const { rows, names, cellOf } = await allRows(store);
    const columns = [...addedColumns(names, ["entity", "source", rowNumber("row"), "key"]), ...names];
    const lines = batchesOf(rows, (stored) => [
      ...[stored.entity, stored.source, numberCell(stored.row), stored.key ?? null],
      ...names.map((name) => cellOf(stored, name)),
    ]);
    return await writeRows(output, columns, lines, format);
  });
}

/** Options of {@link goldenEntities}. */
export interface GoldenEntityOptions extends Pick<GoldenOptions, "survivors" | "kindOf" | "onNote"> {
  /** JSON lines: where each cell comes from; nothing is written by default. */
  readonly origins?: string;
  readonly format?: RowsFormat;
}

/** What {@link goldenEntities} wrote. */
export interface GoldenEntities {
  readonly records: number;
  /** Records of several rows. */
  readonly merged: number;
  /** The rule of each column. */
  readonly survivors: GoldenRecords["rules"];
}

/**
 * Writes one record for each entity of a store, in the order of their numbers: the entity, and of each column a cell of its rows,
 * by a rule; `source` is a column like the others, for rules about sources.
 * @throws StoreError, TableError for a rule about a missing column, or one that cannot be read
 */
export async function goldenEntities(
  storePath: string,
  output: string,
  { origins, format, kindOf, ...options }: GoldenEntityOptions = {},
): Promise<GoldenEntities> {
  refuseAsStore(storePath, [output, origins]);
  refuseOverwriting([], [output, origins]);
  return withRuns(storePath, async (store) => {
    const { rows, names, cellOf } = await allRows(store);
    const [source] = addedColumns(names, ["source"]) as string[];
    const columns: Record<string, readonly string[]> = Object.create(null);
    columns[source] = rows.map((row) => row.source);
    for (const name of names) columns[name] = rows.map((row) => cellOf(row, name));
    const all = [source, ...names];
    const typed = {
      columns: all.map((name) => ({ name, type: "VARCHAR" })),
      cells: (row: number) => all.map((name) => columns[name][row]),
    };
    const table = { columns, description: { path: storePath, columns: all }, typed };
    const said = { ...(await readSettings(store)).kindOf, ...namedColumns(table, { kindOf }).kindOf };
    const records = goldenRecords(table, { ...options, kindOf: said });
    const groups = [...groupBy(rows.keys(), (row) => rows[row].entity).values()];
    const entityOf = ([first]: readonly number[]): string => rows[first].entity;
    const lines = batchesOf(groups, (group) => [
      entityOf(group),
      ...records.recordOf(group).map(({ cell }) => cell),
    ]);
    const [entity] = addedColumns(all, ["entity"]);
    if (origins !== undefined)
      await writeOrigins(origins, table, records, groups, {
        ...{ id: "entity", idOf: entityOf },
        nameOf: (row) => `${rows[row].source} ${rows[row].key ?? rows[row].row}`,
      });
    await writeRows(output, [entity, ...records.columns], lines, format);
    const merged = groups.filter(({ length }) => length > 1).length;
    return { records: groups.length, merged, survivors: records.rules };
  });
}
