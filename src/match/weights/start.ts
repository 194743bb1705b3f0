/** Where learning starts: the pairs that agree on what pairs rarely agree on. */
import { missing } from "../evidence/levels.js";
import { placeIn } from "./chosen-places.js";
import type { Posteriors } from "./expected-counts.js";
import { type Probabilities, pairBlocks } from "./pair-blocks.js";
import { classCount, classSizes } from "./pair-classes.js";
import { competingSides, levelTotals, type PairSide, type PairTable, type Relation } from "./pair-table.js";

/**
 * The share of the rows whose number of pairs is seeded. A quarter lets the fit of one of 264 tables of look-alikes take a whole
 * topic and year for one paper (F1 .061, else 1). An eighth changes one other (.990, .986) and none of 15 public sets; a twelfth
 * gives what an eighth does, but for two tables.
 */
const seededShare = 1 / 8;
const seeded = 0.9;
const unseeded = 0.001;

/** @param shares by column: how much it counts */
export function startingPosteriors(
  table: PairTable,
  relation: Relation,
  shares: readonly number[],
): Posteriors {
  const scores = surprises(table, shares);
  if (relation === "many-to-many") return seededClasses(table, scores);
  return { match: mutualBest(table, scores, relation) };
}

/** The most surprising pairs are seeded, of equally surprising ones the first. */
function seededClasses(table: PairTable, scores: Float64Array): Posteriors {
  const { classOf, rows } = table;
  const pairs = classOf.length;
  const sizes = classSizes(table);
  const ascending = Int32Array.from(scores.keys()).sort((a, b) => scores[a] - scores[b]);
  const scoreAt = (rank: number): number => {
    let before = 0;
    for (const place of ascending) {
      before += sizes[place];
      if (before > rank) return scores[place];
    }
    return 0;
  };
  const best = Math.min(pairs, Math.ceil(Math.min(...rows) * seededShare));
  const least = scoreAt(pairs - best);
  let open = scores.reduce((rest, score, place) => rest - (score > least ? sizes[place] : 0), best);
  let end = 0;
  for (; open > 0; end++) if (scores[classOf[end]] === least) open--;
  const median = scoreAt(Math.floor(0.5 * pairs));
  /** Numbers of seeded pairs, and of others by the score of their class. */
  const bySeed =
    (ofSeeded: number, ofScore: (score: number) => number): Probabilities =>
    ({ from, classOf: places }, into) => {
      for (let at = 0; at < places.length; at++) {
        const score = scores[places[at]];
        const isSeeded = score > least || (score === least && from + at < end);
        into[at] = isSeeded ? ofSeeded : ofScore(score);
      }
    };
  return {
    match: bySeed(seeded, () => unseeded),
    related: bySeed((1 - seeded) * 0.2, (score) => (1 - unseeded) * (score > median ? 0.7 : 0.2)),
  };
}

/** Of each class: sum over columns of -ln(share of all pairs that agree at least as well), less its mean over the candidates. */
function surprises(table: PairTable, shares: readonly number[]): Float64Array {
  const scores = new Float64Array(classCount(table));
  const totals = levelTotals(table);
  const sizes = classSizes(table);
  shares.forEach((share, column) => {
    const surprise = new Float64Array(totals[column].length);
    let above = 0;
    for (let level = surprise.length - 1; level >= 0; level--) {
      above += totals[column][level];
      surprise[level] = -Math.log(Math.max(above, 0.5));
    }
    const levels = table.levels[column];
    let [sum, filled] = [0, 0];
    sizes.forEach((size, place) => {
      if (levels[place] === missing) return;
      sum += size * surprise[levels[place]];
      filled += size;
    });
    const mean = sum / Math.max(1, filled);
    for (let place = 0; place < scores.length; place++)
      if (levels[place] !== missing) scores[place] += share * (surprise[levels[place]] - mean);
  });
  return scores;
}

/**
 * Seeds pairs that are the best of their rows, of each side that has one partner: the half of them that stands out most against
 * rivals.
 * @param scores of each class
 */
function mutualBest(table: PairTable, scores: Float64Array, relation: Relation): Probabilities {
  const sides = competingSides(table, relation).map((side) => {
    return { rowOf: side.rowOf, ...bestTwo(side, table, scores) };
  });
  const mutual = sides[0].best.filter(
    (pair) => pair >= 0 && sides.every(({ rowOf, best }) => best[rowOf(pair)] === pair),
  );
  const leads = Float64Array.from(mutual, (pair) => {
    const rival = Math.max(0, ...sides.map(({ rowOf, second }) => second[rowOf(pair)]));
    return 2 * scores[table.classOf[pair]] - rival;
  });
  const order = Int32Array.from(mutual.keys()).sort((a, b) => leads[b] - leads[a] || mutual[a] - mutual[b]);
  const seeds = order
    .subarray(0, Math.ceil(order.length / 2))
    .map((place) => mutual[place])
    .sort();
  return ({ from, right }, into) => {
    into.fill(unseeded, 0, right.length);
    const first = placeIn(0, seeds.length, (place) => seeds[place] < from);
    for (let place = first; seeds[place] < from + right.length; place++) into[seeds[place] - from] = seeded;
  };
}

/** The best pair of each row, -1 without one, and the scores of the best and the second best. */
function bestTwo({ name, rows }: PairSide, table: PairTable, scores: Float64Array) {
  const best = new Int32Array(rows).fill(-1);
  const [first, second] = [0, 1].map(() => new Float64Array(rows).fill(-Infinity));
  for (const { from, classOf, [name]: rowOf } of pairBlocks(table))
    for (let at = 0; at < rowOf.length; at++) {
      const [row, score] = [rowOf[at], scores[classOf[at]]];
      if (best[row] < 0 || score > first[row]) {
        second[row] = first[row];
        first[row] = score;
        best[row] = from + at;
      } else if (score > second[row]) second[row] = score;
    }
  return { best, second };
}
