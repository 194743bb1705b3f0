/**
 * Learns without labels what each level of each column says (Fellegi and Sunter 1969; EM of Winkler 1993): a weight
 * ln(m / u) per level, m its share among matches and u among unrelated pairs. Where a row has one partner its candidates compete.
 * What is alike without being the same is learned beside: as near misses, or where these take what they should not, as a third class.
 */
import type { KnownPair } from "../compare-tables.js";
import { missing } from "../evidence/levels.js";
import type { EvidenceColumn } from "../evidence/pair-evidence.js";
import { once } from "../once.js";
import { pauses } from "../run/pause.js";
import {
  type ClassPosteriors,
  type ExpectedCounts,
  expectedCounts,
  expectedOf,
  expectedOfClasses,
  total,
} from "./expected-counts.js";
import { byLevel, clampedLogRatio, sharesOf } from "./level-weights.js";
import { sigmoid } from "./logistic.js";
import {
  contradictingShare,
  contradictionsApart,
  nearFactors,
  severalPartners,
  tornShare,
} from "./near-mates.js";
import {
  kindShares,
  mostUnits,
  type NearCounts,
  type NearMisses,
  nearCounts,
  nearOdds,
  nearWeights,
  unitCount,
} from "./near-misses.js";
import { competition } from "./one-to-one.js";
import { separated } from "./pair-classes.js";
import {
  allPairs,
  type Known,
  levelTotals,
  type PairTable,
  placeOf,
  type Relation,
  rowsInOrder,
} from "./pair-table.js";
import { startingPosteriors } from "./start.js";

export interface LearnOptions {
  /** "one-to-one": the candidates of a row compete for it; the default for two tables. */
  readonly relation?: Relation;
  readonly signal?: AbortSignal;
  /** Called after each round with the rounds done and at most. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Weights {
  /** Per column and level: evidence for a match, as natural log-odds. */
  readonly match: readonly Float64Array[];
  /** Undefined where near misses are not learned. */
  readonly near?: NearMisses;
  /** As `match` for related pairs; empty without that class. */
  readonly related: readonly Float64Array[];
  /** Share of related pairs among all. */
  readonly relatedShare: number;
  /** Log-odds that a random pair is a match. */
  readonly prior: number;
  /** Expected number of matches. */
  readonly matches: number;
  /** Where answers taught the weights: the factor of what speaks against a match beside them, and the untaught weight of each column's highest level. */
  readonly taught?: { readonly factor: number; readonly agreeing: readonly number[] };
}

export interface Learned {
  readonly weights: Weights;
  /** Log-odds of each class of candidates before competition. */
  readonly logOdds: Float64Array;
}

/** Rounds at most, with near misses and without. */
const rounds = { near: 60, plain: 40 };
const settled = 1e-4;
/** With near misses as many rounds pass before mates are looked at, which then happens in every second one. */
const unmated = 10;

/** From such a share of rows with several partners on, groups are large: their rows may look like near misses of each other. */
const oftenSeveral = 0.25;
/** They are trusted where they are torn this many times less often than the groups that are learned without near misses. */
const clearly = 4;
/** Near misses that leave fewer of the matches than this share have taken them: texts were written anew, or columns contradict. */
const mostTaken = 0.2;

/** Where more of one table's likely pairs have contradicting names, families were taken for matches: .84 and more in three tables, .56 where half are right. */
const mostContradicting = 0.75;

/**
 * Learns the weights; of one table a second time, with pairs of contradicting names as no matches, where most of the likely pairs
 * turn out to be such. An aborted call rejects with the reason of its signal.
 */
export async function learnWeights(table: PairTable, options: LearnOptions = {}): Promise<Learned> {
  const found = await learnFits(table, options);
  const areFamilies = table.isOneTable && contradictingShare(table, found.logOdds) > mostContradicting;
  return areFamilies ? learnFits(table, { ...options, keepsApart: true }) : found;
}

/** `keepsApart`: names that contradict each other are never the same. */
type FitOptions = LearnOptions & { readonly keepsApart?: boolean };

