/** Groups the rows of one table that are the same thing by all their columns, without labels. */
import { numberedRows } from "../disjoint-sets.js";
import { ArgumentError } from "../errors.js";
import { checkMatching } from "../match/check-tables.js";
import type { TableColumns } from "../match/columns/align.js";
import type { Field } from "../match/columns/fields.js";
import {
  asStage,
  type ComparedTables,
  type KnownPair,
  type MatchRunOptions,
} from "../match/compare-tables.js";
import { halving } from "../match/estimates/audit.js";
import { keepPrecision, veto } from "../match/estimates/promise.js";
import { dividedByRules, judgedEstimates, type ScoredPairs } from "../match/estimates/scored-pairs.js";
import { withComparisons } from "../match/evidence/own-comparison.js";
import {
  type MatchedRows,
  type MatchFit,
  type MatchMethod,
  type MatchRowsOptions,
  matchRows,
} from "../match/match-rows.js";
import { once } from "../match/once.js";
import type { LearnedRows } from "../match/rescore.js";
import { partnersInGroup } from "../match/review/label-effect.js";
import { apartRows, type PairRules, readRules, type SourceOptions, sameBy } from "../match/rules.js";
import { withAnswers } from "../match/weights/answers.js";
import { chosenPlaces } from "../match/weights/chosen-places.js";
import {
  decide,
  type Learned,
  learnWeights,
  pairScores,
  scorePairs,
  type Weights,
} from "../match/weights/learn.js";
import type { RowPairs } from "../match/weights/left-rows.js";
import { sigmoid } from "../match/weights/logistic.js";
import type { Known } from "../match/weights/pair-table.js";
import { averageLinkage, groupsFrom } from "./average-linkage.js";
import { decidedGroups, sureRows } from "./decided-groups.js";
import { greatestF1 } from "./expected-f1.js";
import { groupWithoutCopies } from "./further-copies.js";
import { pairProbability, supportedProbability, withPairsInside } from "./group-pairs.js";

/** Options of {@link groupRows}; the promised precision is that of the pairs of rows within groups. */
export interface GroupRowsOptions extends MatchRowsOptions, SourceOptions {}

interface Groups {
  /** Group of each row, numbered by first row. If the promise is refused, the likely groups, not verified. */
  readonly groupOf: Int32Array;
  /** Probability that two rows are the same: if they are in one group, with its support. */
  probabilityOf(a: number, b: number): number;
  /** What was learned, to score rows that come later. */
  readonly learned: LearnedRows;
  /** The least mean log-odds of two groups that were merged. */
  readonly least: number;
}

/** The groups that {@link groupRows} found, and what they rest on. Rows are positions in the table, counted from 0. */
export interface RowGroups extends Groups, MatchedRows<RowGroups> {}

/** Mean log-odds of merges, from the widest. */
const cuts = Array.from({ length: 16 }, (_, step) => -3 + step / 2);
/** The cut at which rows are the same as likely as not. */
const evenOdds = 0;

/**
 * Groups the rows of a table that are the same thing, by all columns that carry evidence or by those named. Names are compared in
 * the script that they are written in.
 *
 *     const { groupOf, promise } = await groupRows({ name: [...], city: [...], phone: [...] });
 *
 * @throws ArgumentError for an unknown column, and cells that are not strings; an aborted call rejects with the reason of its signal
 */
export async function groupRows(table: TableColumns, given: GroupRowsOptions = {}): Promise<RowGroups> {
  checkMatching([table], given);
  const options = await withComparisons([table], given);
  const rules = options.rules ?? readRules(table, undefined, options);
  return groupWithoutCopies(table, { ...options, rules }, (rows, all) =>
    matchRows(rows, undefined, all, byGroups),
  );
}

/** A field without its values, which a table is then free of. */
const described = ({ name, other, kind, profile, siblings }: Field): LearnedRows["fields"][number] => {
  return { name, other, kind, profile, siblings };
};

const byGroups: MatchMethod<GroupLevel, MatchFit<GroupLevel>, Groups> = {
  learner: (compared, run) => {
    const settings = asStage(run, "learning weights");
    const learned = once(() => learnWeights(compared, settings));
    return async (known, table) => fitGroups(table, await learned(), known, run);
  },
  nothing: {
    groupOf: new Int32Array(0),
    probabilityOf: () => 0,
    learned: {
      ...{ fields: [], naming: -1, evidence: [] },
      weights: { match: [], related: [], relatedShare: 0, prior: 0, matches: 0 },
    },
    least: evenOdds,
  },
  decided: decidedLevel,
  show: ({ compared, weights }, level, { places: [place] }) => {
    const { tables, columns: evidence } = compared;
    const accepted = pairsWithin(level.groups, level.table);
    const probabilityOf = pairProbability({ ...level, accepted }, level.weigh);
    return {
      groupOf: numberedRows(Int32Array.from(place, (prepared) => level.groups[prepared])),
      probabilityOf(a, b) {
        const [left, right] = [place[a], place[b]];
        if (left === undefined || right === undefined)
          throw new ArgumentError(`there is no pair of rows ${a} and ${b}`);
        return probabilityOf(left, right);
      },
      learned: { fields: tables.fields.map(described), naming: tables.naming, evidence, weights },
      least: level.least,
    };
  },
  partners: (before, after) => partnersInGroup(before.groupOf, after.groupOf),
  judgedRows: ({ left, right }) => [left, right],
};

