/**
 * Joins two tables by one column: finds candidates by embedding and by character n-grams, scores each pair with a small
 * network over its features, and picks the threshold that keeps a promised precision without labels. The precision is
 * estimated from the scores of a row's other candidates and from the spacing of the left table. The idea is from
 * Li et al., "Auto-FuzzyJoin" (SIGMOD 2021): a match that is no nearer than the table's rows are to each other is no
 * evidence.
 */

import { withEncoder } from "../encoder/with-encoder.js";
import { ArgumentError } from "../errors.js";
import { type Kept, ownRange } from "../files/shards/shard.js";
import { inTurn } from "../in-turn.js";
import { exactPairs } from "../match/candidates/nearest-by-embedding.js";
import { filledOnly } from "../match/cells/cell-words.js";
import { textsInOneScript } from "../match/cells/one-script.js";
import { checkCells } from "../match/check-tables.js";
import { inCanonicalOrder } from "../match/columns/canonical.js";
import { type ColumnPair, type JoinColumn, prepareColumn } from "../match/columns.js";
import type { RowMatch, RowNumbers } from "../match/compare-tables.js";
import { fitCalibration } from "../match/estimates/calibrate.js";
import { candidatesOf, type Rankings, type RowPair } from "../match/estimates/estimate.js";
import { decidedByRules, withoutRows } from "../match/matches.js";
import { once } from "../match/once.js";
import { type OpenRanking, openRanking } from "../match/rank-pool.js";
import type { RankedRows } from "../match/rank-rows.js";
import { labelEffect, partnersOfRight } from "../match/review/label-effect.js";
import {
  type PairRules,
  type RulesReport,
  rulesOfRows,
  rulesReport,
  type SamePairs,
  samePairs,
} from "../match/rules.js";
import { defaultScorer, type ScorerFile } from "../match/scorer.js";
import { explainPhrases, type PhraseExplanation } from "./explain.js";
import {
  differentTexts,
  keysOf,
  type RankedTables,
  rankedByRow,
  tableWarnings,
} from "./one-column/copies.js";
import {
  atLevel,
  type Decision,
  decisionAt,
  doubtfulProposals,
  type Knowledge,
  type Proposed,
  proposePairs,
  sampledMatches,
  withoutSiblings,
} from "./one-column/decide.js";
import { calibrateWith, noLabels, readLabels } from "./one-column/labels.js";
import { likelyApart, type RuledPairs, ruledPairs, withinRules } from "./one-column/ruled-pairs.js";
import type { JoinOptions, JoinResult } from "./options.js";
import { keepPromised, type LeftRanker, leftDecoys } from "./precision.js";

/** Best left rows kept per right row; also the maximum that many-to-many returns. */
const mostKept = 8;
/** Neighbours among the left rows from which the spacing of a left row is measured. */
const keptSpacing = 4;
/**
 * Candidates that get all features in large tables, where neighbours by embedding are approximate too. In small tables
 * all candidates do: on AutoFJ's sets, scoring 12 of 20 costs half a point of ranking accuracy.
 */
const scoredOfMany = 12;
const spacingScoredOfMany = 8;
/** Postings visited per row: enough for every term in a table of thousands of rows, for the rare terms in larger ones. */
export const postings = 12_000;

/**
 * Joins every right phrase to the left phrases that mean the same. Those in different scripts are compared in Latin letters.
 *
 *     const { matches } = await fuzzyJoin(["The New York Times", "The Times"], ["NYTimes", "The Times (London)"]);
 *
 * @throws ArgumentError
 */
export async function fuzzyJoin(
  left: readonly string[],
  right: readonly string[],
  options: JoinOptions = {},
): Promise<JoinResult> {
  checkOptions(options);
  checkCells("left", left);
  checkCells("right", right);
  options.signal?.throwIfAborted();
  if (left.length === 0 || right.length === 0) {
    const runnersUp = new Int32Array(right.length).fill(-1);
    const nothing = { matches: [], proposals: [], unmatched: [...right.keys()], runnersUp, warnings: [] };
    return withoutRows({ ...nothing, probabilityAt: () => 0 }, options);
  }
  const scorer = options.scorer ?? defaultScorer();
  const sides = (await textsInOneScript([left, right])).map(filledOnly).map(inCanonicalOrder);
  const texts = { left: sides[0].cells, right: sides[1].cells };
  const rules = options.rules && rulesOfRows(options.rules, [sides[0].order, sides[1].order]);
  const same = rules && samePairs(rules, false);
  const different = sides.map(({ cells }) => differentTexts(cells));
  const column = await preparePhrases({ left: different[0].cells, right: different[1].cells }, options);
  const { candidates = 10, threads } = options;
  const ranking = openRanking({ column, scorer: scorer.scorer, candidates, postings }, { threads });
  return closing(ranking, async () => {
    const onePartner = options.kind === "one-to-one";
    const byText = await rankTables(column, ranking, options);
    const ranked = (mayMatch?: RuledPairs["mayMatch"]): RankedTables =>
      rankedByRow(byText, different, onePartner, mayMatch);
    const tables = ranked();
    const queried = once(() => leftDecoys(tables, tables.rankLeft));
    const [ofLeft, ofRight] = different;
    const explain = ({ left, right }: RowNumbers): PhraseExplanation =>
      explainPhrases(column, scorer, {
        // A row that a table lacks is refused with its number.
        left: ofLeft.textOf[left] ?? left,
        right: ofRight.textOf[right] ?? right,
      });
    const shared = { sides, texts, scorer, ranking, tables, queried, explain, next: inTurn() };
    return joinUnderRules({ ...shared, ...(rules && { byRules: { rules, same: same!, ranked } }) }, options);
  });
}

