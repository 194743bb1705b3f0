/**
 * Rules of a user beside what is learned. Rows whose filled cells are equal in all columns of a `same` rule are the same thing, rows
 * whose filled cells differ in the columns of a `never` rule are different things. Rules decide pairs and teach nothing. Where two
 * contradict each other `never` wins, and answers of people win over both.
 */
import { disjointSets, numbered } from "../disjoint-sets.js";
import { ArgumentError, TableError, UsageError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { placesByNumber } from "../places-by-number.js";
import { NumberedKeys } from "./candidates/blocks.js";
import { PairSet } from "./candidates/pair-set.js";
import { isFilled } from "./cells/cell-words.js";
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

/** Rules, and what one table says of where its rows are from. */
export interface SourceOptions {
  /** A column that names the source of each row. No source has a thing twice: two rows of one are not the same. */
  readonly between?: string;
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
  /** Which cells a `never` rule keeps apart: those of one source are equal. Default: different ones. */
  readonly apart?: "equal";
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
  /** Pairs of one source that are kept apart although the compared columns make them likely; undefined without `between`. */
  readonly between?: number;
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
  { same = [], never = [], between, ...options }: RuleOptions & SourceOptions & Pick<ColumnOptions, "kindOf">,
): PairRules | undefined {
  if (same.length + never.length === 0 && between === undefined) return undefined;
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
  const sources = (name: string): Rule => {
    const cells = left[read("between")(name).name];
    // Exactly as written: a.csv and A.csv are two tables.
    const numbers = numbered(cells).map((number, row) => (isFilled(cells[row]) ? number : -1));
    return { name, left: numbers, right: numbers, apart: "equal" };
  };
  return {
    same: same.map(read("--same")),
    never: [...never.map(read("--never")), ...(between === undefined ? [] : [sources(between)])],
  };
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

/** The rules for some rows of each side, in their order. @param isSwapped whether the rows are those of exchanged tables */
export function rulesOfRows(
  { same, never }: PairRules,
  [rows, others]: readonly Uint32Array[],
  isSwapped = false,
): PairRules {
  const pick = ({ left, right, ...rule }: Rule): Rule => {
    const [first, second] = isSwapped ? [right, left] : [left, right];
    const ofRows = Int32Array.from(rows, (row) => first[row]);
    return { ...rule, left: ofRows, right: Int32Array.from(others, (row) => second[row]) };
  };
  return { same: same.map(pick), never: never.map(pick) };
}

/** Equal for rows of one table that all rules treat alike, and that no rule keeps apart. */
export const ruleKey = (rules: PairRules | undefined, row: number): string =>
  [...(rules?.same ?? []), ...(rules?.never ?? [])]
    .map(({ left, apart }) => (apart === "equal" && left[row] >= 0 ? `${left[row]} ${row}` : left[row]))
    .join();

/** Whether a `never` rule keeps two rows apart. */
const forbids = ({ left, right, apart }: Rule, a: number, b: number): boolean =>
  left[a] >= 0 && right[b] >= 0 && (left[a] === right[b]) === (apart === "equal");

/** Whether any rule keeps two rows apart. */
export const isForbidden = ({ never }: PairRules, a: number, b: number): boolean =>
  never.some((rule) => forbids(rule, a, b));

/** By `never` rule, how many of these pairs it keeps apart. */
export function countApart(
  { never }: PairRules,
  pairs: Iterable<readonly [left: number, right: number, times?: number]>,
): number[] {
  const counts = never.map(() => 0);
  for (const [a, b, times = 1] of pairs)
    never.forEach((rule, at) => {
      if (forbids(rule, a, b)) counts[at] += times;
    });
  return counts;
}

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
      // All of them: the first may have a row by then that this one is kept apart from.
      const open = own.filter((other) => !isForbidden(rules!, other, row));
      if (open.length === 0) heads.set(left[row], [...own, row]);
      for (const head of open) yield { left: head, right: row };
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
      if (!forbids(rule, row, right[pair])) continue;
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

/** @param apart by `never` rule, the likely pairs that it keeps apart @param shown a pair of the tables' rows */
export function rulesReport(
  { same, never }: PairRules,
  { counts, contradicted: { left, right } }: SamePairs,
  apart: readonly number[],
  shown = ({ left, right }: RowPair): readonly [left: number, right: number] => [left, right],
): RulesReport {
  const examples = Array.from(left.subarray(0, 1), (row, at) => shown({ left: row, right: right[at] }));
  const bySource = never.findIndex((rule) => rule.apart === "equal");
  return {
    same: Object.fromEntries(same.map(({ name }, at) => [name, counts[at]])),
    never: Object.fromEntries(never.flatMap(({ name }, at) => (at === bySource ? [] : [[name, apart[at]]]))),
    between: apart[bySource],
    contradicted: left.length,
    example: examples.map(([left, right]) => ({ left, right }))[0],
  };
}

/** Which groups of rows of one table `never` rules keep apart. Groups are named by any of their rows. */
export interface Apart {
  /** Unites two groups unless they differ. @returns whether they are one group */
  unite(a: number, b: number): boolean;
}

/** @param known pairs that are the same whatever rules say; those without a match are passed over */
export function apartRows(
  rules: PairRules | undefined,
  known: Iterable<RowPair & { readonly match: boolean }>,
): Apart | undefined {
  if (rules === undefined || rules.never.length === 0) return undefined;
  const { rootOf, unite } = disjointSets(rules.never[0].left.length);
  const cells = rules.never.map(({ left, apart }) => {
    const ofSeveral = new Map<number, ReadonlySet<number>>();
    const numbersOf = (group: number): ReadonlySet<number> =>
      ofSeveral.get(group) ?? new Set(left[group] < 0 ? [] : [left[group]]);
    return {
      areApart(x: number, y: number): boolean {
        const [one, other] = [numbersOf(x), numbersOf(y)];
        const { size } = new Set([...one, ...other]);
        if (apart === "equal") return size < one.size + other.size;
        return one.size > 0 && other.size > 0 && size > 1;
      },
      unite(x: number, y: number): void {
        ofSeveral.set(Math.min(x, y), new Set([...numbersOf(x), ...numbersOf(y)]));
        ofSeveral.delete(Math.max(x, y));
      },
    };
  });
  const force = (x: number, y: number): void => {
    if (x === y) return;
    for (const own of cells) own.unite(x, y);
    unite(x, y);
  };
  for (const { left, right, match } of known) if (match) force(rootOf(left), rootOf(right));
  return {
    unite(a, b) {
      const [x, y] = [rootOf(a), rootOf(b)];
      if (x !== y && cells.some((own) => own.areApart(x, y))) return false;
      force(x, y);
      return true;
    },
  };
}
