/**
 * The evidence of pairs of rows: one ordinal level per column and pair. Beside the tables' columns there are three that
 * look across columns: codes anywhere in the row, naming words anywhere in the other row, and what the names lack.
 */
import type { Pairs } from "../candidates/pair-set.js";
import type { PreparedTables } from "../columns/fields.js";
import type { RowWords } from "../columns/row-words.js";
import { codeComparison, codeLevels } from "./code-words.js";
import { crossWords } from "./cross-words.js";
import { fieldComparison, levelOf, type ValueVectors } from "./levels.js";
import { nameOpposition, oppositionLevels } from "./opposed-names.js";

/** The column that says whether names contradict each other. */
export const opposedColumn = "names opposed";

/** Level of a pair where a side is empty: says nothing. */
export const missing = -1;

/** What one column says about each pair. */
export interface EvidenceColumn {
  readonly name: string;
  /** Index of the field, -1 for a column that looks across fields. */
  readonly field: number;
  /** Index of the field that a column across fields is made from, -1 for others. */
  readonly from: number;
  readonly levels: number;
  /** Share of its learned weight that counts: less for a column that repeats another. */
  readonly share: number;
}

/** Compares rows: fills the level of each column for a pair. */
export interface RowComparison {
  readonly columns: readonly EvidenceColumn[];
  /** @param out one level array per column @param place where in the arrays */
  compare(left: number, right: number, out: readonly Int8Array[], place: number): void;
}

const crossCuts = Array.from({ length: 17 }, (_, index) => 0.15 + 0.05 * index - 1e-9);
const conflictCuts = [-0.8, -0.65, -0.5, -0.4, -0.3, -0.2, -0.1, -0.01];
/** Columns across fields repeat the naming column in part. */
const repeated = 0.5;

export function rowComparison(
  tables: PreparedTables,
  words: RowWords,
  vectors?: ValueVectors,
): RowComparison {
  const { fields, naming, vocabulary, isOneTable } = tables;
  const own = fields.map((field, index) =>
    fieldComparison(field, vocabulary, index === naming ? vectors : undefined),
  );
  const columns: EvidenceColumn[] = fields.map(({ name }, field) => {
    return { name, field, from: -1, levels: own[field].levels, share: 1 };
  });
  const codes = codeComparison(vocabulary.words, words);
  const codePlace =
    columns.push({ name: "codes anywhere", field: -1, from: -1, levels: codeLevels, share: 1 }) - 1;
  const conflictShare = isOneTable ? 1 : repeated;
  const conflictPlace =
    naming < 0
      ? -1
      : columns.push({
          name: "words missing",
          field: -1,
          from: naming,
          levels: conflictCuts.length + 1,
          share: conflictShare,
        }) - 1;
  const opposed = naming < 0 ? undefined : nameOpposition(fields[naming], words, vocabulary.words);
  const opposedPlace =
    opposed === undefined
      ? -1
      : columns.push({
          name: opposedColumn,
          field: -1,
          from: naming,
          levels: oppositionLevels,
          share: repeated,
        }) - 1;
  const hasCross = naming >= 0 && fields.length > 1;
  const cross = hasCross ? crossWords(fields[naming], words) : undefined;
  const crossPlace =
    cross === undefined
      ? -1
      : columns.push({
          name: "name anywhere",
          field: -1,
          from: naming,
          levels: crossCuts.length + 1,
          share: repeated,
        }) - 1;
  const compare: RowComparison["compare"] = (left, right, out, place) => {
    for (let index = 0; index < fields.length; index++) {
      const [a, b] = [fields[index].left[left], fields[index].right[right]];
      const level = a < 0 || b < 0 ? missing : own[index].compare(a, b);
      out[index][place] = level;
      if (index !== naming) continue;
      const unmatched = a === b ? 0 : own[index].unmatched!();
      out[conflictPlace][place] = level === missing ? missing : levelOf(-unmatched, conflictCuts);
    }
    out[codePlace][place] = codes(left, right) ?? missing;
    if (opposed !== undefined) {
      const isNamed = fields[naming].left[left] >= 0 && fields[naming].right[right] >= 0;
      out[opposedPlace][place] = isNamed ? opposed(left, right) : missing;
    }
    if (cross === undefined) return;
    const share = cross(left, right);
    out[crossPlace][place] = share < 0 ? missing : levelOf(share, crossCuts);
  };
  return { columns, compare };
}

/** Levels of all pairs: one array per column. */
export function pairLevels({ columns, compare }: RowComparison, { left, right }: Pairs): Int8Array[] {
  const levels = columns.map(() => new Int8Array(left.length));
  for (let pair = 0; pair < left.length; pair++) compare(left[pair], right[pair], levels, pair);
  return levels;
}
