/** Whether a cell says anything: an empty one does not, nor does a word that stands for none. */
import { isVisible } from "../../text/visible.js";

const placeholders = new Set(["n/a", "null", "none", "nan", "unknown", "-", "?"]);

export const isFilled = (cell: string): boolean =>
  isVisible(cell) && !placeholders.has(cell.trim().toLowerCase());

/** The same cells with empty ones in place of those that say nothing. */
export const filledOnly = (cells: readonly string[]): readonly string[] =>
  cells.every((cell) => cell === "" || isFilled(cell))
    ? cells
    : cells.map((cell) => (isFilled(cell) ? cell : ""));
