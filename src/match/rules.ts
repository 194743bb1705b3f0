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
import { PairSet, type Pairs } from "./candidates/pair-set.js";
import type { TableColumns } from "./columns/align.js";
import { readPair, writtenParts } from "./columns/column-names.js";
import { both, type ColumnOptions, readField } from "./columns/fields.js";
import { profileColumn } from "./columns/profile.js";
import { TextNumbers, textCount } from "./columns/texts.js";
import { SortedRows } from "./weights/left-rows.js";
import { classCount, type PairClasses, withRoom } from "./weights/pair-classes.js";

/** Rules by columns, which need not be compared: "email", "vat+country" or, where the names in two tables differ, "email=mail". */
export interface RuleOptions {
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
  readonly same: readonly RulePairs[];
  /** By `never` rule, the pairs that it keeps apart although the compared columns make them likely. */
  readonly never: readonly RulePairs[];
  /** Pairs that are the same by one rule and differ by another: they are kept apart. */
  readonly contradicted: number;
  /** One of them. */
  readonly example?: RowPair;
}

interface RulePairs {
  readonly rule: string;
  readonly pairs: number;
}

/** More pairs of one rule would fill the memory. */
const mostPairs = 5_000_000;

/**
 * @returns undefined without rules
 * @throws ArgumentError for an unknown column, TableError for one that is empty, UsageError for unlike numbers of columns
 */
export function readRules(
  left: TableColumns,
  right: TableColumns | undefined,
  { same = [], never = [], ...options }: RuleOptions & Pick<ColumnOptions, "kindOf" | "profileOf">,
): PairRules | undefined {
  if (same.length + never.length === 0) return undefined;
  const read = (flag: string) => (name: string) => readRule(`${flag} ${name}`, name, [left, right], options);
  return { same: same.map(read("--same")), never: never.map(read("--never")) };
}

function readRule(
  written: string,
  name: string,
  [left, right]: readonly [TableColumns, TableColumns | undefined],
  options: Pick<ColumnOptions, "kindOf" | "profileOf">,
): Rule {
  const partsIn = (table: TableColumns, header: string): string[] =>
    writtenParts(header, (part) => Object.hasOwn(table, part));
  const has = (table: TableColumns) => (header: string) =>
    partsIn(table, header).every((part) => Object.hasOwn(table, part));
  const tables = [left, right ?? left];
  const names = right === undefined ? [name, name] : readPair(name, has(left), has(right));
  const [parts, others] = names.map((header, side) => partsIn(tables[side], header));
  [parts, others].forEach((columns, side) => {
    for (const column of columns) {
      if (!Object.hasOwn(tables[side], column))
        throw new ArgumentError(
          `${written}: there is no column "${column}". Columns: ${Object.keys(tables[side]).join(", ")}`,
        );
      const cells = tables[side][column];
      if (cells.length > 0 && profileOf(options)(column, cells).filled === 0)
        throw new TableError(
          `${written}: column ${column} is empty in every row. Name another column, or leave the rule out.`,
        );
    }
  });
  if (parts.length !== others.length)
    throw new UsageError(
      `${written}: ${parts.length} and ${others.length} columns. Name as many of the right table as of the left one.`,
    );
  const read = parts.map((part, at) => readColumn([part, others[at]], left, right, options));
  return { name, ...read.reduce(together) };
}

const profileOf = (options: Pick<ColumnOptions, "profileOf">) => options.profileOf ?? profileColumn;

type Numbers = Pick<Rule, "left" | "right"> & { readonly count: number };

function readColumn(
  pair: readonly [string, string],
  left: TableColumns,
  right: TableColumns | undefined,
  options: ColumnOptions,
): Numbers {
  const [cells, others] = [left[pair[0]], right?.[pair[1]] ?? left[pair[0]]];
  const profile = profileOf(options)(pair[0], right === undefined ? cells : both(cells, others));
  const field = readField(pair, { left: cells, right: others, profile }, options, new TextNumbers());
  return { left: field.left, right: field.right, count: textCount(field.set.texts) };
}