/** Learns near misses where there are few enough columns, and learns without them where they take matches. */
async function learnFits(table: PairTable, options: FitOptions): Promise<Learned> {
  const { onProgress } = options;
  const all = rounds.near + rounds.plain;
  const plain = once(() =>
    fitWeights(table, "plain", {
      ...options,
      onProgress: (done) => onProgress?.(rounds.near + done, all),
    }),
  );
  if (unitCount(table.columns) > mostUnits) return plain();
  const relation = relationOf(table, options);
  const near = await fitWeights(table, "near misses", {
    ...options,
    onProgress: (done) => onProgress?.(done, all),
  });
  const isTaken =
    relation === "many-to-many"
      ? severalPartners(table, near.logOdds) > oftenSeveral &&
        clearly * tornShare(table, near.logOdds) > tornShare(table, (await plain()).logOdds)
      : near.weights.matches < mostTaken * (await plain()).weights.matches;
  if (isTaken) return plain();
  onProgress?.(all, all);
  return near;
}

const relationOf = ({ isOneTable }: PairTable, { relation }: LearnOptions): Relation =>
  relation ?? (isOneTable ? "many-to-many" : "one-to-one");

/** What is learned beside matches: near misses, or related pairs. */
type Fit = "near misses" | "plain";

/** How much of the learned weight of a column counts: what is learned with near misses needs no second look at names. */
function shareIn(fit: Fit, { field, from, unit, share }: EvidenceColumn): number {
  if (field >= 0) return 1;
  if (fit === "plain") return share;
  return from >= 0 && unit === from ? 0 : 1;
}

async function fitWeights(table: PairTable, fit: Fit, options: FitOptions): Promise<Learned> {
  const { signal, onProgress, keepsApart } = options;
  const relation = relationOf(table, options);
  const areSeveral = relation === "many-to-many";
  const hasNear = fit !== "plain";
  const shares = table.columns.map((column) => shareIn(fit, column));
  const totals = levelTotals(table);
  const competing = competition(table, relation, options);
  const expected: Expectation = areSeveral
    ? classExpectation(table)
    : (logOdds, related, matches) => competing({ logOdds, related, matches });
  let factors: Float64Array | undefined;
  let counts = expectedCounts(table, startingPosteriors(table, relation, shares));
  const identity = hasNear ? identifying(table, relation, shares, totals) : [];
  const weigh = (counts: ExpectedCounts, near?: NearCounts): Weights => {
    const given = { shares, totals, counts };
    const found = hasNear ? nearFit(table, { ...given, identity, near, factors }) : plainFit(table, given);
    return keepsApart ? { ...found, match: contradictionsApart(table.columns, found.match) } : found;
  };
  let weights = weigh(counts);
  let logOdds: Float64Array = new Float64Array(0);
  const pause = pauses(signal, 1);
  const most = hasNear ? rounds.near : rounds.plain;
  for (let round = 0; round < most; round++) {
    await pause();
    onProgress?.(round, most);
    const related = new Float64Array(areSeveral || hasNear ? table.levels[0].length : 0);
    logOdds = scorePairs(table.levels, weights, table.columns, related);
    counts = await expected(logOdds, related, weights.matches);
    if (counts.moved < settled * counts.sum && (!hasNear || round > unmated)) break;
    if (hasNear && round >= unmated && round % 2 === 0) {
      const found = await nearFactors(table, relation, { weights, logOdds, related }, options);
      factors = found.map((factor, kind) => Math.min(1, Math.max(1e-6, (factors?.[kind] ?? 1) * factor)));
    }
    if (round + 1 < most)
      weights = weigh(counts, weights.near && nearCounts(table, weights.near, counts.matches, related));
  }
  onProgress?.(most, most);
  return { weights, logOdds };
}

/** Expected counts from the log-odds of each class, the share of its related pairs, and the expected number of matches. */
type Expectation = (
  logOdds: Float64Array,
  related: Float64Array,
  matches: number,
) => ExpectedCounts | Promise<ExpectedCounts>;

function classExpectation(table: PairTable): Expectation {
  let before: ClassPosteriors | undefined;
  return (logOdds, shares) => {
    const match = logOdds.map(sigmoid);
    const posteriors = { match, related: shares.map((share, place) => share * (1 - match[place])) };
    const counts = expectedOfClasses(table, posteriors, before);
    before = posteriors;
    return counts;
  };
}

