/** What joining and grouping by all columns share: rows are compared once, and learned from with every set of answers. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { withEncoder } from "../encoder/with-encoder.js";
import { ArgumentError } from "../errors.js";
import type { Sharing } from "../files/shards/shard.js";
import type { TableColumns } from "./columns/align.js";
import { canonicalSides, inverse } from "./columns/canonical.js";
import { pairText, readPairOf } from "./columns/column-names.js";
import {
  type ColumnOptions,
  type DroppedColumn,
  planColumns,
  prepareTables,
  rowsOf,
} from "./columns/fields.js";
import {
  type ComparedTables,
  compareTables,
  type KnownPair,
  type MatchRunOptions,
  type RowNumbers,
} from "./compare-tables.js";
import { auditOf, interleaved } from "./estimates/audit.js";
import type { PrecisionReport } from "./estimates/promise.js";
import { dividedByRules, type ScoredPairs } from "./estimates/scored-pairs.js";
import { uninformativeFields, withoutFields } from "./estimates/uninformative-columns.js";
import {
  type ColumnExplanation,
  type ColumnReport,
  columnReports,
  explainPair,
  type RowExplanation,
} from "./explain.js";
import { decidedByRules, type Matches, withoutRows } from "./matches.js";
import { doubtfulPairs } from "./review/doubtful.js";
import { withKnownPairs } from "./review/known-candidates.js";
import { labelEffect, type Partners } from "./review/label-effect.js";
import { type RelatedPair, relatedPairs } from "./review/related.js";
import {
  confirmed,
  type PairRules,
  type RuleOptions,
  type RulesReport,
  rulesOfRows,
  rulesReport,
  type SamePairs,
  samePairs,
} from "./rules.js";
import { isComparison, readPrepared } from "./shards/kept-comparison.js";
import { knownPlaces, scorePairs, type Weights } from "./weights/learn.js";
import { type Known, rowsInOrder } from "./weights/pair-table.js";

/** Options of matching rows by all columns. */
export interface MatchRowsOptions extends ColumnOptions, MatchRunOptions, RuleOptions {
  /** The promised precision. Default 0.9. */
  readonly precision?: number;
  /** Default: the embedded model, loaded for the call. "none": without a model. */
  readonly encoder?: PhraseEncoder | "none";
  /** Judged pairs of rows. */
  readonly known?: readonly KnownPair[];
  /** What was read of `same` and `never`, for the given rows. Default: reads them. */
  readonly rules?: PairRules;
  /** Compares one shard of the rows and ends, or takes what all shards found. */
  readonly sharing?: Sharing;
  /** Whether columns that say nothing are left out. Default: where `on` names none. */
  readonly leaveOut?: "uninformative" | "none";
}

/** What is known of rows that were compared by all columns. */
export interface MatchedRows<Self> extends PrecisionReport, Matches<Self> {
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
  /** What rules decided; undefined without any. */
  readonly rules?: RulesReport;
  /** The result at another promise, without comparing the rows again. */
  atPrecision(target: number): Self;
}

type Result<Own> = Own & MatchedRows<Result<Own>>;

/** Accepted pairs; where rows are grouped, with the group of each row. */
type Level = ScoredPairs & { readonly groups?: Int32Array };

/** What was learned with some answers. */
export interface MatchFit<Accepted extends Level> {
  readonly weights: Weights;
  /** With the columns as far as they are trusted. */
  readonly compared: ComparedTables;
  /** The pairs that are rather right than wrong. */
  readonly likely: ScoredPairs;
  /** The likely pairs, and better ones that are half of them at most, and so on. */
  sampled(): Accepted[];
  /** @param allowed as `PromiseOptions` have it */
  accept(target: number, allowed?: (count: number) => number): { level: Accepted; report: PrecisionReport };
}

/** The tables as they were prepared: of two tables, which comes first does not depend on the caller. */
export interface PreparedSides {
  readonly isSwapped: boolean;
  /** For each given row its place among the prepared ones; of the prepared tables. */
  readonly places: readonly Uint32Array[];
  /** The rows of the given tables, from a pair of prepared rows. */
  given(pair: RowNumbers): RowNumbers;
}

/** How accepted pairs are found and shown: as matches of two tables, or as groups of rows. */
export interface MatchMethod<Accepted extends Level, Fit extends MatchFit<Accepted>, Own> {
  /** Returns a function that learns with answers. They are given by pair of a table that has them all. */
  learner(
    compared: ComparedTables,
    run: MatchRunOptions,
    isSwapped: boolean,
  ): (known: Known, table: ComparedTables) => Promise<Fit>;
  /** What is shown of tables without rows. */
  readonly nothing: Own;
  /** A level without answers after decisions on pairs of a table. Matches are then pairs of that table. */
  decided(level: Accepted, known: Known, table: ComparedTables): Accepted;
  show(fit: Fit, level: Accepted, sides: PreparedSides): Own;
  /** The partners of each row in two results. */
  partners(before: Own, after: Own): Partners;
  judgedRows(pair: KnownPair): readonly number[];
}

