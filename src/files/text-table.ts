/** Tables of text for a terminal. */
import stringWidth from "string-width";

/**
 * Aligns cells in columns, two spaces apart; the first row is the heading.
 *
 * @param right whether a column is aligned to the right, as numbers are; default none
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  right: (column: number) => boolean = () => false,
): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
    });
  }
  const pad = (cell: string, column: number): string => {
    const space = " ".repeat(widths[column] - stringWidth(cell));
    return right(column) ? space + cell : cell + space;
  };
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
