/** Groups the rows of one table that are the same thing by all their columns, without labels. */
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import {
  type ColumnReport,
  columnReports,
  explainPair,
  type RowExplanation,
} from "../match/column-report.js";
import type { TableColumns } from "../match/columns/align.js";
import { inverse } from "../match/columns/canonical.js";
import { type ColumnOptions, type DroppedColumn, prepareTables } from "../match/columns/fields.js";
import {
  type ComparedTables,
  compareTables,
  type KnownPair,
  type MatchRunOptions,
  partsOf,
} from "../match/compare-tables.js";
import { auditOf, halving, interleaved } from "../match/estimates/audit.js";
import {
  type AcceptedLevel,
  contradiction,
  keepPrecision,
  type PrecisionReport,
  veto,
} from "../match/estimates/promise.js";
import { judgedEstimates } from "../match/estimates/scored-pairs.js";
import { silentColumns, withoutColumns, withSilent } from "../match/estimates/silent-columns.js";
import type { EvidenceColumn } from "../match/evidence/pair-evidence.js";
import { once } from "../match/once.js";
import type { LearnedRows } from "../match/rescore.js";
import { type DoubtfulPair, doubtfulPairs } from "../match/review/doubtful.js";
import { type LabelEffect, labelEffect, partnersInGroup, rowsOfPairs } from "../match/review/label-effect.js";
import { type Known, withAnswers } from "../match/weights/answers.js";
import {
  decide,
  knownPlaces,
  type Learned,
  learnWeights,
  scorePairs,
  type Weights,
} from "../match/weights/learn.js";
import { sigmoid } from "../match/weights/logistic.js";
import { averageLinkage, groupsFrom } from "./average-linkage.js";
import { decidedGroups, sureRows } from "./decided-groups.js";
import { greatestF1 } from "./expected-f1.js";
import { pairProbability, supportedProbability, withPairsInside } from "./group-pairs.js";

/** Options of {@link groupRows}. */
export interface GroupRowsOptions extends ColumnOptions, MatchRunOptions {
  /** The promised precision of the pairs of rows within groups. Default 0.9. */
  readonly precision?: number;
  /** Default: the embedded model, loaded for the call. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none";
  /** Judged pairs of rows. */
  readonly known?: readonly KnownPair[];
}

/** The groups that {@link groupRows} found, and what they rest on. Rows are positions in the table, counted from 0. */
export interface RowGroups extends PrecisionReport {
  /** Group of each row, numbered by first row. If the promise is refused, the likely groups, not verified. */
  readonly groupOf: Int32Array;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
  /** Probability that two rows are the same: if they are in one group, with its support. */
  probabilityOf(a: number, b: number): number;
  /** What was learned, to score rows that come later. */
  readonly learned: LearnedRows;
  /** The least mean log-odds of two groups that were merged. */
  readonly least: number;
  /** What each column says about two rows. */
  explain(a: number, b: number): RowExplanation;
  /** Pairs that are most worth judging, best first: their answers, as `known`, improve the groups most. */
  doubtful(count: number): DoubtfulPair[];
  /**
   * The groups with these judged pairs in place of `known`, without comparing the rows again: for pairs that `doubtful`
   * gave. Other pairs may not be candidates, and then have no effect.
   */
  withKnown(known: readonly KnownPair[]): Promise<RowGroups>;
  /** How many rows have other partners in their group than without `known`, and why. Learns once more. */
  labelEffect(): Promise<LabelEffect>;
  /** The groups at another promise, without comparing the rows again. */
  atPrecision(target: number): RowGroups;
}

/** Mean log-odds of merges, from the widest. */
const cuts = Array.from({ length: 16 }, (_, step) => -3 + step / 2);
/** The cut at which rows are the same as likely as not. */
const evenOdds = 0;

/**
 * Groups the rows of a table that are the same thing, by all columns that carry evidence or by those named.
 *
 *     const { groupOf, promise } = await groupRows({ name: [...], city: [...], phone: [...] });
 *
 * @throws ArgumentError for an unknown column; an aborted call rejects with the reason of its signal
 */