/** Log-odds of any two rows. */
function pairScorer(
  { columns, comparison }: ComparedTables,
  weights: Weights,
): (a: number, b: number) => number {
  const levels = columns.map(() => new Int8Array(1));
  const scores = pairScores(weights, columns);
  return (a, b) => {
    comparison.compare(a, b, levels, 0);
    return scores(levels)[0];
  };
}

interface GroupLevel extends ScoredPairs {
  readonly least: number;
  /** Log-odds of any two rows, the smaller first. */
  weigh(a: number, b: number): number;
  readonly groups: Int32Array;
  readonly rules?: PairRules;
}

async function fitGroups(
  compared: ComparedTables,
  learned: Learned,
  known: Known,
  run: MatchRunOptions,
): Promise<MatchFit<GroupLevel>> {
  const size = compared.rows[0];
  const { weights, logOdds: candidateOdds, heldOut } = withAnswers(compared, learned, known);
  const decided = decide(compared, candidateOdds, known);
  const { rules } = compared;
  const apart = apartRows(rules, judgedRows(known, compared));
  const pairs = { ...decided.table, weights: decided.logOdds };
  const grouping = asStage(run, "grouping");
  const weigh = pairScorer(compared, weights);
  const merges = await averageLinkage(size, pairs, { ...grouping, least: cuts[0], weigh, apart });
  const inside = await withPairsInside(compared, groupsFrom(size, merges, cuts[0]), grouping);
  const undecided = scorePairs(inside.levels, weights, inside.columns);
  // The candidates come first among the pairs inside groups.
  const { table, logOdds } = decide(inside, undecided, known);
  const own = undecided.map(sigmoid);
  const folds = (heldOut ?? []).map(({ pairs, weights }) => {
    return { pairs, own: scorePairs(inside.levels, weights, inside.columns).map(sigmoid) };
  });
  const levelAt = (cut: number): GroupLevel => {
    const groups = groupsFrom(size, merges, cut);
    const all = pairsWithin(groups, inside);
    const supported = supportedProbability(inside, all, own);
    const held = new Map<number, number | undefined>();
    for (const { pairs, own } of folds) {
      const ofOthers = supportedProbability(inside, all, own);
      for (const pair of pairs) held.set(pair, ofOthers.at(pair));
    }
    const judged = judgedEstimates(known, { at: (pair) => held.get(pair) ?? supported.at(pair) });
    const probability = { at: (pair: number) => known.get(pair) ?? supported.at(pair) };
    const relation = "many-to-many";
    return {
      ...{ table, relation, weights, logOdds, judged, least: cut },
      ...{ probability, ...dividedByRules(all, known), groups, weigh, rules },
    };
  };
  function* levels(from = cuts[0]): Generator<GroupLevel> {
    for (const cut of cuts) if (cut >= from) yield cut === evenOdds ? even : levelAt(cut);
  }
  const even = levelAt(evenOdds);
  const doubt = veto(even)?.reason;
  let likely: GroupLevel | undefined;
  const fallback = (): GroupLevel => {
    likely ??= greatestF1(levels());
    return likely;
  };
  const accept: MatchFit<GroupLevel>["accept"] = (target, allowed) =>
    keepPrecision({ target, levels: levels(), fallback, doubt, allowed });
  const sampled = (): GroupLevel[] => halving(levels(evenOdds));
  return { weights, compared, accept, likely: even, sampled };
}

/** A level after decisions on pairs of rows, which need not be pairs of the level. */
function decidedLevel(level: GroupLevel, judged: Known, table: RowPairs): GroupLevel {
  const known = judgedRows(judged, table);
  const { rules, table: own } = level;
  const sure = sureRows(level.groups.length, () => undefined, known, rules);
  const groups = decidedGroups(level.groups, sure, known, pairProbability(level, level.weigh), rules);
  const accepted = pairsWithin(groups, own).filter(
    (pair) => sameBy(rules, own.left.at(pair)!, own.right[pair]) === undefined,
  );
  return { ...level, groups, accepted };
}

/** The pairs that people judged, by their rows. */
const judgedRows = (known: Known, { left, right }: RowPairs): KnownPair[] =>
  Array.from(known.judged ?? known, ([pair, match]) => {
    return { left: left.at(pair)!, right: right[pair], match: match === 1 };
  });

/** The pairs whose rows are in one group. */
const pairsWithin = (groups: Int32Array, { left, right }: RowPairs): Int32Array =>
  chosenPlaces(right.length, (pair) => groups[left.at(pair)!] === groups[right[pair]]);
