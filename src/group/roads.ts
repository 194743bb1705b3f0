/** The ways to find duplicate rows, with results of one form: by one column, by several, and equal rows alone. */

import { ArgumentError } from "../errors.js";
import { endWithNothing } from "../files/shards/shard.js";
import { isFilled } from "../match/cells/cell-words.js";
import { inOneScript, scriptNote } from "../match/cells/one-script.js";
import type { TableColumns } from "../match/columns/align.js";
import { hasAxes, ofAxis } from "../match/columns/column-names.js";
import { asCompared } from "../match/columns/composed.js";
import { type ColumnOptions, type ColumnPlan, type DroppedColumn, rowsOf } from "../match/columns/fields.js";
import { type ColumnKind, profileColumn } from "../match/columns/profile.js";
import type { KnownPair } from "../match/compare-tables.js";
import { interleaved } from "../match/estimates/audit.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import { uninformative } from "../match/estimates/uninformative-columns.js";
import { aloneEvidence, type ColumnReport } from "../match/explain.js";
import { decidedByRules, type Matches, sentenceOf } from "../match/matches.js";
import { contradictions, isPhrases, phraseColumn, reportOf } from "../match/phrase-column.js";
import { type LabelEffect, labelEffect, partnersInGroup } from "../match/review/label-effect.js";
import { type PairRules, reasonByRule, sameBy, valueNumbers } from "../match/rules.js";
import { oneLine } from "../text/visible.js";
import { type ClusterOptions, cluster, standardPrecision } from "./cluster.js";
import { decidedGroups, sureRows } from "./decided-groups.js";
import { type GroupRowsOptions, groupRows, type RowGroups } from "./group-rows.js";
import { type DuplicateGroup, type DuplicateRow, duplicateGroups, type GroupedTable } from "./kept-rows.js";
import { equalTexts, rewritings, wordsIn } from "./one-column/list-words.js";
import {
  groupedPrecision,
  groupedPromise,
  groupsAtLevel,
  isDenied,
  mayBeByChance,
  sampledGroups,
} from "./one-column/promised-threshold.js";

/** The duplicates in a table, and what their precision rests on. Rows are counted from 0. */
export interface FoundDuplicates extends Omit<PrecisionReport, "promise"> {
  /** Undefined with `threshold`. */
  readonly promise?: PrecisionReport["promise"];
  /** The least similarity of duplicates, 0 to 1, where one column was compared. */
  readonly threshold?: number;
  /** Groups of two or more rows by kept row. If the promise is not established, they are likely, but not verified. */
  readonly groups: readonly DuplicateGroup[];
  /** What was compared; without weights where one column was compared. */
  readonly columns: readonly ColumnReport[];
  readonly dropped: readonly DroppedColumn[];
  /** What rules decided; undefined without any, and where no column tells rows apart. */
  readonly rules?: RowGroups["rules"];
}

/** What all ways find. */
export interface Duplicates extends Matches<Duplicates> {
  readonly report: FoundDuplicates;
  readonly table: GroupedTable;
  /** The columns by which people recognise a row. */
  readonly shown: readonly string[];
  /** One sentence. */
  why(duplicate: DuplicateRow): string;
}

/** What all ways need. */
export interface RoadOptions {
  /** Judged pairs of rows: confirmed ones end in one group, rejected ones in two. */
  readonly known: readonly KnownPair[];
  readonly completeness?: ArrayLike<number>;
  /** What was read of the rules on columns. */
  readonly rules?: PairRules;
  readonly precision?: number;
  /** Called with a line if names are compared in other letters than they are written in. */
  readonly onNote?: (line: string) => void;
}

