/** Applies known pairs: puts known matches first, and calibrates the estimates. */
import { groupBy } from "../../by-key.js";
import { ArgumentError } from "../../errors.js";
import type { JoinColumn } from "../../match/columns.js";
import type { KnownPair } from "../../match/compare-tables.js";
import { type Calibration, fitCalibration, type JudgedEstimate } from "../../match/estimates/calibrate.js";
import { candidatesOf, estimatePairs, type Rankings, type RowPair } from "../../match/estimates/estimate.js";
import type { EstimateWeights } from "../../match/scorer.js";

/** Known left rows by right row: matches, and others that are known not to match. */
export interface RowLabels {
  readonly matches: ReadonlyMap<number, ReadonlySet<number>>;
  readonly others: ReadonlyMap<number, ReadonlySet<number>>;
}

export const noLabels: RowLabels = { matches: new Map(), others: new Map() };

/** Known pairs by right row. A known pair counts for every row with the texts of its rows. */
export function readLabels({ left, right }: JoinColumn, known: readonly KnownPair[]): RowLabels {
  const matches = new Map<number, Set<number>>();
  const others = new Map<number, Set<number>>();
  if (known.length === 0) return { matches, others };
  const [leftRows, rightRows] = [left, right].map((texts) =>
    groupBy(texts.keys(), (row) => texts[row].trim()),
  );
  for (const pair of known) {
    const [leftText, rightText] = [left[pair.left], right[pair.right]];
    if (leftText === undefined || rightText === undefined)
      throw new ArgumentError(`known: there is no pair of rows ${pair.left} and ${pair.right}`);
    const rows = pair.match ? matches : others;
    const [same, added] = [rightRows.get(rightText.trim())!, leftRows.get(leftText.trim())!];
    // One set for all rows with the right text. Rows with the left text are added together, and once.
    const known = rows.get(same[0]) ?? new Set();
    if (known.size === 0) for (const row of same) rows.set(row, known);
    if (!known.has(added[0])) for (const row of added) known.add(row);
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

/** Calibrates with the known pairs: one of texts that many rows have counts once. */
export function calibrateWith(rankings: Rankings, labels: RowLabels, weights: EstimateWeights): Calibration {
  const judged = new Map<string, JudgedEstimate>();
  const best = openPairs(rankings, noLabels);
  const estimates = estimatePairs(rankings, best, weights);
  best.forEach(({ left }, row) => {
    const matches = labels.matches.get(row);
    // If the known match is another row, this pair is known to be wrong.
    const isJudged = matches !== undefined || labels.others.get(row)?.has(left);
    if (left < 0 || !isJudged) return;
    const match = matches?.has(left) ?? false;
    const answer = `${rankings.leftKeys[left]} ${rankings.rightKeys[row]} ${match}`;
    judged.set(answer, judged.get(answer) ?? { estimate: estimates[row], match });
  });
  return fitCalibration(
    [...judged.values()],
    estimates.filter((_, row) => best[row].left >= 0),
  );
}
