/** The two roads of a join, with results of one form: by one column (`fuzzyJoin`), and by several (`matchTables`). */
import { checkMatching } from "../match/check-tables.js";
import type { TableColumns } from "../match/columns/align.js";
import { comparedTables, type TwoTables } from "../match/columns/composed.js";
import {
  type ColumnOptions,
  type ColumnPlan,
  type DroppedColumn,
  planColumns,
} from "../match/columns/fields.js";
import type { KnownPair, RowMatch, RowNumbers } from "../match/compare-tables.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import { withComparisons } from "../match/evidence/own-comparison.js";
import { aloneEvidence, type ColumnReport, type RowExplanation } from "../match/explain.js";
import type { MatchRowsOptions } from "../match/match-rows.js";
import { type Matches, sentenceOf } from "../match/matches.js";
import { phraseColumn } from "../match/phrase-column.js";
import { readRules, reasonByRule, sameBy } from "../match/rules.js";
import { explanationLine, type PhraseExplanation } from "./explain.js";
import { fuzzyJoin } from "./fuzzy-join.js";
import { matchComposed, type TableMatches } from "./match-tables.js";
import { amongCopies } from "./one-column/copies.js";
import type { JoinKind, JoinOptions, JoinResult } from "./options.js";
import { knownPrecision } from "./precision.js";

/** How two tables were joined, and how precise the matches are. */
export interface JoinFindings extends PrecisionReport {
  readonly kind: JoinKind;
  /** Why the rows were taken to be related so; undefined if asked for. */
  readonly kindReason?: string;
  /** What was compared, with the weight of each level; without weights where one column was compared. */
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
  readonly warnings: readonly string[];
  /** What rules decided; undefined without any. */
  readonly rules?: TableMatches["rules"];
}

/** What each compared column says of two rows; where phrases are compared alone, also how their words correspond. */
interface JoinExplanation extends RowExplanation {
  readonly phrases?: PhraseExplanation;
}

/** What both roads find. */
export interface Joined extends Matches<Joined, JoinExplanation> {
  readonly findings: JoinFindings;
  /** By right row, then the likeliest first. */
  readonly matches: readonly RowMatch[];
  /** The compared columns that name the rows. */
  readonly naming: { readonly left: string; readonly right: string };
  /** For a right row its second-best left row; undefined if unknown. */
  runnerUp(right: number): number | undefined;
  /** Why two rows match, in one sentence. */
  why(pair: RowMatch): string;
}

interface RoadOptions
  extends ColumnOptions,
    Pick<MatchRowsOptions, "spill" | "same" | "never" | "rules" | "compare">,
    Omit<JoinOptions, "onProgress"> {
  readonly known: readonly KnownPair[];
  readonly onProgress?: (stage: string, done: number, total: number) => void;
}

/** Options of {@link joinRows}: `known` may be left out. */
export type JoinRowsOptions = Omit<RoadOptions, "known"> & Partial<Pick<RoadOptions, "known">>;

/** Joins by all columns that carry evidence, or by those named. @throws ArgumentError, as `matchTables` */
export async function joinRows(
  left: TableColumns,
  right: TableColumns,
  given: JoinRowsOptions,
): Promise<Joined> {
  checkMatching([left, right], given);
  const options = await withComparisons([left, right], given);
  const tables = await comparedTables({ left, right }, options);
  const plan = planColumns(tables.left, tables.right, options);
  const rules = options.rules ?? readRules(left, right, options);
  return joinColumns(tables, plan, { ...options, rules, known: options.known ?? [] });
}

/** Joins by all columns of a plan. One column of text goes its own road; one of codes or dates shares that of several. */
export async function joinColumns(
  tables: TwoTables,
  plan: ColumnPlan,
  options: RoadOptions,
): Promise<Joined> {
  const { left, right } = tables;
  const only = phraseColumn([left, right], plan, options);
  if (only === undefined) {
    const { top: _, ...matching } = options;
    checkMatching([left, right], matching);
    return joinedByColumns(await matchComposed(tables, matching), left, plan, options);
  }
  const { name, other } = only;
  const column = name === other ? name : `${name}=${other}`;
  const found = await fuzzyJoin(left[name], right[other], { ...options, column });
  return joinedByColumn(found, only, notCompared(plan.dropped, plan), { ...options, table: left });
}

