/** Which row of each group stays, which rows go, and what the rows that stay take from them. */
import { groupBy } from "../by-key.js";
import { isFilled } from "../match/cells/cell-words.js";
import { chosenPlaces } from "../match/weights/chosen-places.js";
import { placesByNumber } from "../places-by-number.js";
import { type Cell, textOfCell } from "../table/cell.js";

/** A row and the row that is kept, or would be, in its place. */
export interface DuplicateRow {
  readonly row: number;
  readonly keptRow: number;
  /** Estimated probability that the two are the same thing; 1 if they are equal, or a person confirmed it. */
  readonly probability: number;
}

/** Rows that are the same thing: the row to keep, and the others. */
export interface DuplicateGroup {
  readonly kept: number;
  readonly others: readonly DuplicateRow[];
}

export interface GroupedTable {
  /** Group of each row, below the number of rows. */
  readonly groupOf: Int32Array;
  /** The same, equal for rows that are equal, or that a person has confirmed. */
  readonly sureOf: Int32Array;
  probabilityOf(row: number, keptRow: number): number;
  /** How complete each row is. Default: all equal. */
  readonly completeness?: ArrayLike<number>;
}

/** The groups of two or more rows by kept row: the most complete row of each, or the first of several. */
export function duplicateGroups(table: GroupedTable): DuplicateGroup[] {
  const { groupOf, sureOf, probabilityOf, completeness } = table;
  const groups: DuplicateGroup[] = [];
  const { starts, order } = placesByNumber(groupOf, groupOf.length);
  for (let group = 0; group < groupOf.length; group++) {
    if (starts[group + 1] - starts[group] < 2) continue;
    const rows = [...order.subarray(starts[group], starts[group + 1])];
    let kept = rows[0];
    for (const row of rows) if (completeness && completeness[row] > completeness[kept]) kept = row;
    const others = rows.filter((row) => row !== kept);
    const probability = (row: number): number =>
      sureOf[row] === sureOf[kept] ? 1 : probabilityOf(row, kept);
    groups.push({
      kept,
      others: others.map((row) => ({ row, keptRow: kept, probability: probability(row) })),
    });
  }
  return groups.sort((a, b) => a.kept - b.kept);
}

/** The rows to remove, ascending, and the rows to keep. @param which "sure": of each group only rows that are sure */
export function removedRows(table: GroupedTable, which: "all" | "sure") {
  const groups = duplicateGroups(which === "all" ? table : { ...table, groupOf: table.sureOf });
  const removed = groups.flatMap(({ others }) => others).sort((a, b) => a.row - b.row);
  const isRemoved = new Uint8Array(table.groupOf.length);
  for (const { row } of removed) isRemoved[row] = 1;
  return { removed, kept: chosenPlaces(isRemoved.length, (row) => isRemoved[row] === 0) };
}

/** The rows of each thing, ascending, in the order of the kept rows. */
export function* wholeGroups(kept: Iterable<number>, removed: readonly DuplicateRow[]): Generator<number[]> {
  const others = groupBy(removed, ({ keptRow }) => keptRow);
  for (const row of kept)
    yield [row, ...(others.get(row) ?? []).map((other) => other.row)].sort((a, b) => a - b);
}

/**
 * The kept rows that lack cells which removed rows have: each with the cells of the first one, in the order of rows.
 * @returns those rows by number, and how many cells each column gained
 */
export function filledRows(removed: readonly DuplicateRow[], cellsOf: (row: number) => readonly Cell[]) {
  const rows = new Map<number, Cell[]>();
  const gained: number[] = [];
  const isKnown = (cell: Cell): boolean => isFilled(textOfCell(cell));
  for (const { row, keptRow } of removed) {
    const own = rows.get(keptRow) ?? [...cellsOf(keptRow)];
    cellsOf(row).forEach((cell, column) => {
      if (isKnown(own[column]) || !isKnown(cell)) return;
      own[column] = cell;
      gained[column] = (gained[column] ?? 0) + 1;
      rows.set(keptRow, own);
    });
  }
  return { rows, gained };
}
