/** Learns which candidate pairs of two tables match, with as many partners per row as the tables show. */

import { groupBy } from "../by-key.js";
import type { TableColumns } from "../match/columns/align.js";
import type { PreparedTables } from "../match/columns/fields.js";
import { Growing } from "../match/columns/lists.js";
import type { ComparedTables } from "../match/compare-tables.js";
import { halving, halvings } from "../match/estimates/audit.js";
import type { JudgedEstimate } from "../match/estimates/calibrate.js";
import { keepPrecision, veto } from "../match/estimates/promise.js";
import { dividedByRules, judgedEstimates, type ScoredPairs } from "../match/estimates/scored-pairs.js";
import type { MatchFit } from "../match/match-rows.js";
import { sameness } from "../match/rank-rows.js";
import { type Answered, withAnswers } from "../match/weights/answers.js";
import { finder } from "../match/weights/chosen-places.js";
import { total } from "../match/weights/expected-counts.js";
import { byRule, decide, type Learned, scorePairs } from "../match/weights/learn.js";
import { logisticLoss, logit, sigmoid } from "../match/weights/logistic.js";
import { competedProbabilities, matchingBeliefs } from "../match/weights/one-to-one.js";
import {
  blockSize,
  lookUp,
  type Probabilities,
  pairBlocks,
  probabilityAt,
} from "../match/weights/pair-blocks.js";
import {
  competingSides,
  type Known,
  type PairSide,
  type PairTable,
  placeOf,
  type Relation,
} from "../match/weights/pair-table.js";
import type { JoinKind } from "./options.js";
import { partnersAlike, partnersPerRow, type RowRelation } from "./row-relation.js";

/** What was asked for, and whether the left table of the pairs is the right one of the caller. */
interface FitOptions {
  readonly signal?: AbortSignal;
  readonly kind?: JoinKind;
  readonly isSwapped: boolean;
  readonly alike: Alike;
}

export interface Fit extends MatchFit<ScoredPairs> {
  readonly kind: JoinKind;
  /** One sentence: what the kind was found from. */
  readonly kindReason: string;
}

/** Another relation than the first must make the answers likelier by this much, as a logarithm of the ratio. */
const leastGain = 3;
const relations: readonly Relation[] = ["one-to-one", "many-to-one", "one-to-many", "many-to-many"];

const evenOdds = 0.5;
/** Floors of probability, from the widest: a pair that is likelier wrong than right is no match. */
const floors = [evenOdds, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];
/** Pairs are known down to this probability: a person may be asked about them. */
const leastKnown = 0.02;
/** Share of rows with several partners from which a join is not one-to-one. */
const severalPartners = 0.25;
/** Share of rows with several partners below which each row of a side has one. */
const fewPartners = 0.1;
const asked = "as asked for";
const taught = "the judged pairs that were held out fit it best";

/**
 * Learns for one partner per row first; where rows turn out to have several, once more for many. If those contradict
 * each other, rows are only alike, and the one-to-one matches are returned as not verified.
 */
export async function fitPairs(
  compared: ComparedTables,
  /** Weights without answers, learned when asked for. */
  learn: (relation: Relation) => Promise<Learned>,
  known: Known,
  { kind, isSwapped, ...run }: FitOptions,
): Promise<Fit> {
  const learnt = async (relation: Relation): Promise<RelationFit> =>
    acceptPairs(compared, withAnswers(compared, await learn(relation), known), known, { ...run, relation });
  const as = (found: RelationFit, kindReason: string): Fit => {
    return { ...found, kind: kindOf(isSwapped ? turned(found.relation) : found.relation), kindReason };
  };
  if (kind !== undefined && kind !== "one-to-one")
    return as(await learnt(isSwapped ? turned(kind) : kind), asked);
  const answered = withAnswers(compared, await learn("one-to-one"), known);
  if (answered.heldOut !== undefined && kind === undefined) {
    const { relation, judged } = await fittingRelation(compared, answered, known, run);
    return as(await acceptPairs(compared, answered, known, { ...run, relation, judged }), taught);
  }
  const one = await acceptPairs(compared, answered, known, { ...run, relation: "one-to-one" });
  const partners = partnersPerRow(one.likely);
  const reason = partnersSentence(partners, isSwapped);
  if (Math.max(partners.left, partners.right) <= severalPartners)
    return as(one, kind === undefined ? reason : asked);
  const doubted = { ...one, accept: acceptAt(one.levelAt, reason) };
  if (kind !== undefined) return as(doubted, asked);
  const single = sideOfOne(partners);
  if (single !== undefined && partnersAlike(compared, one.likely, single)) {
    const found = await learnt(single);
    if (found.doubt === undefined) return as(found, reason);
  }
  const many = await learnt("many-to-many");
  return as(many.doubt === undefined ? many : doubted, reason);
}

