/** Matches the rows of two tables by all their columns, without labels: columns, candidates, weights, partners, promise. */
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import {
  type ColumnReport,
  columnReports,
  explainPair,
  type RowExplanation,
} from "../match/column-report.js";
import type { TableColumns } from "../match/columns/align.js";
import { canonicalSides, inverse } from "../match/columns/canonical.js";
import { type ColumnOptions, type DroppedColumn, prepareTables, rowsOf } from "../match/columns/fields.js";
import { type ComparedTables, compareTables, type KnownPair } from "../match/compare-tables.js";
import {
  type AcceptedLevel,
  contradiction,
  keepPrecision,
  type PrecisionReport,
} from "../match/estimates/promise.js";
import { type DoubtfulPair, doubtfulPairs } from "../match/review/doubtful.js";
import { type LabelEffect, labelEffect, partnersOfRight, rightRowsOf } from "../match/review/label-effect.js";
import { matchingBeliefs } from "../match/weights/competition.js";
import {
  knownPlaces,
  type Learned,
  learnWeights,
  type Relation,
  type Weights,
} from "../match/weights/learn.js";
import { partnersPerRow } from "./row-relation.js";

export interface MatchTablesOptions extends ColumnOptions {
  /** The promised precision. Default 0.9. */
  readonly precision?: number;
  /** Default: the embedded model, loaded for the call. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none";
  /** How many partners a row may have. Default: found from the tables. */
  readonly kind?: Relation;
  /** Judged pairs of rows. */
  readonly known?: readonly KnownPair[];
  readonly signal?: AbortSignal;
}

export interface RowMatch {
  readonly left: number;
  readonly right: number;
  readonly probability: number;
}

export interface TableMatches extends PrecisionReport {
  /** By left row. If the promise is refused, the likely pairs, not verified. */
  readonly matches: readonly RowMatch[];
  readonly kind: Relation;
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
  /** What each column says about a pair of rows. */
  explain(left: number, right: number): RowExplanation;
  /** Pairs that are most worth judging, best first: their answers, as `known`, improve the matches most. */
  doubtful(count: number): DoubtfulPair[];
  /**
   * The matches with these judged pairs in place of `known`, without comparing the rows again: for pairs that `doubtful`
   * gave. Other pairs may not be candidates, and then have no effect.
   */
  withKnown(known: readonly KnownPair[]): Promise<TableMatches>;
  /** How many right rows have other partners than without `known`, and why. Learns once more. */
  labelEffect(): Promise<LabelEffect>;
  /** The matches at another promise, without comparing the rows again. */
  atPrecision(target: number): TableMatches;
}

/** Floors of probability, from the widest. */
const floors = [0.02, 0.05, 0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99];
const likely = 0.5;
/** Share of rows with several partners from which a join is not one-to-one. */
const severalPartners = 0.25;

/** @throws ArgumentError for an unknown column; an aborted call rejects with the reason of its signal */
export async function matchTables(
  left: TableColumns,
  right: TableColumns,
  options: MatchTablesOptions = {},
): Promise<TableMatches> {
  const encoder = options.encoder === undefined ? await PhraseEncoder.load() : options.encoder;
  try {
    const isSwapped = canonicalSides(left, right) === "swapped";
    const [first, second] = isSwapped ? [right, left] : [left, right];
    const tables = prepareTables(first, second, isSwapped ? swappedOptions(options) : options);
    const known = preparedPairs(options.known ?? [], tables.order, isSwapped);
    const model = encoder === "none" ? undefined : encoder;
    const compared = await compareTables(tables, { encoder: model, signal: options.signal, known });
    const matching: Matching = { compared, isSwapped, left, right, kind: options.kind };
    return resultWith(matching, options.known ?? [])(options.precision ?? 0.9);
  } finally {
    if (options.encoder === undefined && encoder !== "none") await encoder.dispose();
  }
}

/** Compared tables, as they were given. */
interface Matching {
  readonly compared: ComparedTables;
  readonly isSwapped: boolean;
  readonly left: TableColumns;
  readonly right: TableColumns;
  readonly kind?: Relation;
}

/** Learns with judged pairs, and returns the result for each promise. */
function resultWith(matching: Matching, known: readonly KnownPair[]): (target: number) => TableMatches {
  const { compared, isSwapped, right } = matching;
  const { tables } = compared;
  const judged = knownPlaces(compared, preparedPairs(known, tables.order, isSwapped));
  const { kind, weights, accept } = fitPairs(compared, judged, matching.kind);
  const columns = columnReports(compared, weights).map((column) =>
    isSwapped ? { ...column, name: column.other, other: column.name } : column,
  );
  const atPrecision = (target: number): TableMatches => {
    const { level, report } = accept(target);
    const matches = acceptedRows(compared, level, isSwapped);
    return {
      ...{ ...report, matches, kind, columns, dropped: tables.dropped, atPrecision },
      explain: explainer(matching, weights),
      doubtful: (count) =>
        doubtfulPairs(level, judged, count).map((pair) => {
          return { ...pair, ...givenRows(compared, pair, isSwapped) };
        }),
      withKnown: async (all) => resultWith(matching, all)(target),
      labelEffect: async () => {
        const without = known.length === 0 ? matches : resultWith(matching, [])(target).matches;
        const [before, after] = [without, matches].map((found) => partnersOfRight(rowsOf(right), found));
        return labelEffect(before, after, rightRowsOf(known));
      },
    };
  };
  return atPrecision;
}