async function closing<Result>(ranking: OpenRanking, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } finally {
    await ranking.close();
  }
}

/** Rules of the ranked rows, and the pairs that they make the same. */
interface Ruling {
  readonly rules: PairRules;
  readonly same: SamePairs;
  /** The rankings with the pairs that may match. */
  ranked(mayMatch: RuledPairs["mayMatch"]): RankedTables;
}

/** All rows are in an order of their texts: results do not depend on that of the tables. */
interface Ranked {
  /** The way back to the tables. */
  readonly sides: readonly ReturnType<typeof inCanonicalOrder>[];
  readonly texts: JoinColumn;
  readonly scorer: ScorerFile;
  readonly ranking: OpenRanking;
  readonly tables: RankedTables;
  readonly byRules?: Ruling;
  /** What rules decide with the known pairs of the options. */
  readonly ruled?: RuledPairs;
  explain(pair: RowNumbers): PhraseExplanation;
  readonly queried: () => ReturnType<typeof leftDecoys>;
  /** Work with later known pairs: each closes the ranking when it ends. */
  readonly next: ReturnType<typeof inTurn>;
}

/** Row numbers of the given tables from those of the ranked ones, and back: rows are ranked in an order of their texts. */
function rowNumbers([ofLeft, ofRight]: Ranked["sides"]) {
  const given = <Pair extends RowNumbers>(pairs: readonly Pair[]): Pair[] =>
    pairs.map((pair) => ({ ...pair, left: ofLeft.order[pair.left], right: ofRight.order[pair.right] }));
  return {
    given,
    byRight: (pairs: readonly RowMatch[]): RowMatch[] => given(pairs).sort((a, b) => a.right - b.right),
    // A row that a table lacks is refused with its number.
    prepared: <Pair extends RowNumbers>(pair: Pair): Pair => {
      const [left, right] = [ofLeft.places[pair.left], ofRight.places[pair.right]];
      return left === undefined || right === undefined ? pair : { ...pair, left, right };
    },
  };
}

