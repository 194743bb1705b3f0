/**
 * Precision from columns left out: among pairs accepted by the other columns, a column agrees as often as it does among
 * certain pairs if all are right, and as seldom as among near misses if all are wrong.
 */
import { missing } from "../evidence/pair-evidence.js";
import { classCount, classSizes, sizesOf } from "../weights/pair-classes.js";
import { acceptedScores, contribution, type ScoredPairs } from "./scored-pairs.js";

const leastFilled = 0.3;
/** Least difference between certain pairs and near misses for a column to be a witness. */
const leastContrast = 0.15;
/** How far below the edge of the accepted scores near misses reach. */
const nearMiss = 3;
const edgeQuantile = 0.02;
/** Errors are shared between columns: the witnesses see about two thirds of them. */
const unseen = 1.5;

/** Undefined if no column is a witness. */
export function leftOutPrecision(pairs: ScoredPairs): number | undefined {
  const { table, accepted } = pairs;
  const ofAccepted = sizesOf(
    accepted.map((pair) => table.classOf[pair]),
    classCount(table),
  );
  const sizes = { all: classSizes(table), accepted: ofAccepted };
  const witnesses = table.columns.flatMap(({ field }, column) => {
    const found = field < 0 ? undefined : witness(pairs, sizes, column);
    return found === undefined ? [] : [found];
  });
  if (witnesses.length === 0) return undefined;
  witnesses.sort((a, b) => a.share - b.share);
  const half = witnesses.reduce((sum, { coverage }) => sum + coverage, 0) / 2;
  let [sum, median] = [0, 0];
  for (const { share, coverage } of witnesses) {
    if (sum >= half) break;
    sum += coverage;
    median = share;
  }
  return 1 - unseen * (1 - Math.min(1, median));
}

/** How many pairs are of each class. */
interface Sizes {
  readonly all: Uint32Array;
  readonly accepted: Uint32Array;
}

/** The share of right pairs as one column sees it, and the share of accepted pairs in which it is filled. */
function witness(
  pairs: ScoredPairs,
  sizes: Sizes,
  column: number,
): { share: number; coverage: number } | undefined {
  const { table, logOdds, weights } = pairs;
  const levels = table.levels[column];
  // Columns made from the left-out one are left out too.
  const hidden = table.columns.flatMap((other, index) =>
    index === column || other.from === table.columns[column].field ? [index] : [],
  );
  const without = logOdds.map(
    (score, place) => score - hidden.reduce((sum, index) => sum + contribution(pairs, index, place), 0),
  );
  const scores = acceptedScores(pairs, without);
  const better = scores[Math.floor(scores.length / 2)];
  const edge = scores[Math.floor(edgeQuantile * scores.length)] - nearMiss;
  const groups = { certain: [0, 0], all: [0, 0], missed: [0, 0] };
  const add = (group: number[], place: number, count: number): void => {
    group[0] += weights.match[column][levels[place]] > 0 ? count : 0;
    group[1] += count;
  };
  without.forEach((score, place) => {
    if (levels[place] === missing) return;
    const count = sizes.accepted[place];
    add(groups.all, place, count);
    if (score >= better) add(groups.certain, place, count);
    if (score >= edge) add(groups.missed, place, sizes.all[place] - count);
  });
  const coverage = groups.all[1] / Math.max(1, scores.length);
  if (coverage < leastFilled || groups.missed[1] < 10) return undefined;
  const [certain, all, missed] = [groups.certain, groups.all, groups.missed].map(
    ([sum, count]) => sum / Math.max(1, count),
  );
  if (certain - missed < leastContrast) return undefined;
  return { share: (all - missed) / (certain - missed), coverage };
}