/** Log-odds of a pair that a person judged, and of one that a rule decides: no evidence outweighs a rule, and no rule a person. */
export const certain = 1e9;
export const byRule = 1e5;

/** Gives known pairs, each a class of its own, log-odds that no evidence outweighs. */
export function decide<Table extends PairTable>(
  table: Table,
  logOdds: Float64Array,
  known: Known,
): { readonly table: Table; readonly logOdds: Float64Array } {
  if (known.size === 0) return { table, logOdds };
  const { judged = known } = known;
  const decided = Float64Array.from(
    known,
    ([pair, match]) => (match === 1 ? 1 : -1) * (judged.has(pair) ? certain : byRule),
  );
  const all = new Float64Array(logOdds.length + known.size);
  all.set(logOdds);
  all.set(decided, logOdds.length);
  return { table: { ...table, ...separated(table, [...known.keys()]) }, logOdds: all };
}

/** What identifies agrees in likely matches by so much more than in any pairs, as a share of what is left to 1. */
const leastIdentity = 0.1;

/**
 * Per column whether it identifies: not one in which pairs that the other columns take for matches hardly agree more often than
 * any pairs, whatever it is called. Where that holds for all, there are too few matches to tell.
 */
function identifying(
  table: PairTable,
  relation: Relation,
  shares: readonly number[],
  totals: readonly Float64Array[],
): boolean[] {
  const named = table.columns.map(({ identifies }, at) => identifies !== false && shares[at] > 0);
  const found = table.columns.map(({ levels, agrees, identifies, unit }, at) => {
    if (!named[at] || identifies === "said") return named[at];
    const others = shares.map((share, other) => (table.columns[other].unit === unit ? 0 : share));
    const matches = expectedOf(table, startingPosteriors(table, relation, others).match);
    const ofLikely = byLevel(table.levels[at], levels, matches);
    const [likely, any] = [ofLikely, totals[at]].map(
      (sums) => total(sums.subarray(agrees)) / Math.max(1e-9, total(sums)),
    );
    return likely - any > leastIdentity * (1 - any);
  });
  return found.includes(true) ? found : named;
}

/** What one round has found. */
interface Found {
  /** By column, of its learned weight. */
  readonly shares: readonly number[];
  readonly totals: readonly Float64Array[];
  readonly counts: ExpectedCounts;
}

/** Strength of the belief that matches agree, as a share of the expected matches. */
const agreement = 0.05;

/** Shares of matches and of unrelated pairs by level of a column. @param others neither match nor unrelated, by level */
function levelShares(
  table: PairTable,
  column: number,
  { totals, counts }: Found,
  others: Float64Array,
): Record<"match" | "unrelated" | "expected", Float64Array> {
  const { levels: count } = table.columns[column];
  const [m, mRows] = [counts.matches, counts.shares].map((ofClass) =>
    byLevel(table.levels[column], count, ofClass),
  );
  const unrelated = sharesOf(
    totals[column].map((all, level) => Math.max(0, all - m[level] - others[level]) + 0.5),
  );
  // Matches agree: a growing share at higher levels.
  const agreeing = sharesOf(Float64Array.from(m, (_, level) => Math.exp((4 * level) / (count - 1))));
  const expected = agreeing.map((share, level) => 0.8 * share + 0.2 * unrelated[level]);
  const strength = agreement * total(mRows) + 2;
  const match = sharesOf(mRows.map((sum, level) => sum + expected[level] * strength));
  return { match, unrelated, expected };
}

/** Of a column with weights for its lowest level that are not learned, that weight counts whole. */
function weighted({ lowest }: EvidenceColumn, share: number, weights: Float64Array): Float64Array {
  const own = weights.map((weight) => share * weight);
  if (lowest !== undefined) own[0] = lowest;
  return own;
}

/** Matches expected, and the log-odds that a random pair is one. One row has no pairs. @param believed before any is seen */
function expectedMatches(
  table: PairTable,
  counts: ExpectedCounts,
  believed = 0,
): Pick<Weights, "matches" | "prior"> {
  const pairs = Math.max(1, allPairs(table));
  const matches = Math.max(1e-3, total(counts.matches));
  const all = matches + Math.min(believed, pairs / 2);
  return { matches, prior: Math.min(0, Math.log(all / pairs)) };
}