/** The columns that were left out: those that say nothing, and those that one table alone has. */
const notCompared = (dropped: readonly DroppedColumn[], { alone }: ColumnPlan): DroppedColumn[] => [
  ...dropped,
  ...alone.flat().map((name) => ({ name, reason: "no counterpart" })),
];

function joinedByColumn(
  found: JoinResult,
  column: ColumnReport,
  dropped: readonly DroppedColumn[],
  options: Pick<RoadOptions, "kind" | "top" | "rules" | "known"> & { readonly table: TableColumns },
): Joined {
  const { kind = "many-to-one", top, rules, known, table } = options;
  const { name, other } = column;
  const { warnings, ruled, labelEffect, doubtful, related } = found;
  const matches = byRightRow(found, top);
  const { estimate, low, high, promise } = amongCopies(found, matches, { left: table, name, known });
  const kindReason = options.kind === undefined ? "the default where one column is compared" : undefined;
  return {
    findings: {
      estimate,
      low,
      high,
      promise,
      kind,
      kindReason,
      columns: [column],
      dropped,
      warnings,
      rules: ruled,
    },
    ...{ matches, labelEffect, doubtful, related, naming: { left: name, right: other } },
    explain: (left, right) => phraseEvidence(found, column, { left, right }),
    why: ({ left, right }) =>
      reasonByRule(sameBy(rules, left, right)) ?? explanationLine(found.explain(left, right)),
    runnerUp: (row) => (found.runnersUp[row] < 0 ? undefined : found.runnersUp[row]),
    withKnown: async (known) =>
      joinedByColumn(await found.withKnown(known), column, dropped, { ...options, known }),
  };
}

function phraseEvidence(
  { explain, probabilityAt }: JoinResult,
  { name }: ColumnReport,
  pair: RowNumbers,
): JoinExplanation {
  const phrases = explain(pair.left, pair.right);
  const { left, right, isCompared, isSame: isEqual, score } = phrases;
  const probability = isCompared ? probabilityAt(pair.right, score) : undefined;
  return { ...aloneEvidence({ name, left, right, isEqual }, probability), phrases };
}

function joinedByColumns(
  found: TableMatches,
  left: TableColumns,
  plan: ColumnPlan,
  options: Pick<RoadOptions, "known" | "top" | "precision" | "rules">,
): Joined {
  const { known, top, precision = 0.9 } = options;
  const ruleOf = ({ left, right }: RowMatch): string | undefined => sameBy(options.rules, left, right);
  const matches = byRightRow(found, top);
  const confirmed = new Set(known.filter(({ match }) => match).map((pair) => `${pair.left} ${pair.right}`));
  const isConfirmed = (pair: RowMatch): boolean => confirmed.has(`${pair.left} ${pair.right}`);
  const estimated = matches.filter((pair) => isConfirmed(pair) || ruleOf(pair) === undefined);
  const unverified = estimated.filter((pair) => !isConfirmed(pair));
  const place = new Map(Object.keys(left).map((name, index) => [name, index]));
  const placeOf = ({ name }: ColumnReport): number => place.get(name) ?? Infinity;
  const columns = found.columns.toSorted((a, b) => placeOf(a) - placeOf(b) || 0);
  const naming = columns.find((column) => column.kind === "name") ?? columns[0];
  const { labelEffect, doubtful, related, explain, kindReason } = found;
  const dropped = notCompared(found.dropped, plan);
  const { estimate, low, high, promise } = knownPrecision(estimated, unverified, precision) ?? found;
  return {
    findings: {
      ...{ estimate, low, high, promise, kind: found.kind, kindReason, columns, dropped, warnings: [] },
      rules: found.rules,
    },
    ...{ matches, labelEffect, doubtful, related, explain },
    // Without rows no column is compared.
    naming: { left: naming?.name ?? "", right: naming?.other ?? "" },
    why: (pair) => reasonByRule(ruleOf(pair)) ?? sentenceOf(found, pair),
    runnerUp: () => undefined,
    withKnown: async (all) =>
      joinedByColumns(await found.withKnown(all), left, plan, { ...options, known: all }),
  };
}

/** At most `top` matches of a right row. */
function byRightRow({ matches }: Pick<TableMatches, "matches">, top = Infinity): RowMatch[] {
  const sorted = matches.toSorted((a, b) => a.right - b.right || b.probability - a.probability);
  return sorted.filter(({ right }, place) => sorted[place - top]?.right !== right);
}
