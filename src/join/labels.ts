/** Finds known pairs in the tables and calibrates the estimates with them. */
import { ArgumentError } from "../errors.js";
import { type Calibration, fitCalibration, type JudgedEstimate } from "../match/estimates/calibrate.js";
import { bestPairs, estimatePairs, type Rankings } from "../match/estimates/estimate.js";
import type { EstimateWeights } from "../match/scorer.js";
import type { ComparedColumn, LabelledPair } from "./options.js";

/** Known left rows by right row: matches, and others that are known not to match. */
export interface RowLabels {
  readonly matches: ReadonlyMap<number, ReadonlySet<number>>;
  readonly others: ReadonlyMap<number, ReadonlySet<number>>;
}

/**
 * Finds the labels' texts in the first compared column. A label applies to every row with its text.
 * @throws ArgumentError if the table does not have the text
 */
export function readLabels({ left, right }: ComparedColumn, labels: readonly LabelledPair[]): RowLabels {
  const matches = new Map<number, Set<number>>();
  const others = new Map<number, Set<number>>();
  if (labels.length === 0) return { matches, others };
  const [leftRows, rightRows] = [left, right].map((texts) => {
    const rows = new Map<string, number[]>();
    texts.forEach((text, row) => {
      const key = text.trim();
      rows.set(key, [...(rows.get(key) ?? []), row]);
    });
    return rows;
  });
  for (const label of labels) {
    const lefts = leftRows.get(label.left.trim());
    const rights = rightRows.get(label.right.trim());
    if (lefts === undefined || rights === undefined) {
      const [side, text] = lefts === undefined ? ["left", label.left] : ["right", label.right];
      throw new ArgumentError(
        `labels: the ${side} table has no row "${text}". Labels must match values in the tables exactly.`,
      );
    }
    const known = label.match ? matches : others;
    for (const row of rights) known.set(row, new Set([...(known.get(row) ?? []), ...lefts]));
  }
  return { matches, others };
}

/** The calibration that fits the labels. */
export function calibrateWith(rankings: Rankings, labels: RowLabels, weights: EstimateWeights): Calibration {
  const judged: JudgedEstimate[] = [];
  const best = bestPairs(rankings);
  const estimates = estimatePairs(rankings, best, weights);
  best.forEach(({ left }, row) => {
    if (left < 0) return;
    const matches = labels.matches.get(row);
    // If the known match is another row, this pair is known to be wrong.
    if (matches?.has(left)) judged.push({ estimate: estimates[row], match: true });
    else if (labels.others.get(row)?.has(left) || matches !== undefined) {
      judged.push({ estimate: estimates[row], match: false });
    }
  });
  return fitCalibration(judged);
}
