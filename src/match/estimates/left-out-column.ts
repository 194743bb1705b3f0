/**
 * Precision from columns left out: among pairs accepted by the other columns, a column agrees as often as it does among
 * certain pairs if all are right, and as seldom as among near misses if all are wrong.
 */
import { missing } from "../evidence/pair-evidence.js";
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
  const witnesses = pairs.table.columns.flatMap(({ field }, column) => {
    const found = field < 0 ? undefined : witness(pairs, column);
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

/** The share of right pairs as one column sees it, and the share of accepted pairs in which it is filled. */
function witness(pairs: ScoredPairs, column: number): { share: number; coverage: number } | undefined {
  const { table, logOdds, accepted, weights } = pairs;
  const levels = table.levels[column];
  // Columns made from the left-out one are left out too.
  const hidden = table.columns.flatMap((other, index) =>
    index === column || other.from === table.columns[column].field ? [index] : [],
  );
  const without = logOdds.map(
    (score, place) => score - hidden.reduce((sum, index) => sum + contribution(pairs, index, place), 0),
  );
  const scores = acceptedScores(pairs, without);
  const agrees = (place: number): number => (weights.match[column][levels[place]] > 0 ? 1 : 0);
  const better = scores[Math.floor(scores.length / 2)];
  const edge = scores[Math.floor(edgeQuantile * scores.length)] - nearMiss;
  const groups = { certain: [0, 0], all: [0, 0], missed: [0, 0] };
  const add = (group: number[], place: number): void => {
    group[0] += agrees(place);
    group[1]++;
  };
  for (let pair = 0; pair < accepted.length; pair++) {
    const place = table.classOf[pair];
    if (levels[place] === missing) continue;
    if (accepted[pair] === 1) {
      add(groups.all, place);
      if (without[place] >= better) add(groups.certain, place);
    } else if (without[place] >= edge) add(groups.missed, place);
  }
  const coverage = groups.all[1] / Math.max(1, scores.length);
  if (coverage < leastFilled || groups.missed[1] < 10) return undefined;
  const [certain, all, missed] = [groups.certain, groups.all, groups.missed].map(
    ([sum, count]) => sum / Math.max(1, count),
  );
  if (certain - missed < leastContrast) return undefined;
  return { share: (all - missed) / (certain - missed), coverage };
}