/** Finds duplicates by all columns of a plan, by one, or by equal rows alone. @throws ArgumentError if no column is left */
export async function duplicatesByPlan(
  columns: TableColumns,
  plan: ColumnPlan,
  options: RoadOptions & GroupRowsOptions & Omit<ClusterOptions, "k" | "onProgress">,
): Promise<Duplicates> {
  const { dropped } = plan;
  if (plan.pairs.length === 0 || rowsOf(columns) === 0) {
    const left = Object.keys(columns).filter((name) => !options.ignore?.includes(name));
    if (left.length === 0) throw new ArgumentError("every column is ignored. Leave one to compare.");
    endWithNothing(options.sharing); // equal rows need no comparing
    return equalRows(columns, left, { ...options, dropped });
  }
  // A threshold is a similarity of phrases, whatever the column holds.
  const phrases =
    options.threshold === undefined ? phraseColumn([columns], plan, options)?.name : plan.pairs[0][0];
  if (phrases === undefined) return duplicatesByColumns(columns, options);
  const { onProgress } = options;
  return duplicatesByColumn(columns, phrases, {
    ...{ ...options, dropped: dropped.filter(({ name }) => name !== phrases) },
    onProgress: onProgress && ((done, total, stage = "encoding") => onProgress(stage, done, total)),
  });
}

/** Compares one column. */
export async function duplicatesByColumn(
  columns: TableColumns,
  name: string,
  {
    dropped = [],
    kindOf,
    ...options
  }: RoadOptions &
    Omit<ClusterOptions, "k"> &
    Pick<ColumnOptions, "kindOf"> & { readonly dropped?: readonly DroppedColumn[] },
): Promise<Duplicates> {
  const cells = columns[name];
  const [compared] = await inOneScript([columns]);
  tellScripts(columns, compared, [name], options);
  const start = await cluster(compared[name], options);
  const column = reportOf(profileColumn(name, cells), name, kindOf);
  const differ = contradictions(compared, name);
  const { isRewritten } = rewritings(compared[name]);
  const { precision = standardPrecision } = options;
  const equal = differ === undefined ? equalTexts(compared[name]) : undefined;
  const resultWith = async (known: readonly KnownPair[]): Promise<Duplicates> => {
    const found = await start.answered(known);
    const { probability = [], threshold = 1, similarityOf } = found;
    // Two rows are the same if each is its representative.
    const probabilityOf = (a: number, b: number): number => probability[a] * probability[b];
    const decide = (groupOf: Int32Array, known: readonly KnownPair[]) =>
      decided(groupOf, keyOf([cells]), { ...options, known }, probabilityOf, similarityOf);
    // Equal rows need no sample.
    const unanswered = decide(found.groupOf, []).grouped.filter(({ isSure }) => !isSure);
    const all = decide(found.groupOf, known);
    const namesakes = equal && mayBeByChance(equal, precision, all.grouped.length) ? equal : undefined;
    const mayBeTwo = (a: number, b: number): boolean =>
      namesakes !== undefined && wordsIn(cells[a]) === wordsIn(cells[b]);
    const judged = judgedRows(all.grouped, known, { differ, isRewritten, mayBeTwo });
    const sample = sampledGroups(unanswered, all.table.sureOf, known);
    const estimated = promiseOf(all, judged, precision, namesakes);
    const isPromised = options.threshold === undefined;
    // The sample is of rows that are not equal: it says nothing where equal rows are different things.
    const isSampled = isPromised && namesakes === undefined && !isDenied(judged, precision);
    const sampled = isSampled ? sample.widest(precision, estimated, all.grouped.length) : undefined;
    const { table, groups } =
      sampled === undefined ? all : decide(groupsAtLevel(found.groupOf, unanswered, sampled.level), known);
    const promised = sampled?.report ?? estimated;
    return {
      report: {
        ...(isPromised ? promised : groupedPrecision(judged)),
        ...{ threshold, groups, dropped, columns: [column], rules: found.ruled },
      },
      ...{ table, shown: [name] },
      doubtful: (count) => {
        const doubted = found.doubtful(count, (left, right) => sample.answerOf(left, right) !== undefined);
        const isOpen = isSampled && !promised.promise.established;
        return interleaved(doubted, isOpen ? sample.open(precision) : [], count);
      },
      related: () => [],
      withKnown: resultWith,
      labelEffect: async () => groupEffect(start.groupOf, table.groupOf, known),
      explain: (a, b) => {
        const isEqual = table.sureOf[a] === table.sureOf[b];
        const apart = Math.min(1, similarityOf(a, b) / threshold) / 2;
        const likely = table.groupOf[a] === table.groupOf[b] ? probabilityOf(a, b) : apart;
        return aloneEvidence({ name, left: cells[a], right: cells[b], isEqual }, isEqual ? 1 : likely);
      },
      why: ({ row, keptRow }) =>
        reasonByRule(sameBy(options.rules, keptRow, row)) ??
        `${name}: "${cells[keptRow]}" ≈ "${cells[row]}", similarity ${similarityOf(row, keptRow).toFixed(2)}`,
    };
  };
  return resultWith(options.known);
}

