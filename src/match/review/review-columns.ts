/** The tables and the columns of a review file. */
import type { AlignedNames, TableColumns } from "../columns/align.js";

/** The tables of a review: two, or one that is compared with itself. */
export interface ReviewedTables {
  readonly left: TableColumns;
  readonly right?: TableColumns;
  /** Columns that belong together: shown first, side by side. Default: those of one name. */
  readonly columns?: readonly AlignedNames[];
}

export const sides = ["left", "right"] as const;
export type Side = (typeof sides)[number];

/** Header of a table's cells in the file. "left_row" is the number of the row. */
export const cellHeader = (side: Side, name: string): string =>
  name.trim().toLowerCase() === "row" ? `${side}_${name} (cell)` : `${side}_${name}`;

export const rowHeader = (side: Side): string => `${side}_row`;