/** A number for each two numbers of a row. */
function together(a: Numbers, b: Numbers): Numbers {
  const keys = new NumberedKeys(a.left.length + a.right.length);
  const of = (first: Int32Array, second: Int32Array): Int32Array =>
    first.map((number, row) =>
      number < 0 || second[row] < 0 ? -1 : keys.add(number * b.count + second[row]),
    );
  return { left: of(a.left, b.left), right: of(a.right, b.right), count: keys.size };
}

/** @throws UsageError for rules where one column is compared */
export function refuseRules(rules: PairRules | undefined, column: string): void {
  if (rules !== undefined)
    throw new UsageError(
      `--same and --never need several compared columns, and ${column} is compared alone. Compare more columns (--on), or leave the rules out.`,
    );
}

/** The rules for some rows of each side, in their order. */
export function rulesOfRows({ same, never }: PairRules, [left, right]: readonly Uint32Array[]): PairRules {
  const pick = (rule: Rule): Rule => ({
    ...rule,
    left: Int32Array.from(left, (row) => rule.left[row]),
    right: Int32Array.from(right, (row) => rule.right[row]),
  });
  return { same: same.map(pick), never: never.map(pick) };
}

/** The rules where the tables are exchanged. */
export function turnedRules({ same, never }: PairRules): PairRules {
  const turn = ({ name, left, right }: Rule): Rule => ({ name, left: right, right: left });
  return { same: same.map(turn), never: never.map(turn) };
}

/** Equal for rows of one table that all rules treat alike. */
export const ruleKey = ({ same, never }: PairRules, row: number): string =>
  [...same, ...never].map(({ left }) => left[row]).join();

const differs = ({ left, right }: Rule, a: number, b: number): boolean =>
  left[a] >= 0 && right[b] >= 0 && left[a] !== right[b];

/** Whether a `never` rule keeps two rows apart. */
const isForbidden = ({ never }: PairRules, a: number, b: number): boolean =>
  never.some((rule) => differs(rule, a, b));

/** The rule by which two rows are the same. */
export const sameBy = (rules: PairRules | undefined, a: number, b: number): string | undefined =>
  rules === undefined || isForbidden(rules, a, b)
    ? undefined
    : rules.same.find(({ left, right }) => left[a] >= 0 && left[a] === right[b])?.name;

/** Pairs that `same` rules decide, how many each, and those that a `never` rule forbids. */
export interface SamePairs {
  readonly pairs: Pairs;
  readonly counts: readonly number[];
  readonly contradicted: Pairs;
}

