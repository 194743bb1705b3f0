/**
 * The one choice of how rows are compared: one column of phrases by the scorer that comes with pearl; several columns, and one of
 * codes, dates, numbers or telephones or with a comparison of its own, by weights learned from the tables. Weights that are
 * learned from one column of phrases see one view of each pair, and promise what nothing confirms.
 */
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