/** Known pairs with their estimates as if nobody had judged them. */
async function judgedAmong(
  table: ComparedTables,
  { weights: all, heldOut }: Answered,
  known: Known,
  run: Competing,
): Promise<JudgedEstimate[]> {
  const estimates = new Map<number, number>();
  const judged = known.judged ?? known;
  for (const { pairs, weights } of heldOut ?? [{ pairs: [...judged.keys()], weights: all }]) {
    if (pairs.length === 0) continue;
    const logOdds = scorePairs(table.levels, weights, table.columns);
    const undecided = await competed(table, { logOdds, weights }, run);
    for (const pair of pairs) estimates.set(pair, probabilityAt(table, undecided, pair));
  }
  return judgedEstimates(known, { at: (pair) => estimates.get(pair) });
}

/**
 * The relation in which judged pairs that were held out are likeliest. Rows of a side may have several partners only where a row
 * has several confirmed ones: answers to doubtful pairs alone say little about rivals.
 */
async function fittingRelation(
  compared: ComparedTables,
  answered: Answered,
  known: Known,
  run: Pick<Competing, "signal">,
): Promise<Required<Pick<Accepting, "relation" | "judged">>> {
  const confirmed = [...known.keys()].filter((pair) => known.get(pair) === 1);
  const single = competingSides(compared, "one-to-one").filter(
    ({ rowOf }) => new Set(confirmed.map(rowOf)).size === confirmed.length,
  );
  const possible = relations.filter((relation) => {
    const competing = competingSides(compared, relation).map(({ name }) => name);
    return single.every(({ name }) => competing.includes(name));
  });
  const tried = [];
  for (const relation of possible) {
    const judged = await judgedAmong(compared, answered, known, { ...run, relation });
    const losses = judged.map(
      ({ estimate, match, share = 1 }) => share * logisticLoss(logit(estimate), match ? 1 : 0),
    );
    tried.push({ relation, judged, loss: total(Float64Array.from(losses)) });
  }
  const best = tried.reduce((least, one) => (one.loss < least.loss ? one : least));
  return best.loss < tried[0].loss - leastGain ? best : tried[0];
}

interface RelationFit extends MatchFit<ScoredPairs> {
  readonly relation: Relation;
  /** Why the pairs cannot all be right; undefined if nothing speaks against them. */
  readonly doubt?: string;
  levelAt(floor: number): ScoredPairs;
}

/** The probabilities of pairs that any level may accept; 0 for the others, which are many. */
function likelyProbabilities(table: PairTable, probabilities: Probabilities, known: Known) {
  const [places, likely] = [new Growing(Int32Array), new Growing(Float64Array)];
  const ofBlock = new Float64Array(blockSize);
  for (const block of pairBlocks(table)) {
    const { from, right } = block;
    probabilities(block, ofBlock);
    for (let at = 0; at < right.length; at++) {
      const probability = known.get(from + at) ?? ofBlock[at];
      if (probability < leastKnown) continue;
      places.push(from + at);
      likely.push(probability);
    }
  }
  const [pairs, own] = [places.added(), likely.added()];
  const placeOf = finder(pairs);
  return { pairs, own, at: (pair: number): number => own[placeOf(pair)] ?? 0 };
}