/**
 * @param right undefined: the rows of one table are compared with each other
 */
export async function matchRows<Accepted extends Level, Fit extends MatchFit<Accepted>, Own>(
  left: TableColumns,
  right: TableColumns | undefined,
  options: MatchRowsOptions,
  method: MatchMethod<Accepted, Fit, Own>,
): Promise<Result<Own>> {
  const { signal, threads, onProgress, spill, known = [], sharing } = options;
  const run = { signal, threads, onProgress };
  if (hasNoRows(left) || (right !== undefined && hasNoRows(right))) {
    const { dropped } = planColumns(left, right, options);
    return withoutRows({ ...method.nothing, columns: [], dropped }, options);
  }
  return withEncoder(options.encoder, run, async (encoder) => {
    const isSwapped = right !== undefined && canonicalSides(left, right) === "swapped";
    const { tables, settings } =
      sharing?.kind === "merge" && sharing.learned !== undefined && isComparison(sharing.learned)
        ? await readPrepared(sharing.learned)
        : {
            tables: isSwapped
              ? prepareTables(right, left, swappedOptions(options, [left, right]))
              : prepareTables(left, right, options),
          };
    const [leftOrder, rightOrder] = tables.order;
    const ofLeft = inverse(leftOrder);
    const places = [ofLeft, rightOrder === leftOrder ? ofLeft : inverse(rightOrder)];
    const prepared = (pair: RowNumbers): RowNumbers => {
      const { left, right } = isSwapped ? turned(pair) : pair;
      const rows = { left: places[0][left], right: places[1][right] };
      if (rows.left === undefined || rows.right === undefined)
        throw new ArgumentError(`there is no pair of rows ${pair.left} and ${pair.right}`);
      return rows;
    };
    // A wrong row is refused before the rows are compared.
    known.forEach(prepared);
    const rules = options.rules && rulesOfRows(options.rules, tables.order, isSwapped);
    const same = rules && samePairs(rules, tables.isOneTable);
    const comparing = { ...run, spill, encoder, sharing, rules };
    let compared = await compareTables(tables, { ...comparing, prepared: settings });
    let learn = method.learner(compared, run, isSwapped);
    let unanswered = await learn(new Map(), compared);
    const { leaveOut = options.on === undefined ? "uninformative" : "none" } = options;
    while (leaveOut === "uninformative") {
      // Where the names of likely matches agree by chance alone, the matches are in doubt, not the names.
      const { naming } = compared.tables;
      const fields = uninformativeFields(unanswered.likely).filter((field) => field !== naming);
      if (fields.length === 0) break;
      compared = withoutFields(compared, fields, isSwapped ? "other" : "name");
      learn = method.learner(compared, run, isSwapped);
      unanswered = await learn(new Map(), compared);
    }
    const given = (pair: RowNumbers): RowNumbers => {
      const rows = { left: tables.order[0][pair.left], right: tables.order[1][pair.right] };
      return isSwapped ? turned(rows) : rows;
    };
    const shared = { compared, same, tables: { left, right: right ?? left }, isSwapped, places, given };
    const results = answeredResults({ ...shared, prepared, learn, unanswered }, method);
    return (await results(known))(options.precision ?? 0.9);
  });
}

const hasNoRows = (table: TableColumns): boolean => Object.keys(table).length > 0 && rowsOf(table) === 0;

const turned = <Pair extends { readonly left: unknown; readonly right: unknown }>(pair: Pair) => ({
  ...pair,
  ...{ left: pair.right, right: pair.left },
});

/** "name=title" where the tables are exchanged: "title=name". */
const swappedOptions = (
  { on, ...rest }: ColumnOptions,
  [left, right]: readonly [TableColumns, TableColumns],
): ColumnOptions => ({
  ...rest,
  on: on?.map((text) => {
    const [name, other] = readPairOf(text, left, right);
    return pairText(other, name);
  }),
});

interface Compared<Fit> extends PreparedSides {
  readonly compared: ComparedTables;
  readonly tables: { readonly left: TableColumns; readonly right: TableColumns };
  prepared(pair: RowNumbers): RowNumbers;
  learn(known: Known, table: ComparedTables): Promise<Fit>;
  readonly unanswered: Fit;
  readonly same?: SamePairs;
}

