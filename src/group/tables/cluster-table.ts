/** Clusters the phrases of a table file. */

import { scriptNote, textsInOneScript } from "../../match/cells/one-script.js";
import type { TableColumns } from "../../match/columns/align.js";
import { planColumns, rowsOf } from "../../match/columns/fields.js";
import {
  type BoundedOptions,
  boundedReading,
  phrasesWithinMemory,
  withinMemory,
} from "../../match/memory/memory-plan.js";
import { phraseColumn } from "../../match/phrase-column.js";
import { refuseCategory } from "../../match/unnamed-column.js";
import { placesByNumber } from "../../places-by-number.js";
import { numberCell } from "../../table/cell.js";
import { batchesOf, noteEmpty, readWholeTable } from "../../table/whole-table.js";
import { writeRows } from "../../table/write/text-rows.js";
import { type Clustering, type ClusterOptions, cluster } from "../cluster.js";
import { phraseGroups } from "../one-column/distinct-phrases.js";
import { duplicatesByColumns } from "../roads.js";
import {
  addedColumns,
  checkNames,
  commandFor,
  type FileOptions,
  numberColumn,
  rowNumber,
} from "./group-files.js";

type Options = ClusterOptions & FileOptions & BoundedOptions;

export interface ClusterTableReport extends Clustering {
  readonly rows: number;
  readonly phrases: readonly string[];
}

/**
 * Clusters the phrases of a table and writes its rows with three added columns: `group` (from 1, by first row),
 * `representative` (the phrase of the group) and `similarity` to it. Rows keep their order. A column of telephone numbers, dates
 * or codes is grouped as such; `similarity` is then the probability that the two are the same.
 *
 * @param output .csv, .tsv, .jsonl, .parquet or .xlsx; "-" is standard output; undefined writes nothing
 * @throws TableError, also if `table.column` is not given and the chosen column holds categories; ArgumentError
 */
export async function clusterTable(
  path: string,
  output: string | undefined,
  options: Options = {},
): Promise<ClusterTableReport> {
  checkNames([path], [output], options.format);
  options.signal?.throwIfAborted();
  const table = await readWholeTable(path, await boundedReading(options.table, options), options.onNote);
  noteEmpty(table, options.onNote);
  const { phrases, typed } = table;
  const unnamed = options.table?.column === undefined ? [{ table, column: table.description.column }] : [];
  refuseCategory(unnamed, commandFor("cluster", path));
  const found = await clusterColumn({ [table.description.column]: phrases }, options);
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

/** A threshold and topics are of phrases, whatever the column holds. */
async function clusterColumn(columns: TableColumns, options: Options): Promise<Clustering> {
  const [[name, cells]] = Object.entries(columns);
  const plan = planColumns(columns, undefined, { on: [name] });
  const asked = options.threshold ?? options.k;
  if (asked === undefined && rowsOf(columns) > 0 && phraseColumn([columns], plan) === undefined)
    return clusterCells(columns, { ...options, ...(await withinMemory([columns], plan, options)) });
  const { spill } = await phrasesWithinMemory(cells, options);
  const [texts] = await textsInOneScript([cells]);
  const note = scriptNote([[cells, texts]]);
  if (note !== undefined) options.onNote?.(note);
  return cluster(texts, { ...options, spill });
}

async function clusterCells(columns: TableColumns, { onProgress, ...options }: Options): Promise<Clustering> {
  const { report, table, doubtful } = await duplicatesByColumns(columns, {
    ...{ ...options, on: Object.keys(columns), known: [] },
    onProgress: onProgress && ((stage, done, total) => onProgress(done, total, stage)),
  });
  const { groupOf, sureOf, probabilityOf } = table;
  const { starts, order } = placesByNumber(groupOf);
  const representatives = Int32Array.from(starts.subarray(0, -1), (start) => order[start]);
  const rows = Int32Array.from(groupOf.keys());
  const groups = phraseGroups(rows, { groups: groupOf, representatives }, (a, b) =>
    sureOf[a] === sureOf[b] ? 1 : probabilityOf(a, b),
  );
  const { estimate, low, high, promise } = report;
  return Object.assign(groups, { estimate, low, high, promise, doubtful, probability: groups.similarity });
}