function explainer(
  { compared, isSwapped, left, right }: Matching,
  weights: Weights,
): TableMatches["explain"] {
  const places = compared.tables.order.map(inverse);
  const given = isSwapped ? { left: right, right: left } : { left, right };
  return (leftRow, rightRow) => {
    const [x, y] = isSwapped ? [rightRow, leftRow] : [leftRow, rightRow];
    const pair = { left: places[0][x], right: places[1][y] };
    const explanation = explainPair(compared, weights, pair, given);
    if (!isSwapped) return explanation;
    const columns = explanation.columns.map((column, index) => {
      const name = compared.tables.fields[compared.columns[index].field]?.other ?? column.name;
      return { ...column, name, left: column.right, right: column.left };
    });
    return { ...explanation, columns };
  };
}

/** The accepted pairs by the rows of the given tables. */
function acceptedRows(compared: ComparedTables, level: AcceptedLevel, isSwapped: boolean): RowMatch[] {
  const matches: RowMatch[] = [];
  level.accepted.forEach((flag, pair) => {
    if (flag === 0) return;
    const rows = { left: compared.left[pair], right: compared.right[pair] };
    matches.push({ ...givenRows(compared, rows, isSwapped), probability: level.probability[pair] });
  });
  return matches.sort((x, y) => x.left - y.left || x.right - y.right);
}

/** The rows of the given tables, from a pair of prepared rows. */
function givenRows(
  { tables: { order } }: ComparedTables,
  { left, right }: { readonly left: number; readonly right: number },
  isSwapped: boolean,
) {
  const [a, b] = [order[0][left], order[1][right]];
  return isSwapped ? { left: b, right: a } : { left: a, right: b };
}

interface Fit {
  readonly kind: Relation;
  readonly weights: Weights;
  accept(target: number): { level: AcceptedLevel; report: PrecisionReport };
}

/**
 * Learns for one partner per row first; where rows turn out to have several, once more for many. If those contradict
 * each other, rows are only alike, and the one-to-one matches are returned as not verified.
 */
function fitPairs(compared: ComparedTables, known: ReadonlyMap<number, number>, asked?: Relation): Fit {
  const many = (): Fit & { doubt?: string } =>
    acceptMany(compared, learnWeights(compared, { known, relation: "many-to-many" }));
  if (asked === "many-to-many") return many();
  const one = acceptOne(compared, learnWeights(compared, { known }));
  if (asked === "one-to-one" || one.doubt === undefined) return one;
  const second = many();
  return second.doubt === undefined ? second : one;
}

function acceptOne(compared: ComparedTables, { weights, logOdds }: Learned): Fit & { doubt?: string } {
  const probability = matchingBeliefs(compared, logOdds, weights.matches);
  const order = [...probability.keys()]
    .filter((pair) => probability[pair] >= floors[0])
    .sort((x, y) => probability[y] - probability[x] || logOdds[y] - logOdds[x] || x - y);
  const levelAt = (floor: number): AcceptedLevel => {
    const accepted = new Uint8Array(probability.length);
    const [takenLeft, takenRight] = compared.rows.map((rows) => new Uint8Array(rows));
    let count = 0;
    for (const pair of order) {
      const [a, b] = [compared.left[pair], compared.right[pair]];
      if (probability[pair] < floor) break;
      if (takenLeft[a] === 1 || takenRight[b] === 1) continue;
      takenLeft[a] = 1;
      takenRight[b] = 1;
      accepted[pair] = 1;
      count++;
    }
    return { table: compared, relation: "one-to-one", weights, logOdds, probability, accepted, count };
  };
  const relation = partnersPerRow(levelAt(likely));
  const isMany = Math.max(relation.left, relation.right) > severalPartners;
  const shares = `${percent(relation.left)} of the left, ${percent(relation.right)} of the right rows`;
  const doubt = isMany ? `rows have several likely partners (${shares})` : undefined;
  return { kind: "one-to-one", weights, doubt, accept: acceptAt(levelAt, doubt) };
}

function acceptMany(compared: ComparedTables, learned: Learned): Fit & { doubt?: string } {
  const { weights, logOdds, probability } = learned;
  const levelAt = (floor: number): AcceptedLevel => {
    const accepted = Uint8Array.from(probability, (value) => (value >= floor ? 1 : 0));
    const count = accepted.reduce((sum, flag) => sum + flag, 0);
    return { table: compared, relation: "many-to-many", weights, logOdds, probability, accepted, count };
  };
  const doubt = contradiction(levelAt(likely))?.reason;
  return { kind: "many-to-many", weights, doubt, accept: acceptAt(levelAt, doubt) };
}

/** Accepts pairs at a promise by trying the floors, from the widest. */
function acceptAt(levelAt: (floor: number) => AcceptedLevel, doubt: string | undefined): Fit["accept"] {
  function* levels(): Generator<AcceptedLevel> {
    for (const floor of floors) yield levelAt(floor);
  }
  return (target) => keepPrecision({ target, levels: levels(), fallback: () => levelAt(likely), doubt });
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** "name=title" where the tables are exchanged: "title=name". */
const swappedOptions = ({ on, ...rest }: ColumnOptions): ColumnOptions => ({
  ...rest,
  on: on?.map((text) => text.split("=").reverse().join("=")),
});

function preparedPairs(
  known: readonly KnownPair[],
  order: readonly [Uint32Array, Uint32Array],
  isSwapped: boolean,
): KnownPair[] {
  const [a, b] = order.map(inverse);
  return known.map(({ left, right, match }) =>
    isSwapped ? { left: a[right], right: b[left], match } : { left: a[left], right: b[right], match },
  );
}
