/** Files of known pairs: reads labels and review decisions, and writes them as training pairs. */
import { basename } from "node:path";
import { TableError } from "../errors.js";
import { readWholeTable } from "../table/whole-table.js";
import { writeRows } from "../table/write/text-rows.js";
import type { JoinResult, LabelledPair } from "./options.js";

const answers: Readonly<Record<string, boolean>> = {
  yes: true,
  y: true,
  "1": true,
  true: true,
  match: true,
  no: false,
  n: false,
  "0": false,
  false: false,
  "non-match": false,
};

const decisionNames = ["decision", "match", "label", "is_match"];

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
    const place = `${name} row ${row + 1}`;
    if (!Object.hasOwn(answers, answer)) {
      throw new TableError(
        `${place}: "${decisions[row]}" is not a decision. Write yes or no, or leave it empty.`,
      );
    }
    if (left.trim() === "" || rights[row].trim() === "") {
      throw new TableError(`${place}: left or right is empty. Fill in both.`);
    }
    labels.push({ left, right: rights[row], match: answers[answer] });
  });
  if (labels.length === 0) {
    throw new TableError(`${name}: no row has a decision. Write yes or no beside some pairs.`);
  }
  refuseContradictions(name, labels);
  return labels;
}

function labelColumns(path: string, names: readonly string[]): string[] {
  const find = (wanted: readonly string[]): string | undefined =>
    names.find((name) => wanted.includes(name.trim().toLowerCase()));
  const [left, right, decision] = [find(["left"]), find(["right"]), find(decisionNames)];
  if (left !== undefined && right !== undefined)
    return decision === undefined ? [left, right] : [left, right, decision];
  if (names.length < 2) {
    throw new TableError(
      `${path}: found one column (${names[0]}), expected left, right and, if some pairs do not match, decision.`,
    );
  }
  return names.slice(0, 3);
}

function refuseContradictions(path: string, labels: readonly LabelledPair[]): void {
  const known = new Map<string, boolean>();
  for (const { left, right, match } of labels) {
    const key = JSON.stringify([left, right]);
    if (known.get(key) === !match) {
      throw new TableError(
        `${path}: "${left}" and "${right}" are marked both as a match and as a non-match. Keep one of the two.`,
      );
    }
    known.set(key, match);
  }
}

/** How many training pairs were written. */
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
  texts: { readonly left: readonly string[]; readonly right: readonly string[] },
  { runnersUp }: JoinResult,
  labels: readonly LabelledPair[],
): Promise<PairsReport> {
  const matches = labels.filter(({ match, left, right }) => match && left.trim() !== right.trim());
  if (matches.length === 0) {
    throw new TableError(
      `${path}: no pairs to write. Pairs are made from the matches among the labels or decisions.`,
    );
  }
  const rightRow = new Map(texts.right.map((text, row) => [text.trim(), row]));
  const rejected = new Map<string, string>();
  for (const { left, right, match } of labels) if (!match) rejected.set(right.trim(), left.trim());
  const positives = new Map<string, Set<string>>();
  for (const { left, right } of matches) {
    positives.set(right.trim(), new Set([...(positives.get(right.trim()) ?? []), left.trim()]));
  }
  const rows = matches.map(({ left, right }) => {
    const second = runnersUp[rightRow.get(right.trim()) ?? -1] ?? -1;
    const negative = rejected.get(right.trim()) ?? (second >= 0 ? texts.left[second].trim() : "");
    return [right.trim(), left.trim(), positives.get(right.trim())!.has(negative) ? "" : negative];
  });
  await writeRows(path, ["text", "positive", "negative"], [rows]);
  return { pairs: rows.length, withNegative: rows.filter(([, , negative]) => negative !== "").length };
}
