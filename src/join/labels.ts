/** Known pairs, found in the tables, and what they say of the estimates. */
import { ArgumentError } from "../errors.js";
import { type Calibration, fitCalibration, type JudgedEstimate } from "./calibrate.js";
import { bestPairs, estimatePairs, type Rankings } from "./estimate.js";
import type { ComparedColumn, LabelledPair } from "./options.js";
import type { EstimateWeights } from "./scorer.js";

/** Labels by right row. */
export interface RowLabels {
  readonly matches: ReadonlyMap<number, ReadonlySet<number>>;
  readonly others: ReadonlyMap<number, ReadonlySet<number>>;
}

/**
 * Finds the labels' texts in the first compared column; a label counts for every row of its texts.
 * @throws ArgumentError for a text that the table does not hold
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
        `labels: the ${side} table has no row "${text}". Labels hold texts of the tables.`,
      );
    }
    const known = label.match ? matches : others;
    for (const row of rights) known.set(row, new Set([...(known.get(row) ?? []), ...lefts]));
  }
  return { matches, others };
}

/** What the labels say of the estimates of the pairs they judge. */
export function calibrateWith(rankings: Rankings, labels: RowLabels, weights: EstimateWeights): Calibration {
  const judged: JudgedEstimate[] = [];
  const best = bestPairs(rankings);
  const estimates = estimatePairs(rankings, best, weights);
  best.forEach(({ left }, row) => {
    if (left < 0) return;
    const matches = labels.matches.get(row);
    // A row whose match is known to be another one is judged as well.
    if (matches?.has(left)) judged.push({ estimate: estimates[row], match: true });
    else if (labels.others.get(row)?.has(left) || matches !== undefined) {
      judged.push({ estimate: estimates[row], match: false });
    }
  });
  return fitCalibration(judged);
}
