/** Which row of each group stays, and which rows go. */
import { groupBy } from "../match/group-by.js";

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
  /** Group of each row. */
  readonly groupOf: ArrayLike<number>;
  /** Equal for rows that are equal, or that a person has confirmed. */
  readonly sureOf: ArrayLike<number>;
  probabilityOf(row: number, keptRow: number): number;
  /** How complete each row is. Default: all equal. */
  readonly completeness?: ArrayLike<number>;
}

/** The groups of two or more rows by kept row: the most complete row of each, or the first of several. */
export function duplicateGroups({
  groupOf,
  sureOf,
  probabilityOf,
  completeness,
}: GroupedTable): DuplicateGroup[] {
  const groups: DuplicateGroup[] = [];
  for (const rows of groupBy(Array(groupOf.length).keys(), (row) => groupOf[row]).values()) {
    if (rows.length === 1) continue;
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
  return { removed, kept: Int32Array.from(isRemoved.keys()).filter((row) => isRemoved[row] === 0) };
}
