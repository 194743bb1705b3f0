/** Files of pairs: reads labels and decisions, writes proposed pairs for review and known pairs for training. */
import { basename } from "node:path";
import { TableError } from "../errors.js";
import { groupBy } from "../match/group-by.js";
import { readWholeTable } from "../table/whole-table.js";
import { writeRows } from "../table/write/text-rows.js";
import { explanationLine } from "./explanation-line.js";
import type { ComparedColumn, JoinResult, LabelledPair } from "./options.js";

const yes = ["yes", "y", "1", "true", "match"];
const no = ["no", "n", "0", "false", "non-match"];

/**
 * Reads known pairs from the columns left, right and decision (or match, label, is_match), or else from the first three
 * columns. Without a third column every pair is a match. Rows with an empty decision are skipped.
 * @throws TableError for an unknown decision (with its row), and if no row has a decision
 */
export async function readLabelsFile(path: string): Promise<LabelledPair[]> {
  const name = basename(path);
  const table = await readWholeTable(path, { column: "1" });
  const columns = labelColumns(name, table.description.columns).map((column) => table.columns[column]);
  const [lefts, rights, decisions] = columns;
  const labels: LabelledPair[] = [];
  lefts.forEach((left, row) => {
    const answer = decisions === undefined ? "yes" : decisions[row].trim().toLowerCase();
    if (answer === "") return;
    const place = `${name}, row ${row + 1}`;
    if (![...yes, ...no].includes(answer))
      throw new TableError(
        `${place}: "${decisions[row]}" is not a decision. Write yes or no, or leave it empty.`,
      );
    if (left.trim() === "" || rights[row].trim() === "")
      throw new TableError(`${place}: left or right is empty. Fill in both.`);
    labels.push({ left, right: rights[row], match: yes.includes(answer) });
  });
  if (labels.length === 0)
    throw new TableError(`${name}: no row has a decision. Write yes or no beside some pairs.`);
  const known = new Map<string, boolean>();
  for (const { left, right, match } of labels) {
    const key = JSON.stringify([left, right]);
    if (known.get(key) === !match)
      throw new TableError(
        `${name}: "${left}" and "${right}" are marked both as a match and as a non-match. Keep one of the two.`,
      );
    known.set(key, match);
  }
  return labels;
}

function labelColumns(path: string, names: readonly string[]): string[] {
  const find = (wanted: readonly string[]): string | undefined =>
    names.find((name) => wanted.includes(name.trim().toLowerCase()));
  const [left, right] = [find(["left"]), find(["right"])];
  const decision = find(["decision", "match", "label", "is_match"]);
  if (left !== undefined && right !== undefined)
    return decision === undefined ? [left, right] : [left, right, decision];
  if (names.length < 2)
    throw new TableError(
      `${path}: found one column (${names[0]}), expected left, right and, if some pairs do not match, decision.`,
    );
  return names.slice(0, 3);
}

/** Columns of a review file; a person fills in `decision` with yes or no. */
const reviewColumns = [
  ...["decision", "left", "right", "second_best_left", "estimated_precision"],
  ...["joined", "right_row", "left_row", "why"],
];

/**
 * Writes every proposed pair without a label. Pairs nearest to even odds come first, because their decisions improve the
 * estimates most.
 * @returns the number of pairs written
 */
export async function writeReview(
  path: string,
  texts: Pick<ComparedColumn, "left" | "right">,
  { proposals, matches, runnersUp, explain }: JoinResult,
  labels: readonly LabelledPair[],
): Promise<number> {
  const joined = new Set(matches.map(({ left, right }) => `${left} ${right}`));
  const keyOf = (left: string, right: string): string => JSON.stringify([left.trim(), right.trim()]);
  const decided = new Set(labels.map(({ left, right }) => keyOf(left, right)));
  const doubt = (estimate: number): number => Math.abs(estimate - 0.5);
  const open = proposals
    .filter(({ left, right }) => !decided.has(keyOf(texts.left[left], texts.right[right])))
    .sort((a, b) => doubt(a.estimatedPrecision) - doubt(b.estimatedPrecision) || a.right - b.right);
  const rows = open.map(({ left, right, estimatedPrecision }) => [
    "",
    texts.left[left],
    texts.right[right],
    runnersUp[right] < 0 ? "" : texts.left[runnersUp[right]],
    estimatedPrecision.toFixed(4),
    joined.has(`${left} ${right}`) ? "yes" : "no",
    String(right + 1),
    String(left + 1),
    explanationLine(explain(left, right)),
  ]);
  return writeRows(path, reviewColumns, [rows]);
}

export interface PairsReport {
  readonly pairs: number;
  readonly withNegative: number;
}

/**
 * Writes the known matches as pairs for `pearl finetune`: text (right), positive (left) and a hard negative, which is a
 * left row known not to match or, without one, the row's second-best candidate.
 */
export async function writePairs(
  path: string,
  texts: Pick<ComparedColumn, "left" | "right">,
  { runnersUp }: JoinResult,
  labels: readonly LabelledPair[],
): Promise<PairsReport> {
  const known = labels.map(({ left, right, match }) => ({ left: left.trim(), right: right.trim(), match }));
  const matches = known.filter(({ match, left, right }) => match && left !== right);
  if (matches.length === 0)
    throw new TableError(
      `${path}: no pairs to write. Pairs are made from the matches among the labels or decisions.`,
    );
  const rightRow = new Map(texts.right.map((text, row) => [text.trim(), row]));
  const rejected = new Map(known.filter(({ match }) => !match).map(({ left, right }) => [right, left]));
  const positives = groupBy(matches, ({ right }) => right);
  const rows = matches.map(({ left, right }) => {
    const second = runnersUp[rightRow.get(right) ?? -1] ?? -1;
    const negative = rejected.get(right) ?? (second >= 0 ? texts.left[second].trim() : "");
    const isPositive = positives.get(right)!.some((pair) => pair.left === negative);
    return [right, left, isPositive ? "" : negative];
  });
  await writeRows(path, ["text", "positive", "negative"], [rows]);
  return { pairs: rows.length, withNegative: rows.filter(([, , negative]) => negative !== "").length };
}