/** Returns a function that learns with judged pairs, and gives the result for each promise. */
function answeredResults<Accepted extends Level, Fit extends MatchFit<Accepted>, Own>(
  rows: Compared<Fit>,
  method: MatchMethod<Accepted, Fit, Own>,
) {
  const { compared, same, tables, isSwapped, given, prepared, learn, unanswered } = rows;
  const { dropped, fields } = compared.tables;
  const shown = isSwapped ? turned(tables) : tables;
  const others = new Map(fields.map(({ name, other }) => [name, other]));
  const asGiven = (found: RowExplanation): RowExplanation =>
    isSwapped ? { ...found, columns: found.columns.map((column) => turnedCells(column, others)) } : found;
  const withAnswers = async (known: readonly KnownPair[]): Promise<(target: number) => Result<Own>> => {
    const answers = known.map((pair) => ({ ...pair, ...prepared(pair) }));
    const table = withKnownPairs(withKnownPairs(compared, answers), confirmed(same));
    const judged = knownPlaces(table, answers);
    const decided = same === undefined ? judged : withRuled(judged, knownPlaces(table, confirmed(same)));
    const fit = decided.size === 0 ? unanswered : await learn(decided, table);
    // Rows in one group are sampled although they may be no candidates: these pairs follow the candidates.
    const placesOf = (pairs: Iterable<KnownPair>): Known =>
      knownPlaces(unanswered.likely.table, pairs, compared.left.length);
    const ruled = withRuled(new Map(), placesOf(confirmed(same)));
    const audit = auditOf(
      () => unanswered.sampled().map((level) => ({ ...level, ...dividedByRules(level.accepted, ruled) })),
      placesOf(answers),
    );
    const columns = columnReports(fit.compared, fit.weights).map((column) =>
      isSwapped ? { ...column, name: column.other, other: column.name } : column,
    );
    const rules = reportOfRules(rows, fit.weights);
    const explain = (left: number, right: number): RowExplanation =>
      asGiven(explainPair(fit.compared, fit.weights, prepared({ left, right }), shown));
    const atPrecision = (target: number): Result<Own> => {
      const wasRefused =
        known.length > 0 && !fit.likely.isTaught && !unanswered.accept(target).report.promise.established;
      const estimated = fit.accept(target, (count) => audit.allows(count, wasRefused));
      const sampled = audit.widest(target, estimated.report, estimated.level.accepted.length);
      const level = sampled === undefined ? estimated.level : method.decided(sampled.level, decided, table);
      const isByRules = level.accepted.length === 0 && level.ruled?.length;
      const report = isByRules ? decidedByRules(target) : (sampled ?? estimated).report;
      const own = method.show(fit, level, rows);
      return {
        ...{ ...report, ...own, columns, dropped, rules, atPrecision, explain },
        doubtful: (count) => {
          const { groups, accepted } = level;
          const asked = { known: decided, count, candidates: table.left.length, groups, accepted, fields };
          const sample = audit.open(target, report.promise.established ? accepted.length : undefined);
          return interleaved(doubtfulPairs(estimated.level, asked), sample, count).map((pair) => ({
            ...pair,
            ...given(pair),
          }));
        },
        related: (count) => relatedRows(fit, estimated.level, rows, count),
        withKnown: async (all) => (await withAnswers(all))(target),
        labelEffect: async () => {
          const without = known.length === 0 ? own : (await withAnswers([]))(target);
          return labelEffect(method.partners(without, own), new Set(known.flatMap(method.judgedRows)));
        },
      };
    };
    return atPrecision;
  };
  return withAnswers;
}

/** Judged pairs, and those that rules decide and nobody has judged. */
const withRuled = (judged: Known, ruled: Known): Known =>
  Object.assign(new Map([...ruled, ...judged]), { judged, shares: judged.shares });

function reportOfRules(
  { compared: { rules, forbidden, ...table }, same, given }: Compared<unknown>,
  weights: Weights,
): RulesReport | undefined {
  if (rules === undefined || same === undefined) return undefined;
  const logOdds = scorePairs(table.levels, weights, table.columns);
  const likely = forbidden.map((pairs) =>
    pairs.reduce((sum, count, place) => sum + (logOdds[place] >= 0 ? count : 0), 0),
  );
  return rulesReport(rules, same, likely, (pair) => rowsInOrder(table, given(pair)));
}

const turnedCells = (column: ColumnExplanation, others: ReadonlyMap<string, string>): ColumnExplanation => ({
  ...column,
  ...{ name: others.get(column.name) ?? column.name, left: column.right, right: column.left },
});

/** Related pairs as rows of the given tables. */
function relatedRows(
  { compared: { columns, tables }, weights }: MatchFit<Level>,
  { table, probability }: Level,
  { isSwapped, given }: PreparedSides & { readonly isSwapped: boolean },
  count: number,
): RelatedPair[] {
  const nameOf = (column: number): string =>
    tables.fields[columns[column].field][isSwapped ? "other" : "name"];
  const found = relatedPairs({ table, weights, probability, count, nameOf });
  return found.map((pair) => ({ ...pair, ...given(pair) }));
}
