/**
 * Near misses: pairs of different things that share some columns as truly as a match does and differ by chance in the rest, as two
 * people of one household do. There is a kind of them for each proper subset of what is compared, so that what look-alikes
 * share need not be named, and counts once however many columns say it.
 */
import { missing } from "../evidence/levels.js";
import type { EvidenceColumn } from "../evidence/pair-evidence.js";
import { total } from "./expected-counts.js";
import { byLevel, clampedLogRatio, sharesOf } from "./level-weights.js";
import { classSizes } from "./pair-classes.js";
import { allPairs, type PairTable } from "./pair-table.js";

/** What is no match, beside unrelated pairs. */
export interface NearMisses {
  /** The share of each kind among all pairs. Its number has a bit for each unit that the kind shares. */
  readonly kinds: Float64Array;
  /** Per column and level: log-ratio to unrelated pairs where the column is shared, and where it differs. */
  readonly shared: readonly Float64Array[];
  readonly differing: readonly Float64Array[];
  /** The same where it is the only column that identifies and differs, as the code of a part of another revision. */
  readonly siblings: readonly Float64Array[];
  /** Per column whether it identifies: rows of one thing seldom differ in it. */
  readonly identity: readonly boolean[];
}

/** Of more units there are too many kinds to learn how many pairs each has. */
export const mostUnits = 8;

export const unitCount = (columns: readonly EvidenceColumn[]): number =>
  Math.max(...columns.map(({ unit }) => unit)) + 1;

/** Kinds whose odds are below it are nothing beside unrelated pairs. */
const leastLogOdds = -20;
const most = { before: 300, ofUnit: 60 };

/** Sums the odds of near misses against unrelated pairs. */
export interface NearOdds {
  /** The odds of each kind in the last sum. */
  readonly own: Float64Array;
  /** Of each kind the only one of several units that identify that differs; -1 for none. */
  readonly soles: Int8Array;
  sum(levels: readonly Int8Array[], place: number): number;
}

/** A bit for each unit that identifies. */
const identifyingUnits = (columns: readonly EvidenceColumn[], identity: readonly boolean[]): number =>
  columns.reduce((bits, { unit }, at) => bits | (identity[at] ? 1 << unit : 0), 0);

const areSeveral = (bits: number): boolean => (bits & (bits - 1)) !== 0;

/** Of each kind the only one of several units that identify that differs; -1 for none. */
function soleUnits(
  kinds: number,
  columns: readonly EvidenceColumn[],
  identity: readonly boolean[],
): Int8Array {
  const all = identifyingUnits(columns, identity);
  return Int8Array.from({ length: kinds }, (_, kind) => {
    const differing = all & ~kind;
    return areSeveral(all) && differing !== 0 && !areSeveral(differing) ? Math.log2(differing) : -1;
  });
}

export function nearOdds(
  { kinds, shared, differing, siblings, identity }: NearMisses,
  columns: readonly EvidenceColumn[],
): NearOdds {
  const own = new Float64Array(kinds.length);
  const units = Math.log2(kinds.length);
  const [deltas, ofSiblings] = [0, 1].map(() => new Float64Array(units));
  const soles = soleUnits(kinds.length, columns, identity);
  const largest = Math.log(Math.max(1e-300, ...kinds));
  const ratioOf = (delta: number): number => Math.exp(Math.min(most.ofUnit, delta));
  // Most units are one column, and then have one ratio for each level.
  const single = Array.from({ length: units }, (_, unit) => {
    const own = [...columns.keys()].filter((column) => columns[column].unit === unit);
    if (own.length !== 1) return undefined;
    return {
      column: own[0],
      ratios: shared[own[0]].map((log, level) => ratioOf(log - differing[own[0]][level])),
    };
  });
  const sum = (levels: readonly Int8Array[], place: number): number => {
    deltas.fill(0);
    ofSiblings.fill(0);
    let base = 0;
    for (let column = 0; column < columns.length; column++) {
      const level = levels[column][place];
      if (level === missing) continue;
      base += differing[column][level];
      const { unit } = columns[column];
      deltas[unit] += shared[column][level] - differing[column][level];
      ofSiblings[unit] += siblings[column][level] - differing[column][level];
    }
    let bound = base + largest;
    let likest = 0;
    for (let unit = 0; unit < units; unit++) {
      bound += Math.max(0, deltas[unit]);
      likest = Math.max(likest, ofSiblings[unit]);
      ofSiblings[unit] = ratioOf(ofSiblings[unit]);
    }
    if (bound + likest < leastLogOdds) return 0;
    own[0] = Math.exp(Math.min(most.before, base));
    for (let unit = 0, size = 1; unit < units; unit++, size *= 2) {
      const found = single[unit];
      const level = found === undefined ? missing : levels[found.column][place];
      const factor = level === missing ? ratioOf(deltas[unit]) : found!.ratios[level];
      for (let kind = 0; kind < size; kind++) own[size + kind] = own[kind] * factor;
    }
    let all = 0;
    for (let kind = 0; kind < own.length; kind++) {
      own[kind] *= kinds[kind];
      if (soles[kind] >= 0) own[kind] *= ofSiblings[soles[kind]];
      all += own[kind];
    }
    return all;
  };
  return { own, soles, sum };
}

/** Expected near misses: of each kind, and of each class how many share and differ in each unit, and in it alone. */
export interface NearCounts {
  readonly kinds: Float64Array;
  readonly shared: readonly Float64Array[];
  readonly differing: readonly Float64Array[];
  readonly siblings: readonly Float64Array[];
}

