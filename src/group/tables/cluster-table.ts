/** Clusters the phrases of a table file. */

import { scriptNote, textsInOneScript } from "../../match/cells/one-script.js";
import {
  type BoundedOptions,
  boundedReading,
  phrasesWithinMemory,
} from "../../match/memory/within-memory.js";
import { refuseCategory } from "../../match/unnamed-column.js";
import { numberCell } from "../../table/cell.js";
import { batchesOf, noteEmpty, readWholeTable } from "../../table/whole-table.js";
import { writeRows } from "../../table/write/text-rows.js";
import { type Clustering, type ClusterOptions, cluster } from "../cluster.js";
import {
  addedColumns,
  checkNames,
  commandFor,
  type FileOptions,
  numberColumn,
  rowNumber,
} from "./group-files.js";

export interface ClusterTableReport extends Clustering {
  readonly rows: number;
  readonly phrases: readonly string[];
}

/**
 * Clusters the phrases of a table and writes its rows with three added columns: `group` (from 1, by first row),
 * `representative` (the phrase of the group) and `similarity` to it. Rows keep their order.
 *
 * @param output .csv, .tsv, .jsonl or .parquet; "-" is standard output; undefined writes nothing
 * @throws TableError, also if `table.column` is not given and the chosen column holds categories; ArgumentError
 */
export async function clusterTable(
  path: string,
  output: string | undefined,
  options: ClusterOptions & FileOptions & BoundedOptions = {},
): Promise<ClusterTableReport> {
  checkNames([path], [output], options.format);
  options.signal?.throwIfAborted();
  const table = await readWholeTable(path, await boundedReading(options.table, options), options.onNote);
  noteEmpty(table, options.onNote);
  const { phrases, typed } = table;
  const unnamed = options.table?.column === undefined ? [{ table, column: table.description.column }] : [];
  refuseCategory(unnamed, commandFor("cluster", path));
  const { spill } = await phrasesWithinMemory(phrases, options);
  const [texts] = await textsInOneScript([phrases]);
  const note = scriptNote([[phrases, texts]]);
  if (note !== undefined) options.onNote?.(note);
  const found = await cluster(texts, { ...options, spill });
  if (output !== undefined) {
    const { columns, cells } = typed;
    const added = addedColumns(columns, [rowNumber("group"), "representative", numberColumn("similarity")]);
    const grouped = batchesOf(phrases.keys(), (row) => {
      const group = found.groupOf[row];
      const representative = phrases[found.representatives[group]];
      return [...cells(row), numberCell(group + 1), representative, numberCell(found.similarity[row], 4)];
    });
    await writeRows(output, [...columns, ...added], grouped, options.format, table.description);
  }
  // Not a copy, which would make all groups.
  return Object.assign(found, { rows: phrases.length, phrases });
}
