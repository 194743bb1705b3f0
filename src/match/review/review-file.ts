/** Files for a person to judge pairs in: pairs of rows with their cells side by side, a column for decisions first. */
import { type Cell, numberCell, type OutputColumn } from "../../table/cell.js";
import { batchesOf } from "../../table/whole-table.js";
import { writeRows } from "../../table/write/text-rows.js";
import type { AlignedNames, TableColumns } from "../columns/align.js";

import { cellHeader, type ReviewedTables, rowHeader, sides } from "./review-columns.js";

export { readDecisions } from "./read-decisions.js";
export type { ReviewedTables } from "./review-columns.js";

/** A pair of rows, counted from 0, for a person to judge. */
export interface ReviewPair {
  readonly left: number;
  readonly right: number;
  readonly probability: number;
  /** Whether the rows are joined, or in one group, as long as nobody judges them. */
  readonly accepted: boolean;
  readonly why: string;
}

/**
 * Writes pairs in the given order.
 * @param path .csv, .tsv, .jsonl or .parquet; "-" is standard output
 * @returns the number of pairs
 */
export async function writeReview(
  path: string,
  { left, right = left, columns }: ReviewedTables,
  pairs: Iterable<ReviewPair>,
): Promise<number> {
  const shown = (columns ?? everyColumn(left, right)).flatMap(([name, other]) => [
    { header: cellHeader("left", name), cells: left[name], side: "left" as const },
    { header: cellHeader("right", other), cells: right[other], side: "right" as const },
  ]);
  const heading: OutputColumn[] = [
    "decision",
    { name: "probability", type: "DOUBLE" },
    "joined",
    ...sides.map((side) => ({ name: rowHeader(side), type: "BIGINT" })),
    ...shown.flatMap(({ header, cells }) => (cells === undefined ? [] : [header])),
    "why",
  ];
  const cellsOf = (pair: ReviewPair): Cell[] => [
    "",
    numberCell(pair.probability, 4),
    pair.accepted ? "yes" : "no",
    ...sides.map((side) => numberCell(pair[side] + 1)),
    ...shown.flatMap(({ cells, side }) => (cells === undefined ? [] : [cells[pair[side]]])),
    pair.why,
  ];
  return writeRows(path, heading, batchesOf(pairs, cellsOf));
}

/** Columns of one name side by side, then those of the left and of the right table alone. */
function everyColumn(left: TableColumns, right: TableColumns): AlignedNames[] {
  const more = Object.keys(right).filter((name) => !Object.hasOwn(left, name));
  return [...Object.keys(left), ...more].map((name) => [name, name]);
}
