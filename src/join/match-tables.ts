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
import {
  type ComparedTables,
  compareTables,
  type KnownPair,
  type MatchRunOptions,
  partsOf,
} from "../match/compare-tables.js";
import { auditOf, interleaved } from "../match/estimates/audit.js";
import type { AcceptedLevel, PrecisionReport } from "../match/estimates/promise.js";
import { silentColumns, withoutColumns, withSilent } from "../match/estimates/silent-columns.js";
import { once } from "../match/once.js";
import { type DoubtfulPair, doubtfulPairs } from "../match/review/doubtful.js";
import { type LabelEffect, labelEffect, partnersOfRight, rightRowsOf } from "../match/review/label-effect.js";
import type { Known } from "../match/weights/answers.js";
import {
  knownPlaces,
  type Learned,
  learnWeights,
  type Relation,
  type Weights,
} from "../match/weights/learn.js";
import { decidedLevel, type Fit, fitPairs, type MatchKind } from "./fit-pairs.js";

/** Options of {@link matchTables}. */
export interface MatchTablesOptions extends ColumnOptions, MatchRunOptions {
  /** The promised precision. Default 0.9. */
  readonly precision?: number;
  /** Default: the embedded model, loaded for the call. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none";
  /**
   * How many partners a row may have: "many-to-one" means that each right row has at most one left row, and a left row
   * may have several right rows. Default: found from the tables.
   */
  readonly kind?: MatchKind;
  /** Judged pairs of rows. */
  readonly known?: readonly KnownPair[];
}

/** Two rows, counted from 0, that are likely the same. */
export interface RowMatch {
  readonly left: number;
  readonly right: number;
  /** Estimated probability that they are the same. */
  readonly probability: number;
}

/** What {@link matchTables} found. */
export interface TableMatches extends PrecisionReport {
  /** By left row. If the promise is refused, the likely pairs, not verified. */
  readonly matches: readonly RowMatch[];
  readonly kind: MatchKind;
  /** One sentence: what the kind was found from. */
  readonly kindReason: string;
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

/**
 * Matches the rows of two tables by all columns that carry evidence, or by those named.
 *
 *     const { matches, promise } = await matchTables({ name: ["IBM"], city: ["Armonk"] }, { name: ["I.B.M."], city: ["Armonk"] });
 *
 * @throws ArgumentError for an unknown column; an aborted call rejects with the reason of its signal
 */
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
    const run = { signal: options.signal, threads: options.threads, onProgress: options.onProgress };
    const compared = await compareTables(tables, { ...run, encoder: model, known });
    const learn = learnedOnce(compared, run);
    const asked = { kind: options.kind, isSwapped };
    const fitOf = (answers: Known): Promise<Fit> => fitPairs(compared, learn, answers, asked);
    const unanswered = once(() => fitOf(new Map()));
    const silent = options.on === undefined ? silentColumns(tables, (await unanswered()).likely) : [];
    if (silent.length > 0) {
      const sides = isSwapped ? (["other", "name"] as const) : (["name", "other"] as const);
      const rest = [withoutColumns(left, silent, sides[0]), withoutColumns(right, silent, sides[1])] as const;
      return withSilent(await matchTables(...rest, { ...options, encoder }), silent, sides[0]);
    }
    const fitWith = (answers: Known): Promise<Fit> => (answers.size === 0 ? unanswered() : fitOf(answers));
    const matching: Matching = { compared, fitWith, isSwapped, left, right };
    return (await resultWith(matching, options.known ?? []))(options.precision ?? 0.9);
  } finally {
    if (options.encoder === undefined && encoder !== "none") await encoder.dispose();
  }
}

/** Weights without answers, learned once for each relation that is asked for. */
function learnedOnce(
  compared: ComparedTables,
  run: MatchRunOptions,
): (relation: Relation) => Promise<Learned> {
  const options = partsOf(run, "learning weights");
  const learned = new Map<Relation, () => Promise<Learned>>();
  return (relation) => {
    const learn = learned.get(relation) ?? once(() => learnWeights(compared, { ...options, relation }));
    learned.set(relation, learn);
    return learn();
  };
}

/** Compared tables, as they were given. */
interface Matching {
  readonly compared: ComparedTables;
  /** The matches as learned with answers. */
  readonly fitWith: (answers: Known) => Promise<Fit>;
  readonly isSwapped: boolean;
  readonly left: TableColumns;
  readonly right: TableColumns;
}

/** Learns with judged pairs, and returns the result for each promise. */
async function resultWith(
  matching: Matching,
  known: readonly KnownPair[],
): Promise<(target: number) => TableMatches> {
  const { compared, fitWith, isSwapped, right } = matching;
  const { tables } = compared;
  const judged = knownPlaces(compared, preparedPairs(known, tables.order, isSwapped));
  const { kind, kindReason, weights, accept } = await fitWith(judged);
  const unanswered = await fitWith(new Map());
  const audit = auditOf(unanswered.sampled, judged, (level) => decidedLevel(level, judged));
  const columns = columnReports(compared, weights).map((column) =>
    isSwapped ? { ...column, name: column.other, other: column.name } : column,
  );
  const atPrecision = (target: number): TableMatches => {
    const { level, report } = audit.widest(target, accept(target));
    const matches = acceptedRows(compared, level, isSwapped);
    return {
      ...{ ...report, matches, kind, kindReason, columns, dropped: tables.dropped, atPrecision },
      explain: explainer(matching, weights),
      doubtful: (count) => {
        const candidates = compared.left.length;
        const gains = doubtfulPairs(level, { known: judged, count, candidates, fields: tables.fields });
        const sample = report.promise.established ? [] : audit.open(target);
        return interleaved(gains, sample, count).map((pair) => {
          return { ...pair, ...givenRows(compared, pair, isSwapped) };
        });
      },
      withKnown: async (all) => (await resultWith(matching, all))(target),
      labelEffect: async () => {
        const without = known.length === 0 ? matches : (await resultWith(matching, []))(target).matches;
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