/**
 * Pairs by which related ones are believed to be like any others: a small table has too few pairs to learn a third class,
 * which would take the matches of large groups.
 */
const relatedStrength = 200;

function plainFit(table: PairTable, found: Found): Weights {
  const { shares, counts } = found;
  const [match, related]: Float64Array[][] = [[], []];
  table.columns.forEach((column, at) => {
    const h = byLevel(table.levels[at], column.levels, counts.related);
    const { match: own, unrelated, expected } = levelShares(table, at, found, h);
    match.push(weighted(column, shares[at], clampedLogRatio(own, unrelated, true)));
    const alike = sharesOf(
      h.map((sum, level) => sum + relatedStrength * unrelated[level] + 2 * expected[level]),
    );
    const weights = clampedLogRatio(alike, unrelated, true).map((weight) => shares[at] * weight);
    if (counts.related !== undefined) related.push(weights);
  });
  const share = counts.related === undefined ? 0 : total(counts.related) / Math.max(1, allPairs(table));
  return { match, related, relatedShare: share, ...expectedMatches(table, counts) };
}

/** What identifies differs in no more than this share of the matches; as many are believed to differ before any is seen. */
const mostDiffering = 0.03;
const believedDiffering = 0.02;
/** Matches by which that is believed: so many, and this share of those that are expected. */
const identityStrength = { least: 20, share: 0.3 };
/** Matches that are believed in before any is seen, as near misses are: a small table would be left without one. */
const believedMatches = 1;

function nearFit(
  table: PairTable,
  found: Found & {
    readonly identity: readonly boolean[];
    readonly near?: NearCounts;
    readonly factors?: Float64Array;
  },
): Weights {
  const { shares, counts, identity, near, factors } = found;
  const [match, shared, differing, siblings]: Float64Array[][] = [[], [], [], []];
  const numbers = expectedMatches(table, counts, believedMatches);
  const strength = identityStrength.least + identityStrength.share * numbers.matches;
  table.columns.forEach((column, at) => {
    const { levels, differs, unit } = column;
    const [inShared, inDiffering] = [near?.shared[unit], near?.differing[unit]];
    const others = [inShared, inDiffering].map((ofClass) => byLevel(table.levels[at], levels, ofClass));
    const own = levelShares(
      table,
      at,
      found,
      others[0].map((sum, level) => sum + others[1][level]),
    );
    const seen = byLevel(table.levels[at], levels, counts.shares);
    const wrong = total(seen.subarray(0, differs)) + strength * believedDiffering;
    const most = Math.min(mostDiffering, wrong / (total(seen) + strength));
    const ofMatch = identity[at] ? withDiffering(own.match, differs, most) : own.match;
    match.push(weighted(column, shares[at], clampedLogRatio(ofMatch, own.unrelated, true)));
    const ofNear = nearWeights(
      column,
      identity[at],
      table.levels[at],
      { ...own, match: ofMatch },
      { differing: inDiffering, siblings: near?.siblings[unit] },
    );
    shared.push(ofNear.shared.map((weight) => shares[at] * weight));
    differing.push(ofNear.differing.map((weight) => shares[at] * weight));
    siblings.push(ofNear.siblings.map((weight) => shares[at] * weight));
  });
  const kinds = kindShares(table, identity, factors, near?.kinds);
  return {
    match,
    near: { kinds, shared, differing, siblings, identity },
    related: [],
    relatedShare: 0,
    ...numbers,
  };
}

/** Shares of which those of the levels below `differs` are so many together. */
function withDiffering(shares: Float64Array, differs: number, wanted: number): Float64Array {
  const found = total(shares.subarray(0, differs));
  if (found <= 0 || found >= 1) return shares;
  return shares.map((share, level) =>
    level < differs ? (share * wanted) / found : (share * (1 - wanted)) / (1 - found),
  );
}

/**
 * Log-odds of pairs, or of classes of them, by their levels, one array per column.
 * @param related if given, receives the share of related pairs, or of near misses, in what is no match
 */
export const scorePairs = (
  levels: readonly Int8Array[],
  weights: Weights,
  columns: PairTable["columns"],
  related?: Float64Array,
): Float64Array => pairScores(weights, columns)(levels, related);