export async function groupRows(table: TableColumns, options: GroupRowsOptions = {}): Promise<RowGroups> {
  const encoder = options.encoder === undefined ? await PhraseEncoder.load() : options.encoder;
  try {
    const tables = prepareTables(table, undefined, options);
    const known = options.known ?? [];
    const run = { signal: options.signal, threads: options.threads, onProgress: options.onProgress };
    const grouping = { table, place: inverse(tables.order[0]), run };
    const compared = await compareTables(tables, {
      ...run,
      encoder: encoder === "none" ? undefined : encoder,
      known: preparedPairs(known, grouping.place),
    });
    const cautious = once(() => {
      const columns = compared.columns.map((column) => ({ ...column, share: cautiousShare(column) }));
      return learnedTable({ ...compared, columns }, run);
    });
    const learn = { plain: once(() => learnedTable(compared, run)), cautious };
    const unanswered = once(() => bestFit({ learn, run }, noAnswers));
    const silent = options.on === undefined ? silentColumns(tables, (await unanswered()).even) : [];
    if (silent.length > 0) {
      const rest = withoutColumns(table, silent, "name");
      return withSilent(await groupRows(rest, { ...options, encoder }), silent, "name");
    }
    const result = await resultWith({ ...grouping, compared, learn, unanswered }, known);
    return result(options.precision ?? 0.9);
  } finally {
    if (options.encoder === undefined && encoder !== "none") await encoder.dispose();
  }
}

const noAnswers: Known = new Map();

/** A compared table, as it was given. */
interface Grouping {
  readonly compared: ComparedTables;
  /** Weights without answers, learned when asked for. */
  readonly learn: {
    readonly plain: () => Promise<LearnedTable>;
    readonly cautious: () => Promise<LearnedTable>;
  };
  /** The best fit without answers. */
  readonly unanswered: () => Promise<Fit>;
  readonly table: TableColumns;
  /** For each given row its place among the prepared ones. */
  readonly place: Uint32Array;
  readonly run: MatchRunOptions;
}

interface LearnedTable {
  readonly compared: ComparedTables;
  readonly learned: Learned;
}

async function learnedTable(compared: ComparedTables, run: MatchRunOptions): Promise<LearnedTable> {
  return { compared, learned: await learnWeights(compared, partsOf(run, "learning weights")) };
}

/** Learns with judged pairs, and returns the result for each promise. */
async function resultWith(
  grouping: Grouping,
  known: readonly KnownPair[],
): Promise<(target: number) => RowGroups> {
  const { compared, table, place } = grouping;
  const { order, dropped, fields, naming } = compared.tables;
  const decisions = preparedPairs(known, place);
  const judged = knownPlaces(compared, decisions);
  const fit = known.length === 0 ? grouping.unanswered() : bestFit(grouping, judged);
  const { weights, evidence, accept } = await fit;
  const unanswered = await grouping.unanswered();
  const audit = auditOf(unanswered.sampled, judged, (level) => decidedLevel(level, decisions));
  const learned: LearnedRows = { fields, naming, evidence, weights };
  // A second fit may trust columns less than the first.
  const fitted = { ...compared, columns: evidence };
  const columns = columnReports(fitted, weights);
  const atPrecision = (target: number): RowGroups => {
    const { level, report } = audit.widest(target, accept(target));
    const groupOf = renumbered(place, level.groups);
    const probabilityOf = pairProbability(level, pairScorer(fitted, weights));
    return {
      ...{ ...report, groupOf, columns, dropped, atPrecision, learned, least: level.least },
      probabilityOf: (a, b) => probabilityOf(place[a], place[b]),
      explain: (a, b) =>
        explainPair(fitted, weights, { left: place[a], right: place[b] }, { left: table, right: table }),
      doubtful: (count) => {
        const { groups } = level;
        const candidates = compared.left.length;
        const gains = doubtfulPairs(level, { known: judged, candidates, count, groups, fields });
        const sample = report.promise.established ? [] : audit.open(target);
        return interleaved(gains, sample, count).map((pair) => {
          return { ...pair, left: order[0][pair.left], right: order[0][pair.right] };
        });
      },
      withKnown: async (all) => (await resultWith(grouping, all))(target),
      labelEffect: async () => {
        const without = known.length === 0 ? groupOf : (await resultWith(grouping, []))(target).groupOf;
        const [before, after] = [without, groupOf].map(partnersInGroup);
        return labelEffect(before, after, rowsOfPairs(known));
      },
    };
  };
  return atPrecision;
}

const preparedPairs = (known: readonly KnownPair[], place: Uint32Array): KnownPair[] =>
  known.map(({ left, right, match }) => ({ left: place[left], right: place[right], match }));

/** Log-odds of any two rows. */
function pairScorer(
  { columns, comparison }: ComparedTables,
  weights: Weights,
): (a: number, b: number) => number {
  const levels = columns.map(() => new Int8Array(1));
  return (a, b) => {
    comparison.compare(a, b, levels, 0);
    return scorePairs(levels, weights, columns)[0];
  };
}