interface Competing {
  readonly signal?: AbortSignal;
  readonly relation: Relation;
}

interface Accepting extends Competing, Pick<FitOptions, "alike"> {
  /** Where they have been computed. */
  readonly judged?: readonly JudgedEstimate[];
}

/** Accepts pairs in the order of their probability. */
async function acceptPairs(
  compared: ComparedTables,
  answered: Answered,
  known: Known,
  { relation, alike, judged: computed, ...run }: Accepting,
): Promise<RelationFit> {
  const { weights, logOdds: undecided } = answered;
  const { table, logOdds } = decide(compared, undecided, known);
  const judged = computed ?? (await judgedAmong(compared, answered, known, { relation, ...run }));
  const probability = likelyProbabilities(
    table,
    await competed(table, { logOdds, weights }, { relation, ...run }),
    known,
  );
  const scoreOf = (pair: number): number => logOdds[table.classOf[pair]];
  const { pairs, own } = probability;
  const sides = competingSides(compared, relation);
  preferAsWritten({ table, pairs, own, scoreOf }, sides, alike);
  const order = Int32Array.from({ length: pairs.length }, (_, place) => place).sort(
    (x, y) => own[y] - own[x] || scoreOf(pairs[y]) - scoreOf(pairs[x]) || x - y,
  );
  const levelAt = (floor: number, most = Infinity): ScoredPairs => {
    const accepted = new Int32Array(Math.min(most, order.length));
    const taken = sides.map(({ rows }) => new Uint8Array(rows));
    let count = 0;
    for (const place of order) {
      const pair = pairs[place];
      if (own[place] < floor || count === most) break;
      const isConfirmed = scoreOf(pair) >= byRule;
      if (!isConfirmed && sides.some(({ rowOf }, side) => taken[side][rowOf(pair)] === 1)) continue;
      for (const [side, { rowOf }] of sides.entries()) taken[side][rowOf(pair)] = 1;
      accepted[count++] = pair;
    }
    return {
      ...{ table, relation, weights, logOdds, probability, judged, leastProbability: floor },
      isTaught: answered.heldOut !== undefined && relation !== "many-to-many",
      ...dividedByRules(accepted.slice(0, count).sort(), known),
    };
  };
  const likely = levelAt(evenOdds);
  const doubt = veto(likely)?.reason;
  const halves = { length: halvings };
  return {
    ...{ compared, relation, weights, likely, doubt, levelAt, accept: acceptAt(levelAt, doubt) },
    sampled: () =>
      halving(Array.from(halves, (_, times) => levelAt(evenOdds, likely.accepted.length >> times))),
  };
}

/**
 * A level after decisions: confirmed pairs are accepted in place of rivals, and rejected ones are not.
 * @param table has all pairs of the level and all known ones
 */
export function decidedPairs(level: ScoredPairs, known: Known, table: PairTable): ScoredPairs {
  const { table: own, weights, probability } = level;
  const confirmed = [...known].flatMap(([pair, match]) => (match === 1 ? [pair] : []));
  const sides = competingSides(table, level.relation).map(({ rowOf }) => {
    return { rowOf, taken: new Set(confirmed.map(rowOf)) };
  });
  const open = level.accepted
    .map((pair) => placeOf(table, own.left.at(pair)!, own.right[pair]))
    .filter((pair) => !known.has(pair) && sides.every(({ rowOf, taken }) => !taken.has(rowOf(pair))));
  const ownPlace = (pair: number): number => placeOf(own, table.left.at(pair)!, table.right[pair]);
  return {
    ...{ ...level, table, logOdds: scorePairs(table.levels, weights, table.columns) },
    ...dividedByRules(Int32Array.from([...open, ...confirmed]).sort(), known),
    probability: { at: (pair) => known.get(pair) ?? probability.at(ownPlace(pair)) },
  };
}

