/**
 * Rules of a user beside what is learned. Rows whose filled cells are equal in all columns of a `same` rule are the same thing, rows
 * whose filled cells differ in the columns of a `never` rule are different things. Rules decide pairs and teach nothing. Where two
 * contradict each other `never` wins, and answers of people win over both.
 */
import { disjointSets } from "../disjoint-sets.js";
import { ArgumentError, TableError, UsageError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { placesByNumber } from "../places-by-number.js";
import { NumberedKeys } from "./candidates/blocks.js";
import { PairSet } from "./candidates/pair-set.js";
import type { AlignedNames, TableColumns } from "./columns/align.js";
import { partsOfColumn, readPairOf } from "./columns/column-names.js";
import { both, type ColumnOptions, readField } from "./columns/fields.js";
import { profileColumn } from "./columns/profile.js";
import { TextNumbers, textCount } from "./columns/texts.js";
import type { ComparisonOptions } from "./evidence/own-comparison.js";
import { total } from "./weights/expected-counts.js";
import { SortedRows } from "./weights/left-rows.js";
import { classCount, type PairClasses, withRoom } from "./weights/pair-classes.js";

/**
 * What a user knows of columns. Rules are by columns that need not be compared: "email", "vat + country" or, where names in two
 * tables differ, "email=mail".
 */
export interface RuleOptions extends ComparisonOptions {
  /** Rows with equal filled cells in all columns of one of these are the same. */
  readonly same?: readonly string[];
  /** Rows whose filled cells differ in the columns of one of these are not the same. */
  readonly never?: readonly string[];
}

interface RowPair {
  readonly left: number;
  readonly right: number;
}

/** For each row a number, equal where the cells are equal as the matcher reads them; -1 where one is empty. */
interface Rule {
  readonly name: string;
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/** Rules that were read for the rows of two tables, or of one. */
export interface PairRules {
  readonly same: readonly Rule[];
  readonly never: readonly Rule[];
}

/** What rules decided. */
export interface RulesReport {
  /** By `same` rule, the pairs that it made the same. */
  readonly same: Readonly<Record<string, number>>;
  /** By `never` rule, the pairs that it keeps apart although the compared columns make them likely. */
  readonly never: Readonly<Record<string, number>>;
  /** Pairs that are the same by one rule and differ by another, and one of them. They are kept apart. */
  readonly contradicted: number;
  readonly example?: RowPair;
}

/** More pairs of one rule would fill the memory. */
const mostPairs = 5_000_000;
/** More rows with one cell take minutes: their pairs grow with the square. */
const mostOfCell = 500;

/**
 * @returns undefined without rules
 * @throws ArgumentError for an unknown column, TableError for an empty one, UsageError for unlike numbers of columns
 */
export function readRules(
  left: TableColumns,
  right: TableColumns | undefined,
  { same = [], never = [], ...options }: RuleOptions & Pick<ColumnOptions, "kindOf">,
): PairRules | undefined {
  if (same.length + never.length === 0) return undefined;
  const read = (flag: string) => (name: string) => {
    const pair = right === undefined ? ([name, name] as const) : readPairOf(name, left, right);
    const [parts, others] = [left, right ?? left].map((table, side) => {
      const found = partsOfColumn(table, pair[side]);
      if (found.length > 0) return found;
      const names = Object.keys(table).join(", ");
      throw new ArgumentError(`${flag} ${name}: there is no column "${pair[side]}". Columns: ${names}`);
    });
    if (parts.length !== others.length)
      throw new UsageError(
        `${flag} ${name}: ${parts.length} and ${others.length} columns. Name as many of the right table as of the left one.`,
      );
    const columns = parts.map((part, at): Numbers => {
      const [cells, otherCells] = [left[part], (right ?? left)[others[at]]];
      for (const [column, own] of [[part, cells] as const, [others[at], otherCells] as const])
        if (own.length > 0 && profileColumn(column, own).filled === 0)
          throw new TableError(
            `${flag} ${name}: column ${column} is empty in every row. Name another column, or leave the rule out.`,
          );
      return valueNumbers([part, others[at]], { left: cells, right: otherCells }, options);
    });
    return { name, ...columns.reduce(together) };
  };
  return { same: same.map(read("--same")), never: never.map(read("--never")) };
}

/** For each row a number, equal where the cells of a column are equal as the comparison reads them; -1 where one is empty. */
export function valueNumbers(
  names: AlignedNames,
  { left, right }: Readonly<Record<"left" | "right", readonly string[]>>,
  options: Pick<ColumnOptions, "kindOf">,
): Numbers {
  const profile = profileColumn(names[0], left === right ? left : both(left, right));
  const field = readField(names, { left, right, profile }, options, new TextNumbers());
  return { left: field.left, right: field.right, count: textCount(field.set.texts) };
}

type Numbers = Omit<Rule, "name"> & { readonly count: number };

/** A number for each two numbers of a row. */
function together(a: Numbers, b: Numbers): Numbers {
  const keys = new NumberedKeys(a.left.length + a.right.length);
  const of = (first: Int32Array, second: Int32Array): Int32Array =>
    first.map((one, row) => (one < 0 || second[row] < 0 ? -1 : keys.add(one * b.count + second[row])));
  return { left: of(a.left, b.left), right: of(a.right, b.right), count: keys.size };
}

/** @throws UsageError for rules where one column is compared */
export function refuseRules(rules: PairRules | undefined, column: string): void {
  if (rules !== undefined)
    throw new UsageError(
      `--same and --never need several compared columns, and ${column} is compared alone. Compare more columns (--on), or leave the rules out.`,
    );
}

/** The rules for some rows of each side, in their order. @param isSwapped whether the rows are those of exchanged tables */
export function rulesOfRows(
  { same, never }: PairRules,
  [rows, others]: readonly Uint32Array[],
  isSwapped = false,
): PairRules {
  const pick = ({ name, left, right }: Rule): Rule => {
    const [first, second] = isSwapped ? [right, left] : [left, right];
    const ofRows = Int32Array.from(rows, (row) => first[row]);
    return { name, left: ofRows, right: Int32Array.from(others, (row) => second[row]) };
  };
  return { same: same.map(pick), never: never.map(pick) };
}

/** Equal for rows of one table that all rules treat alike. */
export const ruleKey = (rules: PairRules | undefined, row: number): string =>
  rules === undefined ? "" : [...rules.same, ...rules.never].map(({ left }) => left[row]).join();

const differs = ({ left, right }: Rule, a: number, b: number): boolean =>
  left[a] >= 0 && right[b] >= 0 && left[a] !== right[b];

const isForbidden = ({ never }: PairRules, a: number, b: number): boolean =>
  never.some((rule) => differs(rule, a, b));

/** The rule by which two rows are the same. */
export const sameBy = (rules: PairRules | undefined, a: number, b: number): string | undefined =>
  rules === undefined || isForbidden(rules, a, b)
    ? undefined
    : rules.same.find(({ left, right }) => left[a] >= 0 && left[a] === right[b])?.name;

/** One sentence: why two rows are the same. */
export const reasonByRule = (rule: string | undefined): string | undefined =>
  rule === undefined ? undefined : `the same by ${rule}`;

/** Pairs of rows of one table that connect those that `same` rules bring together, as far as no `never` rule forbids them. */
export function* samePartners(rules: PairRules | undefined): Generator<RowPair> {
  for (const { left } of rules?.same ?? []) {
    const heads = new Map<number, number[]>();
    for (let row = 0; row < left.length; row++) {
      if (left[row] < 0) continue;
      const own = heads.get(left[row]) ?? [];
      const head = own.find((other) => !isForbidden(rules!, other, row));
      if (head === undefined) heads.set(left[row], [...own, row]);
      else yield { left: head, right: row };
    }
  }
}

export type SamePairs = ReturnType<typeof samePairs>;

/**
 * The pairs that `same` rules decide, how many each, and those that a `never` rule forbids. Of one table the smaller row is first.
 * @throws ArgumentError for a rule of too many pairs
 */
export function samePairs(rules: PairRules, isOneTable: boolean) {
  const rows = rules.same[0]?.right.length ?? 0;
  const [pairs, contradicted] = [new PairSet(rows), new PairSet(rows)];
  const counts = rules.same.map(({ name, left, right }) => {
    const most = [left, right].map((side) => side.reduce((a, b) => Math.max(a, b), -1));
    const { starts, order } = placesByNumber(right, 1 + Math.max(...most));
    const partners = (row: number): Uint32Array =>
      order.subarray(starts[left[row]] ?? 0, starts[left[row] + 1] * Math.min(1, left[row] + 1));
    const ofCells = Array.from(left, (_, row) => partners(row).length);
    const all = total(Float64Array.from(ofCells)) / (isOneTable ? 2 : 1);
    const ofCell = ofCells.reduce((a, b) => Math.max(a, b), 0);
    if (all > mostPairs || ofCell > mostOfCell)
      throw new ArgumentError(
        `--same ${name} gives about ${formatCount(Math.round(all))} pairs: ${formatCount(ofCell)} rows share a cell. At most ` +
          `${formatCount(mostOfCell)} may, and ${formatCount(mostPairs)} pairs in all. Add a column to the rule, as in --same name+city.`,
      );
    let count = 0;
    for (let row = 0; row < left.length; row++)
      for (const other of partners(row)) {
        if (isOneTable && other <= row) continue;
        const isDecided = !isForbidden(rules, row, other);
        (isDecided ? pairs : contradicted).add(row, other);
        if (isDecided) count++;
      }
    return count;
  });
  return { pairs: pairs.finish(), counts, contradicted: contradicted.finish() };
}

/** The pairs as confirmed ones. */
export function* confirmed(same: SamePairs | undefined): Generator<RowPair & { readonly match: true }> {
  const { left, right } = same?.pairs ?? { left: [], right: [] };
  for (let pair = 0; pair < left.length; pair++) yield { left: left[pair], right: right[pair], match: true };
}

interface CandidatePairs {
  readonly pairs: { readonly left: SortedRows; readonly right: Int32Array };
  readonly classes: PairClasses;
}

/**
 * The pairs that no `never` rule forbids, in the memory of the given ones, and for each rule how many pairs of each class it
 * forbids.
 */
export function allowedPairs(all: CandidatePairs, rows: number, rules: PairRules | undefined) {
  if (rules === undefined || rules.never.length === 0) return { ...all, forbidden: [] };
  const { never } = rules;
  const { classes } = all;
  const { classOf } = classes;
  const { left, right } = all.pairs;
  const forbidden = never.map(() => new Uint32Array(classCount(classes)));
  const starts = new Uint32Array(rows + 1);
  let count = 0;
  for (let pair = 0; pair < right.length; pair++) {
    const row = left.at(pair);
    let isAllowed = true;
    for (const [at, rule] of never.entries()) {
      if (!differs(rule, row, right[pair])) continue;
      isAllowed = false;
      forbidden[at][classOf[pair]]++;
    }
    if (!isAllowed) continue;
    starts[row + 1]++;
    right[count] = right[pair];
    classOf[count++] = classOf[pair];
  }
  for (let row = 0; row < rows; row++) starts[row + 1] += starts[row];
  const pairs = { left: SortedRows.from(starts), right: withRoom(right, count) };
  return { pairs, classes: { ...classes, classOf: withRoom(classOf, count) }, forbidden };
}

/** @param forbidden by `never` rule, pairs of each class @param logOdds of each class @param shown a pair of the tables' rows */
export function rulesReport(
  { same, never }: PairRules,
  { counts, contradicted: { left, right } }: SamePairs,
  { forbidden, logOdds }: { readonly forbidden: readonly Uint32Array[]; readonly logOdds: Float64Array },
  shown: (pair: RowPair) => readonly [left: number, right: number],
): RulesReport {
  const examples = Array.from(left.subarray(0, 1), (row, at) => shown({ left: row, right: right[at] }));
  const likely = (pairs: Uint32Array): number =>
    pairs.reduce((sum, count, place) => sum + (logOdds[place] >= 0 ? count : 0), 0);
  return {
    same: Object.fromEntries(same.map(({ name }, at) => [name, counts[at]])),
    never: Object.fromEntries(never.map(({ name }, at) => [name, likely(forbidden[at])])),
    contradicted: left.length,
    example: examples.map(([left, right]) => ({ left, right }))[0],
  };
}

/** Which groups of rows of one table `never` rules keep apart. Groups are named by any of their rows. */
export interface Apart {
  /** Unites two groups unless they differ. @returns whether they are one group */
  unite(a: number, b: number): boolean;
}

/** The number of a group in a rule where its rows have several; -1 where all their cells are empty. */
const mixed = -2;

/** @param known pairs that are the same whatever rules say; those without a match are passed over */
export function apartRows(
  rules: PairRules | undefined,
  known: Iterable<RowPair & { readonly match: boolean }>,
): Apart | undefined {
  if (rules === undefined || rules.never.length === 0) return undefined;
  const values = rules.never.map(({ left }) => left.slice());
  const { rootOf, unite } = disjointSets(values[0].length);
  const force = (x: number, y: number): void => {
    unite(x, y);
    for (const value of values) {
      const [one, other] = [value[x], value[y]];
      value[rootOf(x)] = one === -1 || one === other ? other : other === -1 ? one : mixed;
    }
  };
  for (const { left, right, match } of known) if (match) force(rootOf(left), rootOf(right));
  const differ = (one: number, other: number): boolean =>
    one !== -1 && other !== -1 && (one !== other || one === mixed);
  return {
    unite(a, b) {
      const [x, y] = [rootOf(a), rootOf(b)];
      if (x !== y && values.some((value) => differ(value[x], value[y]))) return false;
      if (x !== y) force(x, y);
      return true;
    },
  };
}