interface GroupLevel extends AcceptedLevel {
  readonly least: number;
  readonly groups: Int32Array;
}

interface Fit {
  readonly weights: Weights;
  readonly evidence: readonly EvidenceColumn[];
  /** The groups of rows that are rather the same than not. */
  readonly even: GroupLevel;
  /** How far the likely groups contradict themselves: 0 if nothing speaks against them. */
  readonly doubt: number;
  /** The same groups, and stricter ones that have half of the pairs at most, and so on. */
  sampled(): GroupLevel[];
  accept(target: number): { level: GroupLevel; report: PrecisionReport };
}

/**
 * Columns made from the naming column repeat it. They help to find groups where rows differ much, and take families of
 * similar names for one thing where names are the lesser evidence: then a second fit trusts them less.
 */
async function bestFit({ learn, run }: Pick<Grouping, "learn" | "run">, known: Known): Promise<Fit> {
  const first = await fitGroups(await learn.plain(), known, run);
  if (first.doubt === 0) return first;
  const second = await fitGroups(await learn.cautious(), known, run);
  return second.doubt < first.doubt ? second : first;
}

const cautiousShare = ({ field, from, share }: EvidenceColumn): number =>
  field >= 0 ? share : from < 0 ? 0.5 : 0.25;

async function fitGroups(
  { compared, learned }: LearnedTable,
  known: Known,
  run: MatchRunOptions,
): Promise<Fit> {
  const size = compared.rows[0];
  const { weights, logOdds: candidateOdds } = withAnswers(compared, learned, known);
  const pairs = { left: compared.left, right: compared.right, logOdds: decide(candidateOdds, known) };
  const grouping = partsOf(run, "grouping");
  const weigh = pairScorer(compared, weights);
  const merges = await averageLinkage(size, pairs, { ...grouping, least: cuts[0], weigh });
  const inside = await withPairsInside(compared, groupsFrom(size, merges, cuts[0]), grouping);
  const undecided = scorePairs(inside.levels, weights, inside.columns);
  // The candidates come first among the pairs inside groups.
  const logOdds = decide(undecided, known);
  const own = undecided.map(sigmoid);
  const levelAt = (cut: number): GroupLevel => {
    const groups = groupsFrom(size, merges, cut);
    const accepted = Uint8Array.from(inside.left, (a, pair) =>
      groups[a] === groups[inside.right[pair]] ? 1 : 0,
    );
    const count = accepted.reduce((sum, flag) => sum + flag, 0);
    const probability = supportedProbability(inside, accepted, own);
    const judged = judgedEstimates(known, probability);
    for (const [pair, match] of known) probability[pair] = match;
    const relation = "many-to-many";
    return {
      ...{ table: inside, relation, weights, logOdds, judged, least: cut },
      ...{ probability, accepted, count, groups },
    };
  };
  function* levels(): Generator<GroupLevel> {
    for (const cut of cuts) yield levelAt(cut);
  }
  const even = levelAt(evenOdds);
  const [found, doubt] = [contradiction(even), veto(even)];
  let likely: GroupLevel | undefined;
  const fallback = (): GroupLevel => {
    likely ??= greatestF1(cuts.map(levelAt));
    return likely;
  };
  const accept: Fit["accept"] = (target) =>
    keepPrecision({ target, levels: levels(), fallback, doubt: doubt?.reason });
  const sampled = (): GroupLevel[] => halving(cuts.flatMap((cut) => (cut >= evenOdds ? [levelAt(cut)] : [])));
  return { weights, evidence: compared.columns, doubt: found?.strength ?? 0, sampled, accept, even };
}

/** A level after decisions on prepared rows. */
function decidedLevel(level: GroupLevel, known: readonly KnownPair[]): GroupLevel {
  const { left, right } = level.table;
  const sure = sureRows(level.groups.length, () => undefined, known);
  const groups = decidedGroups(level.groups, sure, known, () => 0);
  const accepted = Uint8Array.from(left, (a, pair) => (groups[a] === groups[right[pair]] ? 1 : 0));
  return { ...level, groups, accepted, count: accepted.reduce((sum, flag) => sum + flag, 0) };
}

/** Groups of the given rows, numbered by first row, from those of the prepared ones. */
function renumbered(place: Uint32Array, groups: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  return Int32Array.from(place, (prepared) => {
    const number = numbers.get(groups[prepared]) ?? numbers.size;
    numbers.set(groups[prepared], number);
    return number;
  });
}
