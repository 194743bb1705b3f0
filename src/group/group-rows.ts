/** Groups the rows of one table that are the same thing by all their columns, without labels. */
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { type ColumnReport, columnReports, explainPair } from "../match/column-report.js";
import type { TableColumns } from "../match/columns/align.js";
import { type ColumnOptions, type DroppedColumn, prepareTables } from "../match/columns/fields.js";
import { type ComparedTables, compareTables, type KnownPair } from "../match/compare-tables.js";
import {
  type AcceptedLevel,
  contradiction,
  keepPrecision,
  type PrecisionReport,
} from "../match/estimates/promise.js";
import { silentColumns, withoutColumns, withSilent } from "../match/estimates/silent-columns.js";
import type { EvidenceColumn } from "../match/evidence/pair-evidence.js";
import { decide, knownPlaces, learnWeights, scorePairs, type Weights } from "../match/weights/learn.js";
import { averageLinkage, groupsFrom } from "./average-linkage.js";
import { greatestF1 } from "./expected-f1.js";
import { supportedProbability, withPairsInside } from "./group-pairs.js";

export interface GroupRowsOptions extends ColumnOptions {
  /** The promised precision of the pairs of rows within groups. Default 0.9. */
  readonly precision?: number;
  /** Default: the embedded model, loaded for the call. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none";
  /** Judged pairs of rows. */
  readonly known?: readonly KnownPair[];
  readonly signal?: AbortSignal;
}

export interface RowGroups extends PrecisionReport {
  /** Group of each row, numbered by first row. If the promise is refused, the likely groups, not verified. */
  readonly groupOf: Int32Array;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
  /** What each column says about two rows. */
  explain(a: number, b: number): ReturnType<typeof explainPair>;
  /** The groups at another promise, without comparing the rows again. */
  atPrecision(target: number): RowGroups;
}

/** Mean log-odds of merges, from the widest. */
const cuts = Array.from({ length: 16 }, (_, step) => -3 + step / 2);
/** The cut at which rows are the same as likely as not. */
const evenOdds = 0;

/** @throws ArgumentError for an unknown column; an aborted call rejects with the reason of its signal */
export async function groupRows(table: TableColumns, options: GroupRowsOptions = {}): Promise<RowGroups> {
  const encoder = options.encoder === undefined ? await PhraseEncoder.load() : options.encoder;
  try {
    const tables = prepareTables(table, undefined, options);
    const order = tables.order[0];
    const place = new Uint32Array(order.length);
    order.forEach((row, prepared) => {
      place[row] = prepared;
    });
    const known = (options.known ?? []).map(({ left, right, match }) => {
      return { left: place[left], right: place[right], match };
    });
    const model = encoder === "none" ? undefined : encoder;
    const compared = await compareTables(tables, { encoder: model, signal: options.signal, known });
    const { weights, accept, even } = await bestFit(compared, knownPlaces(compared, known), options.signal);
    const silent = options.on === undefined ? silentColumns(tables, even) : [];
    if (silent.length > 0) {
      const rest = withoutColumns(table, silent, "name");
      return withSilent(await groupRows(rest, { ...options, encoder }), silent, "name");
    }
    const columns = columnReports(compared, weights);
    const atPrecision = (target: number): RowGroups => {
      const { level, report } = accept(target);
      return {
        ...{
          ...report,
          groupOf: renumbered(place, level.groups),
          dropped: tables.dropped,
          columns,
          atPrecision,
        },
        explain: (a, b) => explainPair(compared, weights, place[a], place[b]),
      };
    };
    return atPrecision(options.precision ?? 0.9);
  } finally {
    if (options.encoder === undefined && encoder !== "none") await encoder.dispose();
  }
}

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
  readonly groups: Int32Array;
}

interface Fit {
  readonly weights: Weights;
  /** The groups of rows that are rather the same than not. */
  readonly even: GroupLevel;
  /** How far the likely groups contradict themselves: 0 if nothing speaks against them. */
  readonly doubt: number;
  accept(target: number): { level: GroupLevel; report: PrecisionReport };
}

/**
 * Columns made from the naming column repeat it. They help to find groups where rows differ much, and take families of
 * similar names for one thing where names are the lesser evidence: then a second fit trusts them less.
 */
async function bestFit(
  compared: ComparedTables,
  known: ReadonlyMap<number, number>,
  signal: AbortSignal | undefined,
): Promise<Fit> {
  const first = await fitGroups(compared, known, signal);
  if (first.doubt === 0) return first;
  const columns = compared.columns.map((column) => ({ ...column, share: cautiousShare(column) }));
  const second = await fitGroups({ ...compared, columns }, known, signal);
  return second.doubt < first.doubt ? second : first;
}

const cautiousShare = ({ field, from, share }: EvidenceColumn): number =>
  field >= 0 ? share : from < 0 ? 0.5 : 0.25;

async function fitGroups(
  compared: ComparedTables,
  known: ReadonlyMap<number, number>,
  signal: AbortSignal | undefined,
): Promise<Fit> {
  const size = compared.rows[0];
  const { weights, logOdds: candidateOdds } = learnWeights(compared, { known });
  const pairs = { left: compared.left, right: compared.right, logOdds: candidateOdds };
  const merges = averageLinkage(size, pairs, { least: cuts[0], weigh: pairScorer(compared, weights) });
  const inside = await withPairsInside(compared, groupsFrom(size, merges, cuts[0]), signal);
  const logOdds = scorePairs(inside.levels, weights, inside.columns);
  // The candidates come first among the pairs inside groups.
  decide(logOdds, known);
  const own = logOdds.map((odds) => 1 / (1 + Math.exp(-odds)));
  const levelAt = (cut: number): GroupLevel => {
    const groups = groupsFrom(size, merges, cut);
    const accepted = Uint8Array.from(inside.left, (a, pair) =>
      groups[a] === groups[inside.right[pair]] ? 1 : 0,
    );
    const count = accepted.reduce((sum, flag) => sum + flag, 0);
    const probability = supportedProbability(inside, accepted, own);
    const relation = "many-to-many";
    return { table: inside, relation, weights, logOdds, probability, accepted, count, groups };
  };
  function* levels(): Generator<GroupLevel> {
    for (const cut of cuts) yield levelAt(cut);
  }
  const even = levelAt(evenOdds);
  const found = contradiction(even);
  let likely: GroupLevel | undefined;
  const fallback = (): GroupLevel => {
    likely ??= greatestF1(cuts.map(levelAt));
    return likely;
  };
  const accept: Fit["accept"] = (target) =>
    keepPrecision({ target, levels: levels(), fallback, doubt: found?.reason });
  return { weights, doubt: found?.strength ?? 0, accept, even };
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