/** Joins tables that were ranked, with the known pairs of the options. */
async function joinRanked(ranked: Ranked, options: JoinOptions): Promise<JoinResult> {
  const { precision = 0.9, kind = "many-to-one", top = mostKept, leastLikely = 0.5 } = options;
  const { sides, texts, scorer, tables, queried, byRules, ruled } = ranked;
  const [ofLeft, ofRight] = sides;
  const { given, byRight, prepared } = rowNumbers(sides);
  const known = (options.known ?? []).map(prepared);
  const { measureSpacing } = tables;
  // Spacing is needed only around rows that may be matched: the best candidate, and those that may replace it.
  const depth = kind === "one-to-one" || known.length > 0 ? 3 : 1;
  const nearest = tables.right.rows.filter((row, place) => place % tables.right.keep < depth && row >= 0);
  const rankings: Rankings = { ...tables, spacing: await measureSpacing(nearest) };
  const labels = withinRules(readLabels(texts, known), byRules?.rules);
  const { estimate } = scorer;
  const calibration = calibrateWith(rankings, labels, estimate);
  const proposedWith = (knowledge: Pick<Knowledge, "labels" | "calibration">): Proposed =>
    openProposals(proposePairs(rankings, { ...knowledge, estimate }, { kind, top }), ruled);
  const proposed = proposedWith({ labels, calibration });
  const unlabelled = once(() =>
    known.length === 0 ? proposed : proposedWith({ labels: noLabels, calibration: fitCalibration([], []) }),
  );
  const decide = (meanProbability: number, pairs = proposed): Decision =>
    withoutSiblings(decisionAt(pairs, { meanProbability, leastLikely }), texts);
  const sample = sampledMatches(decide(0, unlabelled()).matches, proposed);
  const allowed = (count: number): number => sample.allows(count, false);
  const judge = { rankings, measureSpacing, queried, estimate, calibration, ruled, allowed };
  const kept = await keepPromised(decide, precision, judge);
  const sampled = sample.widest(precision, kept.report, kept.decision.matches.length);
  const report = sampled?.report ?? kept.report;
  const decision = sampled === undefined ? kept.decision : atLevel(kept.decision, sampled.level);
  const { pairs, proposals, matches } = decision;
  const joined = new Set(matches.map((match) => match.right));
  const second = secondBest(rankings, pairs);
  const likelihood = new Map(proposals.map(({ right, probability }) => [right, probability]));
  return {
    ...{ ...report, matches: byRight(matches), proposals: byRight(proposals) },
    unmatched: [...ofRight.places.keys()].filter((row) => !joined.has(ofRight.places[row])),
    runnersUp: Int32Array.from(ofRight.places, (place) => ofLeft.order[second[place]] ?? -1),
    labelEffect: async () => {
      const without = decide(kept.meanProbability, unlabelled());
      const decided = new Set([...labels.matches.keys(), ...labels.others.keys()]);
      return labelEffect(partnersOfRight(texts.right.length, without.matches, decision.matches), decided);
    },
    warnings: tableWarnings(texts, options.column ?? "phrase", rankings, sides),
    doubtful: (count) => {
      const open = sample.open(precision, report.promise.established ? matches.length : undefined);
      return given(doubtfulProposals(decision, { sample: open, count }));
    },
    related: () => [],
    withKnown: (all) => joinAgain(ranked, { ...options, known: all }),
    probabilityAt: (row, score) => {
      const place = ofRight.places[row];
      return (likelihood.get(place) ?? 0) * Math.exp(Math.min(0, score - pairs[place].score));
    },
    explain: (left, right) => ranked.explain(prepared({ left, right })),
  };
}

/** Those that no rule decides. */
const openProposals = (proposed: Proposed, ruled: RuledPairs | undefined): Proposed => {
  if (ruled === undefined) return proposed;
  const [proposals, likely] = [proposed.proposals, proposed.likely].map((all) => all.filter(ruled.isOpen));
  return { ...proposed, proposals, likely };
};

const joinAgain = (ranked: Ranked, options: JoinOptions): Promise<JoinResult> =>
  ranked.next(() => closing(ranked.ranking, () => joinUnderRules(ranked, options)));

/** Joins the rows that rules leave open, and adds the pairs that these make the same. */
async function joinUnderRules(ranked: Ranked, options: JoinOptions): Promise<JoinResult> {
  const { sides, byRules } = ranked;
  if (byRules === undefined) return joinRanked(ranked, options);
  const { precision = 0.9, kind = "many-to-one" } = options;
  const { byRight, prepared } = rowNumbers(sides);
  const known = options.known?.map(prepared);
  const ruled = ruledPairs(byRules.rules, byRules.same, { known, kind });
  const found = await joinRanked({ ...ranked, tables: byRules.ranked(ruled.mayMatch), ruled }, options);
  const byRule = byRight(ruled.matches);
  const isByRules = found.matches.length === 0 && byRule.length > 0;
  const joined = new Set(byRule.map(({ right }) => right));
  return {
    ...{ ...found, ...(isByRules && decidedByRules(precision)) },
    matches: [...byRule, ...found.matches].sort((a, b) => a.right - b.right),
    unmatched: found.unmatched.filter((row) => !joined.has(row)),
    ruled: await reportOfRules(ranked, byRules),
    withKnown: (all) => joinAgain(ranked, { ...options, known: all }),
  };
}

/** What rules decided: pairs that they keep apart are likely if the compared column alone says so. */
async function reportOfRules(
  { tables, sides, scorer }: Ranked,
  { rules, same }: Ruling,
): Promise<RulesReport> {
  const nearest = tables.right.rows.filter((row, place) => place % tables.right.keep === 0 && row >= 0);
  const rankings = { ...tables, spacing: await tables.measureSpacing(rules.never.length > 0 ? nearest : []) };
  return rulesReport(rules, same, likelyApart(rankings, scorer.estimate, rules), (pair) => {
    const [{ left, right }] = rowNumbers(sides).given([pair]);
    return [left, right];
  });
}

/** For each right row, the second-best left row with a different text, or -1. */
function secondBest({ right, leftKeys }: Rankings, pairs: readonly RowPair[]): Int32Array {
  return Int32Array.from(pairs, ({ left }, row) => {
    const other = candidatesOf(right, row).find((candidate) => leftKeys[candidate.left] !== leftKeys[left]);
    return left < 0 ? -1 : (other?.left ?? -1);
  });
}

