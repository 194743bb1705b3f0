/** Rows that are equal in the compared column, and different in the rest of the table. */

import { cellWords } from "../../match/cells/cell-words.js";
import type { TableColumns } from "../../match/columns/align.js";
import { profileColumn } from "../../match/columns/profile.js";

/** Other columns that both rows must fill: a single one may hold prices or dates, which change. */
const leastCompared = 2;

/**
 * Whether two rows differ in most of the other columns that both fill: two persons named Smith are not one person. Cells
 * agree that share half of the shorter one's words. Columns that tell nothing, such as numbering, are left out.
 */
export function contradictions(columns: TableColumns, compared: string): (a: number, b: number) => boolean {
  const others = Object.entries(columns)
    .filter(([name, cells]) => name !== compared && profileColumn(name, cells).dropped === undefined)
    .map(([, cells]) => cells);
  return (a, b) => {
    if (others.length < leastCompared) return false;
    const filled = others
      .map((cells) => [new Set(cellWords(cells[a])), new Set(cellWords(cells[b]))])
      .filter(([one, two]) => one.size > 0 && two.size > 0);
    const agreeing = filled.filter(([one, two]) => {
      const shared = [...one].filter((word) => two.has(word)).length;
      return 2 * shared >= Math.min(one.size, two.size);
    });
    return filled.length >= leastCompared && 2 * agreeing.length < filled.length;
  };
}
