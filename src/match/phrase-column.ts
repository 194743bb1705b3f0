/**
 * The one choice of how rows are compared: one column of phrases by the scorer that comes with pearl; several columns, and one of
 * codes, dates, numbers or telephones or with a comparison of its own, by weights learned from the tables. Weights that are
 * learned from one column of phrases see one view of each pair, and promise what nothing confirms.
 */
import { cellWords } from "./cells/cell-words.js";
import type { TableColumns } from "./columns/align.js";
import { both, type ColumnOptions, type ColumnPlan, fieldKind } from "./columns/fields.js";
import { type ColumnKind, type ColumnProfile, isText, profileColumn } from "./columns/profile.js";
import type { ColumnReport } from "./explain.js";

export const isPhrases = (kind: ColumnKind): boolean => isText(kind) || kind === "category";

/** The column of phrases that a plan compares alone; undefined where rows are compared otherwise. */
export function phraseColumn(
  [left, right]: readonly TableColumns[],
  { pairs, profiles }: ColumnPlan,
  { kindOf, comparisons }: ColumnOptions = {},
): ColumnReport | undefined {
  const [pair, ...others] = pairs;
  // Each comparison of a user's own is of a compared column.
  if (pair === undefined || others.length > 0 || comparisons !== undefined) return undefined;
  const [name, other] = pair;
  const profile =
    right === undefined ? profiles.get(name)! : profileColumn(name, both(left[name], right[other]));
  const column = reportOf(profile, other, kindOf);
  return isPhrases(column.kind) ? column : undefined;
}

/** What is reported of a column that is compared alone. @param other its header in the right table */
export function reportOf(profile: ColumnProfile, other: string, kindOf?: ColumnOptions["kindOf"]) {
  const { name, distinct, filled, rows } = profile;
  const kind = fieldKind({ name, other, profile }, { kindOf });
  return { name, other, kind, filled: filled / Math.max(1, rows), distinct, weights: [] };
}

/** Other columns that both rows must fill: a single one may hold prices or dates, which change. */
const leastCompared = 2;

/**
 * Whether two rows differ in most of the other columns that both fill: two persons named Smith are not one person. Cells
 * agree that share half of the shorter one's words. Columns that tell nothing, such as numbering, are left out. Undefined if
 * there are too few others.
 */
export function contradictions(
  columns: TableColumns,
  compared: string,
): ((a: number, b: number) => boolean) | undefined {
  const others = Object.entries(columns)
    .filter(([name, cells]) => name !== compared && profileColumn(name, cells).dropped === undefined)
    .map(([, cells]) => cells);
  if (others.length < leastCompared) return undefined;
  return (a, b) => {
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