/** The promise about grouped rows, and where all groups are by rules. */
const promiseOf = (
  { grouped, groups }: ReturnType<typeof decided>,
  ...[judged, target, namesakes]: Parameters<typeof groupedPromise>
): PrecisionReport =>
  grouped.length === 0 && groups.length > 0
    ? decidedByRules(target)
    : groupedPromise(judged, target, namesakes);

type RowTest = (a: number, b: number) => boolean;

/** Grouped rows with what their words say, and with what the rest of the table says where nobody has confirmed them. */
function judgedRows(
  grouped: ReturnType<typeof decided>["grouped"],
  known: readonly KnownPair[],
  {
    differ,
    isRewritten,
    mayBeTwo,
  }: Readonly<Record<"isRewritten" | "mayBeTwo", RowTest>> & { readonly differ?: RowTest },
) {
  const confirmed = new Set(known.flatMap(({ left, right, match }) => (match ? [pairKey(left, right)] : [])));
  return grouped.map((one) => {
    const { row, keptRow } = one;
    const isConfirmed = confirmed.has(pairKey(row, keptRow));
    const mayDiffer = !isConfirmed && mayBeTwo(row, keptRow);
    return {
      ...one,
      isSure: one.isSure && !mayDiffer,
      isRewritten: !mayDiffer && isRewritten(row, keptRow),
      isContradicted: !isConfirmed && differ?.(row, keptRow) === true,
    };
  });
}

/** Compares all columns that carry evidence, or those named. */
export async function duplicatesByColumns(
  table: TableColumns,
  options: RoadOptions & GroupRowsOptions,
): Promise<Duplicates> {
  const columns = asCompared(table, options);
  const [compared] = await inOneScript([columns], options);
  const found = await groupRows(compared, options);
  const names = found.columns.map((column) => column.name).filter((name) => Object.hasOwn(columns, name));
  tellScripts(columns, compared, names, options);
  return decidedByColumns(found, columns, options);
}

function tellScripts(
  written: TableColumns,
  compared: TableColumns,
  names: readonly string[],
  { onNote }: RoadOptions,
): void {
  const note = scriptNote(names.map((name) => [written[name], compared[name]] as const));
  if (note !== undefined) onNote?.(note);
}

function decidedByColumns(found: RowGroups, columns: TableColumns, options: RoadOptions): Duplicates {
  const { precision = standardPrecision } = options;
  const fields = found.columns.flatMap(({ name, kind }) => (kind === undefined ? [] : [{ name, kind }]));
  const naming = fields.find(({ kind }) => kind === "name");
  // A column that was learned to say nothing tells equal rows apart all the same.
  const silent = found.dropped.flatMap(({ name, reason }) => (reason === uninformative ? [name] : []));
  const cells = [...fields.map(({ name }) => name), ...silent].map((name) => columns[name]);
  const [{ name, kind }, ...others] = fields;
  const isAlone = others.length + silent.length === 0 && !isPhrases(kind);
  const key = isAlone ? valueKey(name, columns[name], kind) : keyOf(cells, naming && columns[naming.name]);
  const { table, groups, grouped } = decided(found.groupOf, key, options, found.probabilityOf);
  const sure = groupedPromise(grouped, precision);
  const isSure = groups.length > 0 && sure.promise.established && !found.promise.established;
  const { estimate, low, high, promise } = isSure ? sure : found;
  const dropped = found.dropped.filter(({ name }) => !fields.some((field) => field.name === name));
  const { doubtful, related, labelEffect, explain } = found;
  const written = (name: string): string => (hasAxes(columns, ofAxis(name)) ? ofAxis(name) : name);
  return {
    report: { estimate, low, high, promise, groups, columns: found.columns, dropped, rules: found.rules },
    ...{ table, doubtful, related, labelEffect, explain },
    shown:
      naming === undefined
        ? [...new Set(fields.map(({ name }) => written(name)))].slice(0, 2)
        : [naming.name],
    withKnown: async (all) =>
      decidedByColumns(await found.withKnown(all), columns, { ...options, known: all }),
    why: ({ row, keptRow, probability }) =>
      reasonByRule(sameBy(options.rules, keptRow, row)) ??
      sentenceOf(found, { left: keptRow, right: row, probability }),
  };
}

