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
  readonly matches: RowSets;
  readonly others: RowSets;
  /** The matches that were given as these very rows, not by equal texts. */
  readonly confirmed: RowSets;
}

type RowSets = ReadonlyMap<number, ReadonlySet<number>>;

export const noLabels: RowLabels = { matches: new Map(), others: new Map(), confirmed: new Map() };

/**
 * Known pairs by right row. A known pair counts for every row with the texts of its rows, unless some rows of these texts
 * match and others do not: then each answer counts for its own rows.
 */
export function readLabels({ left, right }: JoinColumn, known: readonly KnownPair[]): RowLabels {
  const [matches, others, confirmed] = [1, 2, 3].map(() => new Map<number, Set<number>>());
  if (known.length === 0) return { matches, others, confirmed };
  const [leftRows, rightRows] = [left, right].map((texts) =>
    groupBy(texts.keys(), (row) => texts[row].trim()),
  );
  const textsOf = (pair: KnownPair): string[] => [left[pair.left].trim(), right[pair.right].trim()];
  for (const pair of known)
    if (left[pair.left] === undefined || right[pair.right] === undefined)
      throw new ArgumentError(`known: there is no pair of rows ${pair.left} and ${pair.right}`);
  const answers = [...groupBy(known, (pair) => JSON.stringify(textsOf(pair))).values()];
  const isAgreed = (pairs: readonly KnownPair[]): boolean =>
    pairs.every(({ match }) => match === pairs[0].match);
  for (const pairs of answers.filter(isAgreed)) {
    const [leftText, rightText] = textsOf(pairs[0]);
    const rows = pairs[0].match ? matches : others;
    const same = rightRows.get(rightText)!;
    // One set for all rows with the right text.
    const found = rows.get(same[0]) ?? new Set();
    if (found.size === 0) for (const row of same) rows.set(row, found);
    for (const row of leftRows.get(leftText)!) found.add(row);
  }
  const differing = answers.filter((pairs) => !isAgreed(pairs)).flat();
  for (const { left, right, match } of differing) {
    const rows = match ? matches : others;
    rows.set(right, new Set([...(rows.get(right) ?? []), left]));
  }
  for (const { left, right, match } of known)
    if (match) confirmed.set(right, (confirmed.get(right) ?? new Set()).add(left));
  return { matches, others, confirmed };
}

/** The best left row of each right row that is not a known non-match; a known match comes first, and a confirmed one before it. */
export function openPairs({ right }: Rankings, labels: RowLabels): RowPair[] {
  return Array.from({ length: right.rows.length / right.keep }, (_, row): RowPair => {
    const taken = labels.others.get(row);
    const matches = labels.confirmed.get(row) ?? labels.matches.get(row);
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