/** The probability of each pair after rows have competed for partners. */
async function competed(
  table: PairTable,
  { logOdds, weights }: Learned,
  { relation, ...run }: Competing,
): Promise<Probabilities> {
  if (relation === "many-to-many") {
    const ofClass = logOdds.map(sigmoid);
    return ({ classOf }, into) => lookUp(ofClass, classOf, into);
  }
  const related = new Float64Array(logOdds.length);
  scorePairs(table.levels, weights, table.columns, related);
  const competitors = { logOdds, related, matches: weights.matches };
  if (relation !== "one-to-one") return competedProbabilities(table, relation, competitors, run);
  const all = await matchingBeliefs(table, competitors, run);
  return ({ from, right }, into) => into.set(all.subarray(from, from + right.length));
}

/** Accepts pairs at a promise by trying the floors, from the widest. */
function acceptAt(levelAt: RelationFit["levelAt"], doubt: string | undefined): Fit["accept"] {
  function* levels(): Generator<ScoredPairs> {
    for (const floor of floors) yield levelAt(floor);
  }
  const fallback = () => levelAt(evenOdds);
  return (target, allowed) => keepPrecision({ target, levels: levels(), fallback, doubt, allowed });
}

/** The relation in which one side's rows have one partner at most, if only the other side's rows have several. */
function sideOfOne({ left, right }: RowRelation): "many-to-one" | "one-to-many" | undefined {
  if (Math.min(left, right) >= fewPartners) return undefined;
  return right < left ? "many-to-one" : "one-to-many";
}

function turned(relation: Relation): Relation {
  if (relation === "many-to-one") return "one-to-many";
  return relation === "one-to-many" ? "many-to-one" : relation;
}

/** Where each left row has one partner and right rows have several, all that the caller's kinds can say is many. */
const kindOf = (relation: Relation): JoinKind => (relation === "one-to-many" ? "many-to-many" : relation);

function partnersSentence({ left, right }: RowRelation, isSwapped: boolean): string {
  const [ofLeft, ofRight] = (isSwapped ? [right, left] : [left, right]).map(
    (share) => `${Math.round(100 * share)} %`,
  );
  return `${ofLeft} of the left and ${ofRight} of the right rows have several likely partners`;
}

/** How alike two prepared rows are as they are written. */
export type Alike = (left: number, right: number) => number;

/** @param columns of the prepared tables, as they were before */
export const alikeAsWritten =
  ([first, second]: readonly TableColumns[], { fields, order }: PreparedTables): Alike =>
  (left, right) =>
    fields
      .map(({ name, other }) => sameness(first[name][order[0][left]], second[other][order[1][right]]))
      .reduce((sum, one) => sum + one, 0);

/** The pairs that may be accepted, each with its probability, which changes, and what its columns say. */
interface LikelyPairs {
  readonly table: PairTable;
  readonly pairs: Int32Array;
  readonly own: Float64Array;
  scoreOf(pair: number): number;
}

/** Gives the pair of a row that is most alike as written the probability of those that agree equally well. */
export function preferAsWritten(
  { table, pairs, own, scoreOf }: LikelyPairs,
  sides: readonly PairSide[],
  alike: Alike,
): void {
  // A row may have several partners that a person confirmed, or that a rule makes the same.
  const places = [...pairs.keys()].filter((at) => scoreOf(pairs[at]) < byRule);
  const alikeAt = (place: number): number => alike(table.left.at(pairs[place])!, table.right[pairs[place]]);
  for (const { rowOf } of sides)
    for (const tied of groupBy(places, (at) => `${rowOf(pairs[at])} ${scoreOf(pairs[at])}`).values()) {
      if (tied.length === 1) continue;
      const [best, next] = tied.map((at) => ({ at, alike: alikeAt(at) })).sort((a, b) => b.alike - a.alike);
      if (best.alike === next.alike) continue;
      const sum = tied.reduce((all, at) => all + own[at], 0);
      for (const at of tied) own[at] = 0;
      own[best.at] = Math.min(1, sum);
    }
}
