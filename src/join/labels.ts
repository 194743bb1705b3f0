/** Applies known pairs: finds their rows, puts known matches first, and calibrates the estimates. */
import { ArgumentError } from "../errors.js";
import { type Calibration, fitCalibration, type JudgedEstimate } from "../match/estimates/calibrate.js";
import { candidatesOf, estimatePairs, type Rankings, type RowPair } from "../match/estimates/estimate.js";
import { groupBy } from "../match/group-by.js";
import type { EstimateWeights } from "../match/scorer.js";
import type { ComparedColumn, LabelledPair } from "./options.js";

/** Known left rows by right row: matches, and others that are known not to match. */
export interface RowLabels {
  readonly matches: ReadonlyMap<number, ReadonlySet<number>>;
  readonly others: ReadonlyMap<number, ReadonlySet<number>>;
}

export const noLabels: RowLabels = { matches: new Map(), others: new Map() };

/**
 * Finds the labels' texts in the first compared column. A label applies to every row with its text.
 * @throws ArgumentError if the table does not have the text
 */
export function readLabels({ left, right }: ComparedColumn, labels: readonly LabelledPair[]): RowLabels {
  const matches = new Map<number, Set<number>>();
  const others = new Map<number, Set<number>>();
  if (labels.length === 0) return { matches, others };
  const [leftRows, rightRows] = [left, right].map((texts) =>
    groupBy(texts.keys(), (row) => texts[row].trim()),
  );
  const find = (rows: ReadonlyMap<string, number[]>, side: string, text: string): readonly number[] => {
    const found = rows.get(text.trim());
    if (found !== undefined) return found;
    throw new ArgumentError(
      `labels: the ${side} table has no row "${text}". Labels must match values in the tables exactly.`,
    );
  };
  for (const label of labels) {
    const lefts = find(leftRows, "left", label.left);
    const known = label.match ? matches : others;
    for (const row of find(rightRows, "right", label.right))
      known.set(row, new Set([...(known.get(row) ?? []), ...lefts]));
  }
  return { matches, others };
}

/** The best left row of each right row that is not a known non-match; a known match comes first. */
export function openPairs({ right }: Rankings, labels: RowLabels): RowPair[] {
  return Array.from({ length: right.rows.length / right.keep }, (_, row): RowPair => {
    const taken = labels.others.get(row);
    const matches = labels.matches.get(row);
    const open = candidatesOf(right, row).filter(({ left }) => !taken?.has(left));
    const best = open.find(({ left }) => matches?.has(left)) ?? open[0] ?? { left: -1, score: -Infinity };
    // A known match counts even if it was not among the candidates.
    const [known] = matches === undefined || matches.has(best.left) ? [best.left] : matches;
    return { left: known, score: best.score, taken };
  });
}

export function calibrateWith(rankings: Rankings, labels: RowLabels, weights: EstimateWeights): Calibration {
  const judged: JudgedEstimate[] = [];
  const best = openPairs(rankings, noLabels);
  const estimates = estimatePairs(rankings, best, weights);
  best.forEach(({ left }, row) => {
    const matches = labels.matches.get(row);
    // If the known match is another row, this pair is known to be wrong.
    const isJudged = matches !== undefined || labels.others.get(row)?.has(left);
    if (left >= 0 && isJudged) judged.push({ estimate: estimates[row], match: matches?.has(left) ?? false });
  });
  return fitCalibration(
    judged,
    estimates.filter((_, row) => best[row].left >= 0),
  );
}