/** Returns a function that scores as {@link scorePairs} does, which is faster for a pair at a time. */
export function pairScores(weights: Weights, columns: PairTable["columns"]) {
  const { match, prior } = weights;
  const others = weights.near === undefined ? relatedOdds(weights) : beside(weights, weights.near, columns);
  return (levels: readonly Int8Array[], related?: Float64Array): Float64Array => {
    const logOdds = new Float64Array(levels[0]?.length ?? 0).fill(prior);
    match.forEach((weights, column) => {
      const ofColumn = levels[column];
      for (let pair = 0; pair < logOdds.length; pair++)
        if (ofColumn[pair] !== missing) logOdds[pair] += weights[ofColumn[pair]];
    });
    others(levels, logOdds, related);
    return logOdds;
  };
}

/** Takes from log-odds against unrelated pairs what related ones, or near misses, explain as well. */
type Others = (levels: readonly Int8Array[], logOdds: Float64Array, related?: Float64Array) => void;

function relatedOdds({ related: weights, relatedShare, taught }: Weights): Others {
  const { factor = 1 } = taught ?? {};
  return (levels, logOdds, related) => {
    if (weights.length === 0) return;
    const alike = new Float64Array(logOdds.length);
    weights.forEach((own, column) => {
      for (let pair = 0; pair < alike.length; pair++)
        if (levels[column][pair] !== missing) alike[pair] += own[levels[column][pair]];
    });
    for (let pair = 0; pair < alike.length; pair++) {
      const odds = relatedShare * Math.exp(Math.min(300, alike[pair]));
      logOdds[pair] -= factor * Math.log(odds + 1 - relatedShare);
      if (related !== undefined) related[pair] = odds / (odds + 1 - relatedShare);
    }
  };
}

/** Unrelated pairs that agree in everything are so much rarer than columns that are independent say; as much as is filled. */
const agreeingByChance = 0.02;

/** What a column says of values that agree best. */
export const ofAgreement = (weights: Float64Array): number => Math.max(0, weights.at(-1)!);

function beside({ match, taught }: Weights, near: NearMisses, columns: PairTable["columns"]): Others {
  const { sum } = nearOdds(near, columns);
  const fields = columns.flatMap(({ field, agrees }, column) => (field >= 0 ? [{ column, agrees }] : []));
  const { factor, agreeing: says } = taught ?? { factor: 1, agreeing: match.map(ofAgreement) };
  const most = Math.max(
    1e-9,
    fields.reduce((all, { column }) => all + says[column], 0),
  );
  return (levels, logOdds, related) => {
    for (let pair = 0; pair < logOdds.length; pair++) {
      const odds = sum(levels, pair);
      let [isAgreeing, covered] = [true, 0];
      for (const { column, agrees } of fields) {
        const level = levels[column][pair];
        if (level === missing) continue;
        isAgreeing &&= level >= agrees;
        covered += says[column];
      }
      const unrelated = isAgreeing ? agreeingByChance ** (covered / most) : 1;
      logOdds[pair] -= factor * Math.log(odds + unrelated);
      if (related !== undefined) related[pair] = odds / (odds + unrelated);
    }
  };
}

/**
 * Known pairs by their place in the pair table, as far as they are in it.
 * @param sorted pairs of the table that are sorted, others follow; default all
 */
export function knownPlaces(table: PairTable, known: Iterable<KnownPair>, sorted?: number): Known {
  const [places, shares] = [new Map<number, number>(), new Map<number, number>()];
  const note = (place: number, { match, share }: KnownPair): void => {
    places.set(place, match ? 1 : 0);
    if (share !== undefined) shares.set(place, share);
  };
  const unsorted = new Map<number, KnownPair>();
  const keyOf = (left: number, right: number): number => left * table.rows[1] + right;
  for (const pair of known) {
    const [left, right] = rowsInOrder(table, pair);
    const place = placeOf(table, left, right, sorted);
    if (place >= 0) note(place, pair);
    else unsorted.set(keyOf(left, right), pair);
  }
  if (unsorted.size > 0)
    for (let place = sorted ?? table.left.length; place < table.left.length; place++) {
      const pair = unsorted.get(keyOf(table.left.at(place)!, table.right[place]));
      if (pair !== undefined) note(place, pair);
    }
  return Object.assign(places, { shares });
}