/** Where no column tells rows apart: only rows that are equal in all columns are the same. */
export function equalRows(
  columns: TableColumns,
  names: readonly string[],
  options: RoadOptions & { readonly dropped: readonly DroppedColumn[] },
): Duplicates {
  const { known, precision = standardPrecision, dropped } = options;
  const none = Int32Array.from({ length: rowsOf(columns) }, (_, row) => row);
  const key = keyOf(names.map((name) => columns[name]));
  const { table, groups, grouped } = decided(none, key, options, () => 1);
  return {
    report: { ...groupedPromise(grouped, precision), groups, dropped, columns: [] },
    ...{ table, shown: names.slice(0, 2), doubtful: () => [], related: () => [] },
    explain: () => ({ prior: 0, columns: [] }),
    withKnown: async (all) => equalRows(columns, names, { ...options, known: all }),
    labelEffect: async () => groupEffect(none, table.groupOf, known),
    why: () => "equal in all columns",
  };
}

/** The groups after decisions, and how sure their rows are. @param similarityOf decides where a row of a divided group belongs */
function decided(
  groupOf: Int32Array,
  key: (row: number) => string | undefined,
  { known, completeness, rules }: RoadOptions,
  probabilityOf: GroupedTable["probabilityOf"],
  similarityOf = probabilityOf,
) {
  const sureOf = sureRows(groupOf.length, key, known, rules);
  const withoutRules = rules === undefined ? sureOf : sureRows(groupOf.length, key, known);
  const table = {
    ...{ sureOf, probabilityOf, completeness },
    groupOf: decidedGroups(groupOf, sureOf, known, similarityOf, rules),
  };
  const groups = duplicateGroups(table);
  const grouped = groups
    .flatMap(({ others }) => others)
    .map((one) => ({ ...one, isSure: withoutRules[one.row] === withoutRules[one.keptRow] }))
    // Rows that are the same by rules alone are not estimated.
    .filter(({ row, keptRow, isSure }) => isSure || sureOf[row] !== sureOf[keptRow]);
  return { table, groups, grouped };
}

const groupEffect = (before: Int32Array, after: Int32Array, known: readonly KnownPair[]): LabelEffect =>
  labelEffect(partnersInGroup(before, after), new Set(known.flatMap(({ left, right }) => [left, right])));

/** Equal for cells of the same number, date or code, however they are written. */
function valueKey(name: string, cells: readonly string[], kind: ColumnKind) {
  const { left } = valueNumbers([name, name], { left: cells, right: cells }, { kindOf: { [name]: kind } });
  return (row: number): string | undefined => (left[row] < 0 ? undefined : String(left[row]));
}

const pairKey = (a: number, b: number): string => (a < b ? `${a} ${b}` : `${b} ${a}`);

/** Equal for rows with equal cells, spaces aside. Rows without a name are not compared, nor are empty rows. */
function keyOf(
  columns: readonly (readonly string[])[],
  naming?: readonly string[],
): (row: number) => string | undefined {
  return (row) => {
    const cells = columns.map((column) => oneLine(column[row]));
    const isNamed = naming === undefined ? cells.some(isFilled) : isFilled(naming[row]);
    return isNamed ? JSON.stringify(cells) : undefined;
  };
}