/** @param matches expected, of each class @param related of each class, the share of near misses in what is no match */
export function nearCounts(
  table: PairTable,
  near: NearMisses,
  matches: Float64Array,
  related: Float64Array,
): NearCounts {
  const { own, soles, sum } = nearOdds(near, table.columns);
  const kinds = new Float64Array(own.length);
  const units = Math.log2(own.length);
  const [shared, differing, siblings] = [0, 1, 2].map(() =>
    Array.from({ length: units }, () => new Float64Array(matches.length)),
  );
  classSizes(table).forEach((size, place) => {
    const misses = Math.max(0, size - matches[place]) * related[place];
    if (misses < 1e-6) return;
    const scale = misses / sum(table.levels, place);
    for (let kind = 0; kind < own.length; kind++) {
      kinds[kind] += scale * own[kind];
      if (soles[kind] >= 0) siblings[soles[kind]][place] += scale * own[kind];
    }
    // Kinds with the unit are added to those that lack it alone: what is left is the sum over all units that follow.
    for (let unit = units - 1, half = own.length / 2; unit >= 0; unit--, half /= 2) {
      let [having, lacking] = [0, 0];
      for (let kind = 0; kind < half; kind++) {
        having += own[half + kind];
        lacking += own[kind];
        own[kind] += own[half + kind];
      }
      shared[unit][place] = scale * having;
      differing[unit][place] = scale * lacking;
    }
  });
  return { kinds, shared, differing, siblings };
}

/** Near misses of a kind that are believed in before any is seen: more where what identifies differs. */
const believed = { identity: 0.2, circumstance: 0.02 };
/** Where only shared columns differ, this share of what looks like near misses is taken for them; none where two columns identify. */
const sameIdentity = 0.5;
/** Where nothing is known, each kind has as many pairs as this share of the rows. */
const firstShare = 0.02;
/** At most this share of all pairs are near misses. In a table of a few rows, the believed ones alone would be more. */
const mostNear = 0.5;

/**
 * The share of each kind among all pairs.
 * @param identity per column whether it identifies
 * @param factors by kind: what the mates of their rows say
 * @param found undefined at first
 */
export function kindShares(
  table: PairTable,
  identity: readonly boolean[],
  factors?: Float64Array,
  found?: Float64Array,
): Float64Array {
  const units = unitCount(table.columns);
  const pairs = Math.max(1, allPairs(table));
  const identifying = identifyingUnits(table.columns, identity);
  const all = 2 ** units - 1;
  // Two people hardly ever share both name and birth date by chance.
  const isIdentified = areSeveral(identifying);
  const counts = Float64Array.from({ length: all + 1 }, (_, kind) => {
    // What shares everything is a match.
    if (kind === all) return 0;
    const differs = (identifying & ~kind) !== 0;
    const learned = differs ? 1 : isIdentified ? 0 : sameIdentity;
    const count =
      found === undefined
        ? firstShare * Math.min(...table.rows)
        : found[kind] * learned + believed[differs ? "identity" : "circumstance"];
    return count * (factors?.[kind] ?? 1);
  });
  const whole = Math.max(pairs, total(counts) / mostNear);
  return counts.map((count) => count / whole);
}

/** Near misses that share a column differ in its lowest levels less often than matches do. */
const sharedDiffers = 0.1;
/** What differs is of unrelated values, and in part of values that belong together and are seldom equal, as those of siblings. */
const siblings = 0.3;
const equalByChance = 0.5;
/** By how much a nearly equal value is likelier a slip than the value of a sibling, as log-odds. */
const slips = 2;
/** Pairs by which what differs is believed to be so. */
const strength = 30;

/**
 * How near misses look in one column.
 * @param counts near misses in which it differs, of each class, and those in which nothing else that identifies does
 */
export function nearWeights(
  { levels: count, differs, agrees, hasSlips = false }: EvidenceColumn,
  identifies: boolean,
  levels: Int8Array,
  { match, unrelated }: Record<"match" | "unrelated", Float64Array>,
  counts: Partial<Record<"differing" | "siblings", Float64Array>>,
): Record<"shared" | "differing" | "siblings", Float64Array> {
  const shared = sharesOf(match.map((share, level) => (level < differs ? sharedDiffers * share : share)));
  // Of codes that several things share, as telephone numbers, one with a slip is seldom another one.
  const least = hasSlips && !identifies ? differs : agrees;
  const alike = sharesOf(unrelated.map((_, level) => (level < least ? 1 : 0)));
  const prior = sharesOf(
    unrelated.map((share, level) => {
      const byChance = level >= agrees ? equalByChance * share + 1e-5 : share;
      return (1 - siblings) * byChance + siblings * alike[level];
    }),
  );
  const ofMatch = clampedLogRatio(match, unrelated, true);
  const learned = (seen: Float64Array, most: number): Float64Array => {
    const all = Math.max(1e-9, total(seen));
    const differing = seen.map((sum, level) => {
      const own = level >= agrees ? Math.min(sum, prior[level] * all) : sum;
      return own + strength * prior[level];
    });
    return clampedLogRatio(sharesOf(differing), unrelated, false).map((weight, level) =>
      level >= differs ? Math.min(weight, ofMatch[level] - most) : weight,
    );
  };
  const [all, sole] = [counts.differing, counts.siblings].map((ofClass) => byLevel(levels, count, ofClass));
  // A nearly equal street was written differently: it speaks for neighbours no more than for one person.
  return {
    shared: clampedLogRatio(shared, unrelated, true),
    differing: learned(
      all.map((sum, level) => Math.max(0, sum - sole[level])),
      identifies ? -Infinity : 0,
    ),
    siblings: learned(sole, slips),
  };
}