function checkOptions({ precision = 0.9, top = 1, leastLikely = 0, candidates = 1 }: JoinOptions): void {
  if (!(precision >= 0 && precision <= 1))
    throw new ArgumentError(`precision must be between 0 and 1, not ${precision}`);
  if (!(leastLikely >= 0 && leastLikely < 1))
    throw new ArgumentError(`leastLikely must be at least 0 and below 1, not ${leastLikely}`);
  if (!(Number.isInteger(top) && top >= 1 && top <= mostKept))
    throw new ArgumentError(`top must be a whole number from 1 to ${mostKept}, not ${top}`);
  if (!(Number.isInteger(candidates) && candidates >= 1))
    throw new ArgumentError(`candidates must be a whole number of at least 1, not ${candidates}`);
}

/** Ranks the left rows of each right row; other left rows of each left row when asked for. */
export async function rankTables(
  column: ColumnPair,
  ranking: OpenRanking,
  { sharing, signal, onProgress }: Pick<JoinOptions, "sharing" | "signal" | "onProgress">,
): Promise<RankedTables> {
  const { base, queries } = column;
  const isLarge = base.texts.length * queries.texts.length > exactPairs;
  const rankRight = (rows: Uint32Array): Promise<RankedRows> =>
    ranking.rank(
      rows,
      { sameTable: false, keep: mostKept, scored: isLarge ? scoredOfMany : Infinity },
      { signal, onProgress: (done, total) => onProgress?.("comparing", done, total) },
    );
  const rankLeft: LeftRanker["rankLeft"] = (rows, keep) =>
    ranking.rank(
      rows,
      { sameTable: true, keep, scored: isLarge ? spacingScoredOfMany : Infinity },
      {
        signal,
        onProgress: (done, total) => onProgress?.("measuring the left table's spacing", done, total),
      },
    );
  const measured = new Map<number, Float32Array>();
  const keepSpacing = (rows: Iterable<number>, scores: Float32Array): void => {
    [...rows].forEach((row, place) => {
      measured.set(row, scores.subarray(place * keptSpacing, (place + 1) * keptSpacing));
    });
  };
  const measureSpacing: LeftRanker["measureSpacing"] = async (rows) => {
    const asked = new Set(rows);
    const open = Uint32Array.from([...asked].filter((row) => !measured.has(row))).sort();
    keepSpacing(open, (await rankLeft(open, keptSpacing)).scores);
    return (row) => (asked.has(row) ? measured.get(row) : undefined);
  };
  const { from, to } = ownRange(queries.texts.length, sharing);
  const right =
    sharing?.kind === "merge"
      ? await mergedRanking(sharing.parts(), queries.texts.length, keepSpacing)
      : await rankRight(Uint32Array.from({ length: to - from }, (_, place) => from + place));
  if (sharing?.kind === "shard") {
    const { rows, scores } = right;
    // What the merge needs of them: the best candidates, and those that stand in where the best are taken away.
    await measureSpacing(rows.filter((row, place) => place % mostKept < 2 && row >= 0));
    const spacing = new Float32Array(measured.size * keptSpacing);
    [...measured.values()].forEach((own, place) => spacing.set(own, place * keptSpacing));
    sharing.end({ rows, scores, spaced: Int32Array.from(measured.keys()), spacing });
  }
  return { right, measureSpacing, rankLeft, ...keysOf({ left: base.texts, right: queries.texts }) };
}

/** The ranking of all right rows from those of the shards. */
async function mergedRanking(
  parts: AsyncIterable<Kept>,
  total: number,
  keepSpacing: (rows: Iterable<number>, scores: Float32Array) => void,
): Promise<RankedRows> {
  const right = {
    keep: mostKept,
    rows: new Int32Array(total * mostKept),
    scores: new Float32Array(total * mostKept),
  };
  let start = 0;
  for await (const { rows, scores, spaced, spacing } of parts) {
    right.rows.set(rows, start);
    right.scores.set(scores, start);
    keepSpacing(spaced, spacing as Float32Array);
    start += rows.length;
  }
  return right;
}

const preparePhrases = (
  texts: JoinColumn,
  { encoder, sharing, onProgress, ...run }: JoinOptions,
): Promise<ColumnPair> =>
  withEncoder(encoder, run, (found) =>
    prepareColumn(texts, {
      ...{ encoder: found, sharing, signal: run.signal },
      onProgress: (done, total) => onProgress?.("encoding", done, total),
    }),
  );
