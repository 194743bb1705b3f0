/** Where learning starts: the pairs that agree on what pairs rarely agree on. */
import { missing } from "../evidence/pair-evidence.js";
import type { Relation } from "./learn.js";
import { classCount, classSizes } from "./pair-classes.js";
import { competingSides, levelTotals, type PairSide, type PairTable } from "./pair-table.js";

/** Probabilities of the pairs, which share a number where they are alike. */
export interface Posteriors {
  /** Where the numbers of a pair are. */
  placeOf(pair: number): number;
  /** Probability of being a match. */
  readonly match: Float64Array;
  /** Probability of being related without being a match; empty where rows have one partner. */
  readonly related: Float64Array;
}

const seeded = 0.9;
const unseeded = 0.001;

export function startingPosteriors(table: PairTable, relation: Relation): Posteriors {
  const scores = surprises(table);
  if (relation === "many-to-many") return seededClasses(table, scores);
  const match = new Float64Array(table.left.length).fill(unseeded);
  for (const pair of mutualBest(table, scores, relation)) match[pair] = seeded;
  return { placeOf: (pair) => pair, match, related: new Float64Array(0) };
}

/** As many pairs as a quarter of the rows are seeded, of equal ones the first: each class has seeded pairs and others. */
function seededClasses(table: PairTable, scores: Float64Array): Posteriors {
  const { classOf, rows } = table;
  const [pairs, classes] = [classOf.length, scores.length];
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
  const best = Math.min(pairs, Math.ceil(Math.min(...rows) / 4));
  const least = scoreAt(pairs - best);
  let open = scores.reduce((rest, score, place) => rest - (score > least ? sizes[place] : 0), best);
  let end = 0;
  for (; open > 0; end++) if (scores[classOf[end]] === least) open--;
  const placeOf = (pair: number): number => {
    const place = classOf[pair];
    const isSeeded = scores[place] > least || (scores[place] === least && pair < end);
    return isSeeded ? classes + place : place;
  };
  const match = new Float64Array(2 * classes).fill(unseeded).fill(seeded, classes);
  const median = scoreAt(Math.floor(0.5 * pairs));
  const related = match.map((probability, place) => {
    const isAlike = place < classes && scores[place] > median;
    return (1 - probability) * (isAlike ? 0.7 : 0.2);
  });
  return { placeOf, match, related };
}

/** Of each class: sum over columns of -ln(share of all pairs that agree at least as well), less its mean over the candidates. */
function surprises(table: PairTable): Float64Array {
  const scores = new Float64Array(classCount(table));
  const totals = levelTotals(table);
  table.columns.forEach(({ share }, column) => {
    const surprise = new Float64Array(totals[column].length);
    let above = 0;
    for (let level = surprise.length - 1; level >= 0; level--) {
      above += totals[column][level];
      surprise[level] = -Math.log(Math.max(above, 0.5));
    }
    const levels = table.levels[column];
    let [sum, filled] = [0, 0];
    for (const place of table.classOf) {
      const level = levels[place];
      if (level === missing) continue;
      sum += surprise[level];
      filled++;
    }
    const mean = sum / Math.max(1, filled);
    for (let place = 0; place < scores.length; place++)
      if (levels[place] !== missing) scores[place] += share * (surprise[levels[place]] - mean);
  });
  return scores;
}

/**
 * Pairs that are the best of their rows, of each side that has one partner; the half that stands out most against rivals.
 * @param scores of each class
 */
function mutualBest(table: PairTable, scores: Float64Array, relation: Relation): number[] {
  const sides = competingSides(table, relation).map((side) => {
    return { rowOf: side.rowOf, ...bestTwo(side, table.classOf, scores) };
  });
  const mutual: { pair: number; score: number }[] = [];
  for (const pair of sides[0].best) {
    if (pair < 0 || sides.some(({ rowOf, best }) => best[rowOf(pair)] !== pair)) continue;
    const rival = Math.max(0, ...sides.map(({ rowOf, second }) => second[rowOf(pair)]));
    mutual.push({ pair, score: 2 * scores[table.classOf[pair]] - rival });
  }
  mutual.sort((a, b) => b.score - a.score || a.pair - b.pair);
  return mutual.slice(0, Math.ceil(mutual.length / 2)).map(({ pair }) => pair);
}

/** The best pair of each row, -1 without one, and the score of the second best. */
function bestTwo({ rowOf, rows }: PairSide, classOf: Int32Array, scores: Float64Array) {
  const best = new Int32Array(rows).fill(-1);
  const second = new Float64Array(rows).fill(-Infinity);
  for (let pair = 0; pair < classOf.length; pair++) {
    const [row, score] = [rowOf(pair), scores[classOf[pair]]];
    const known = best[row] < 0 ? -Infinity : scores[classOf[best[row]]];
    if (best[row] < 0 || score > known) {
      second[row] = known;
      best[row] = pair;
    } else second[row] = Math.max(second[row], score);
  }
  return { best, second };
}