/** Of one table the smaller row of a pair is first. @throws ArgumentError for a rule of too many pairs */
export function samePairs(rules: PairRules, isOneTable: boolean): SamePairs {
  const rows = rules.same[0]?.right.length ?? 0;
  const [pairs, contradicted] = [new PairSet(rows), new PairSet(rows)];
  const counts = rules.same.map(({ name, left, right }) => {
    const { starts, order } = placesByNumber(right, 1 + Math.max(highest(left), highest(right)));
    const partners = (row: number): Uint32Array =>
      left[row] < 0 ? order.subarray(0, 0) : order.subarray(starts[left[row]], starts[left[row] + 1]);
    let all = 0;
    for (let row = 0; row < left.length; row++) all += partners(row).length;
    if (isOneTable) all = (all - order.length) / 2;
    if (all > mostPairs)
      throw new ArgumentError(
        `--same ${name} gives ${formatCount(all)} pairs, and ${formatCount(mostPairs)} are possible: too many rows share a cell. ` +
          "Add a column to the rule, as in --same name+city.",
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

const highest = (numbers: Int32Array): number => numbers.reduce((most, one) => Math.max(most, one), -1);

/** @param found of each class of pairs how many each `never` rule forbids, and its log-odds */
export function rulesReport(
  rules: PairRules,
  { counts, contradicted: { left, right } }: SamePairs,
  found: {
    readonly forbidden: readonly Uint32Array[];
    readonly logOdds: Float64Array;
    given(pair: RowPair): RowPair;
  },
): RulesReport {
  const likely = (pairs: Uint32Array): number =>
    pairs.reduce((sum, count, place) => sum + (found.logOdds[place] >= 0 ? count : 0), 0);
  return {
    same: rules.same.map(({ name }, at) => ({ rule: name, pairs: counts[at] })),
    never: rules.never.map(({ name }, at) => ({ rule: name, pairs: likely(found.forbidden[at]) })),
    contradicted: left.length,
    ...(left.length > 0 && { example: found.given({ left: left[0], right: right[0] }) }),
  };
}

/** The pairs as confirmed ones. */
export function* confirmed(same: SamePairs | undefined): Generator<RowPair & { readonly match: true }> {
  if (same === undefined) return;
  const { left, right } = same.pairs;
  for (let pair = 0; pair < left.length; pair++) yield { left: left[pair], right: right[pair], match: true };
}

/**
 * The pairs that no `never` rule forbids, in the memory of the given ones, and for each rule how many pairs of each class it
 * forbids.
 */
export function allowedPairs(
  { left, right }: { readonly left: SortedRows; readonly right: Int32Array },
  classes: PairClasses,
  rows: number,
  { never }: PairRules,
) {
  const { classOf } = classes;
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
  return {
    pairs: { left: SortedRows.from(starts), right: withRoom(right, count) },
    classes: { ...classes, classOf: withRoom(classOf, count) },
    forbidden,
  };
}

/** Which groups of rows of one table `never` rules keep apart. Groups are named by one of their rows. */
export interface Apart {
  differ(a: number, b: number): boolean;
  unite(a: number, b: number): void;
}

/** A group of rows has one number in each rule: -1 where all cells are empty, or `mixed`. */
const mixed = -2;

/** @param together pairs that are the same whatever rules say */
export function apartRows(rules: PairRules | undefined, together: Iterable<RowPair> = []): Apart | undefined {
  if (rules === undefined || rules.never.length === 0) return undefined;
  const values = rules.never.map(({ left }) => left.slice());
  const { rootOf, unite } = disjointSets(values[0].length);
  const apart: Apart = {
    differ: (a, b) => {
      const [x, y] = [rootOf(a), rootOf(b)];
      const areApart = (one: number, other: number): boolean =>
        one !== -1 && other !== -1 && (one !== other || one === mixed);
      return x !== y && values.some((value) => areApart(value[x], value[y]));
    },
    unite: (a, b) => {
      const [x, y] = [rootOf(a), rootOf(b)];
      unite(x, y);
      for (const value of values) {
        const [one, other] = [value[x], value[y]];
        value[rootOf(x)] = one === -1 || one === other ? other : other === -1 ? one : mixed;
      }
    },
  };
  for (const { left, right } of together) apart.unite(left, right);
  return apart;
}

/** "12 pairs are the same by email; 3 likely pairs differ in birth_date", and a line on contradictions, if any. */
export function rulesLines({ same, never, contradicted, example }: RulesReport): string[] {
  const count = (pairs: number, what: string): string =>
    `${formatCount(pairs)} ${what}${pairs === 1 ? "" : "s"}`;
  const parts = [
    ...same.map(
      ({ rule, pairs }) => `${count(pairs, "pair")} ${pairs === 1 ? "is" : "are"} the same by ${rule}`,
    ),
    ...never.map(
      ({ rule, pairs }) => `${count(pairs, "likely pair")} ${pairs === 1 ? "differs" : "differ"} in ${rule}`,
    ),
  ];
  const against =
    example &&
    `--same and --never contradict each other in ${count(contradicted, "pair")}, such as rows ${example.left + 1} and ${example.right + 1}: --never decides`;
  return [parts.join("; "), ...(against === undefined ? [] : [against])];
}
