/** Chooses the columns that carry evidence, aligned between the tables, and reads their values. */
import { ArgumentError } from "../../errors.js";
import { isVisible } from "../../text/visible.js";
import { isDayFirst } from "../cells/dates.js";
import { type AlignedNames, alignColumns, alignWords, type TableColumns } from "./align.js";
import { canonicalOrder, reorder } from "./canonical.js";
import { axesOf, hasAxes, readPairOf } from "./column-names.js";
import { axisColumns } from "./coordinates.js";
import {
  type ColumnKind,
  type ColumnProfile,
  type ColumnRole,
  columnKinds,
  columnRoles,
  isCode,
  isText,
  profileColumn,
} from "./profile.js";
import { type SiblingPlaces, siblingPlaces } from "./sibling-places.js";
import { TextNumbers, type Texts } from "./texts.js";
import { type Cells, readValues, type ValuedColumn } from "./value-set.js";

/** Which columns are compared, and as what. */
export interface ColumnOptions {
  /** Compare these columns only: "name", or "name=title" where the tables differ; "first + last=name" compares several as one. */
  readonly on?: readonly string[];
  /** Columns to leave out. */
  readonly ignore?: readonly string[];
  /** Kinds or roles of columns by name, in place of those found. */
  readonly kindOf?: Readonly<Record<string, ColumnKind | ColumnRole>>;
  /** Profiles a column of one table. Default: looks at its cells each time. */
  readonly profileOf?: typeof profileColumn;
  /** By header in either table, as `withComparisons` reads them. */
  readonly comparisons?: ReadonlyMap<string, OwnComparison>;
}

/** The most by which numbers differ: a share of the larger one, or a difference, of dates in days. */
export type Tolerance = { readonly within: number; readonly isShare: boolean };
/** A module that compares cells, and the values of its function from which a pair has a higher level. */
export type ModuleComparison = { readonly module: string; readonly cuts: readonly number[] };
export type OwnComparison = Tolerance | ModuleComparison;

/** An aligned column of both tables. For a single table both sides are the same. */
export interface Field extends ValuedColumn {
  /** Header in the left table. */
  readonly name: string;
  /** Header in the right table. */
  readonly other: string;
  readonly kind: ColumnKind;
  /** Undefined where nobody has said it. */
  readonly role?: ColumnRole;
  readonly profile: ColumnProfile;
  /** Of codes only. */
  readonly siblings?: SiblingPlaces;
  readonly own?: OwnComparison;
}

/** The prepared columns of two tables, or of one. */
export interface PreparedTables {
  readonly isOneTable: boolean;
  readonly rows: readonly [number, number];
  /** The words of all columns. */
  readonly vocabulary: Texts;
  /** In an order of their contents: neither the order of columns nor their headers matter. */
  readonly fields: readonly Field[];
  /** Index of the field that names the row; -1 without a text column. */
  readonly naming: number;
  /** Columns of one table alone: their words help to find candidates. */
  readonly alone: readonly [readonly ValuedColumn[], readonly ValuedColumn[]];
  readonly dropped: readonly DroppedColumn[];
  /** For each prepared row its place in the given table: rows are prepared in an order of their contents. */
  readonly order: readonly [Uint32Array, Uint32Array];
}

/** A column left out, with the reason. */
export interface DroppedColumn {
  readonly name: string;
  readonly reason: string;
}

/** Which columns are compared. */
export interface ColumnPlan {
  /** In an order of their contents. With one pair, rows are compared by one column alone. */
  readonly pairs: readonly AlignedNames[];
  /** Columns of the left, and of the right table alone. */
  readonly alone: readonly [readonly string[], readonly string[]];
  readonly dropped: readonly DroppedColumn[];
  /** What the columns of the left table are, by name. */
  readonly profiles: ReadonlyMap<string, ColumnProfile>;
}

/** Chooses the columns of two tables, or of one where `right` is undefined. @throws ArgumentError for an unknown column */
export function planColumns(
  left: TableColumns,
  right: TableColumns | undefined,
  options: ColumnOptions = {},
): ColumnPlan {
  const other = right ?? left;
  const first = usableColumns(left, options);
  const second = right === undefined ? first : usableColumns(other, options);
  const dropped = [...first.dropped, ...(right === undefined ? [] : second.dropped)];
  const asked = options.on?.flatMap((text) => askedPairs(text, left, other));
  const aligned =
    right === undefined
      ? first.names.map((name): AlignedNames => [name, name])
      : withLoneColumns(alignColumns(left, right, { left: first.names, right: second.names }), first, second);
  const open = (names: readonly string[], side: 0 | 1): string[] =>
    names.filter((name) => !aligned.some((pair) => pair[side] === name));
  const isFound = right !== undefined && asked === undefined;
  if (isFound)
    aligned.push(...alignWords(left, right, { left: open(first.texts, 0), right: open(second.texts, 1) }));
  const place = (side: UsableColumns, name: string): number => side.profiles.get(name)!.content;
  const sorted = [...(asked ?? aligned)].sort(
    (a, b) => place(first, a[0]) - place(first, b[0]) || place(second, a[1]) - place(second, b[1]),
  );
  const pairs = withoutCopies(sorted, left, other, dropped);
  const alone = isFound ? ([open(first.names, 0), open(second.names, 1)] as const) : ([[], []] as const);
  const plan = { pairs, dropped, alone, profiles: first.profiles };
  if (rowsOf(left) * rowsOf(other) > 0) checkCompared(plan, options.comparisons?.keys());
  return plan;
}

/** @throws ArgumentError for a comparison of a column that is not compared */
function checkCompared({ pairs, dropped }: ColumnPlan, compared: Iterable<string> = []): void {
  const named = new Set(compared);
  for (const [name, other] of pairs)
    if (name !== other && named.has(name) && named.has(other))
      throw new ArgumentError(
        `--compare ${name} and --compare ${other} are about columns that are compared with each other. Leave one out.`,
      );
  for (const name of named) {
    if (pairs.some((pair) => pair.includes(name))) continue;
    const reason =
      dropped.find((column) => column.name === name)?.reason ?? "not named, or in one table alone";
    throw new ArgumentError(
      `--compare ${name}: the column is not compared (${reason}). Compare it (--on), or leave --compare ${name} out.`,
    );
  }
}

/** Prepares two tables, or one where `right` is undefined. @throws ArgumentError if no column can be compared */
export function prepareTables(
  left: TableColumns,
  right: TableColumns | undefined,
  options: ColumnOptions = {},
): PreparedTables {
  const tables = [left, right ?? left] as const;
  const isOneTable = right === undefined;
  const { pairs, alone, dropped, profiles } = planColumns(left, right, options);
  if (pairs.length === 0) throw new ArgumentError(nothingToCompare(tables, dropped));
  const orderOf = (side: 0 | 1): Uint32Array => {
    const cellsOf = (names: readonly string[]) => names.map((name) => tables[side][name]);
    return canonicalOrder(
      cellsOf(pairs.map((pair) => pair[side])),
      cellsOf(alone[side]),
      rowsOf(tables[side]),
    );
  };
  const leftOrder = orderOf(0);
  const order = [leftOrder, isOneTable ? leftOrder : orderOf(1)] as const;
  const vocabulary = new TextNumbers();
  const fields = pairs.map((pair): Field => {
    const cells = reorder(left[pair[0]], order[0]);
    const others = isOneTable ? cells : reorder(tables[1][pair[1]], order[1]);
    const profile = isOneTable
      ? profiles.get(pair[0])!
      : profileColumn(pair[0], both(left[pair[0]], tables[1][pair[1]]));
    return readField(pair, { left: cells, right: others, profile }, options, vocabulary);
  });
  const naming = namingField(fields);
  const readAlone = (side: 0 | 1): ValuedColumn[] =>
    alone[side].map((name) => readValues(reorder(tables[side][name], order[side]), [], "text", vocabulary));
  const ofAlone = [readAlone(0), readAlone(1)] as const;
  return {
    ...{ isOneTable, dropped, order, naming, rows: [rowsOf(tables[0]), rowsOf(tables[1])] },
    vocabulary: vocabulary.texts(),
    fields: fields.map((field, index) =>
      index === naming && field.kind === "text" ? { ...field, kind: "name" } : field,
    ),
    alone: ofAlone,
  };
}

function nothingToCompare(tables: readonly TableColumns[], dropped: readonly DroppedColumn[]): string {
  const reasons = dropped.map(({ name, reason }) => `${name} (${reason})`).join(", ");
  const names = tables.map((table) => Object.keys(table).join(", ")).join(" and ");
  const left = reasons === "" ? "" : ` Left out: ${reasons}.`;
  return `no column can be compared. Columns: ${names}.${left} Name columns with "on" (--on).`;
}

/** Reads the values of an aligned column. */
export function readField(
  [name, other]: AlignedNames,
  { left, right, profile }: Pick<Field, "profile"> & Readonly<Record<"left" | "right", Cells>>,
  { kindOf, comparisons }: ColumnOptions,
  vocabulary: TextNumbers,
): Field {
  const kind = fieldKind({ name, other, profile }, { kindOf, comparisons });
  const dayFirst =
    kind !== "date" ? [] : left === right ? [profile.dayFirst] : [isDayFirst(left), isDayFirst(right)];
  const role = saidOf({ name, other }, columnRoles, kindOf);
  const own = comparisons?.get(name) ?? comparisons?.get(other);
  const keeps = own !== undefined && "module" in own ? "written" : undefined;
  const values = readValues(left, right, kind, vocabulary, dayFirst, keeps);
  const siblings = isCode(kind) ? siblingPlaces(values.set.texts) : undefined;
  return { ...values, name, other, kind, role, profile, siblings, own };
}

/** What an aligned column holds: what the caller says, by either header, or else what was found. A tolerance is of numbers or dates. */
export function fieldKind(
  { name, other, profile }: Pick<Field, "name" | "other" | "profile">,
  { kindOf = {}, comparisons }: Pick<ColumnOptions, "kindOf" | "comparisons">,
): ColumnKind {
  const own = comparisons?.get(name) ?? comparisons?.get(other);
  // Whole numbers, such as years, look like codes.
  const found = own !== undefined && "within" in own && profile.kind !== "date" ? "number" : profile.kind;
  return saidOf({ name, other }, columnKinds, kindOf) ?? found;
}

/** What the caller says of a column, if it is one of the known words. */
const saidOf = <Word>(
  { name, other }: Pick<Field, "name" | "other">,
  known: readonly Word[],
  said: Readonly<Record<string, unknown>> = {},
): Word | undefined => known.find((word) => word === (ownValue(said, name) ?? ownValue(said, other)));

/** What a record holds under a header, which may be one that every object inherits a value for: "constructor". */
export const ownValue = <Value>(
  record: Readonly<Record<string, Value>>,
  header: string,
): Value | undefined => (Object.hasOwn(record, header) ? record[header] : undefined);

/** The cells of two columns, one after the other. */
export const both = (first: Cells, second: Cells): Cells => ({
  length: first.length + second.length,
  *[Symbol.iterator]() {
    yield* first;
    yield* second;
  },
});

export const rowsOf = (table: TableColumns): number => Object.values(table)[0]?.length ?? 0;

const loneColumns = ["naming", "email", "phone", "latitude", "longitude"] as const;

/** Columns of one table that may carry evidence. */
interface UsableColumns {
  /** In an order of their contents. */
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly profiles: ReadonlyMap<string, ColumnProfile>;
  readonly dropped: readonly DroppedColumn[];
  /** The column that names a row best, and the only ones that hold addresses of e-mail, telephone numbers or coordinates. */
  readonly lone: Readonly<Record<(typeof loneColumns)[number], string | undefined>>;
}

/** The columns of a table that may carry evidence, and why the others do not. */
export function usableColumns(
  table: TableColumns,
  { ignore = [], kindOf, comparisons, profileOf = profileColumn }: ColumnOptions,
): UsableColumns {
  const dropped: DroppedColumn[] = [];
  const all = new Map(Object.keys(table).map((name) => [name, profileOf(name, table[name])]));
  const profiles = [...all].flatMap(([name, profile]) => {
    const reason = ignore.includes(name) ? "ignored" : profile.dropped;
    if (reason !== undefined) dropped.push({ name, reason });
    const field = { name, other: name, profile };
    return reason === undefined ? [{ ...field, kind: fieldKind(field, { kindOf, comparisons }) }] : [];
  });
  profiles.sort((a, b) => a.profile.content - b.profile.content || (a.name < b.name ? -1 : 1));
  const names = profiles.map(({ name }) => name);
  const onlyOne = (kind: ColumnKind): string | undefined => {
    const [column, ...others] = profiles.filter((profile) => profile.kind === kind);
    return others.length === 0 ? column?.name : undefined;
  };
  const lone = {
    ...{ naming: names[namingField(profiles)], email: onlyOne("email"), phone: onlyOne("phone") },
    ...axisColumns(profiles.flatMap(({ name, kind }) => (kind === "number" ? [name] : []))),
  };
  const texts = profiles.filter(({ kind }) => isText(kind)).map(({ name }) => name);
  return { names, texts, profiles: all, dropped, lone };
}

/**
 * Adds the columns that name the rows, and the only ones of e-mail, of telephone and of each coordinate, where neither is aligned
 * yet: what is written differently often has no value in common.
 */
function withLoneColumns(aligned: AlignedNames[], left: UsableColumns, right: UsableColumns): AlignedNames[] {
  const all = [...aligned];
  for (const what of loneColumns) {
    const [name, other] = [left.lone[what], right.lone[what]];
    if (name === undefined || other === undefined) continue;
    if (!all.some((pair) => pair[0] === name || pair[1] === other)) all.push([name, other]);
  }
  return all;
}

function askedPairs(text: string, left: TableColumns, right: TableColumns): AlignedNames[] {
  const [name, other] = readPairOf(text, left, right);
  if (hasAxes(left, name) && hasAxes(right, other))
    return axesOf(name).map((axis, at): AlignedNames => [axis, axesOf(other)[at]]);
  const isInLeft = Object.hasOwn(left, name);
  if (!(isInLeft && Object.hasOwn(right, other))) {
    const [missing, table] = isInLeft ? [other, right] : [name, left];
    throw new ArgumentError(`there is no column ${missing}. Columns: ${Object.keys(table).join(", ")}`);
  }
  return [[name, other]];
}

/** Share of rows in which two columns must agree for the second to be a copy of the first. */
const copied = 0.95;

/** Leaves out columns that repeat an earlier one: a fact must not count twice. */
function withoutCopies(
  pairs: readonly AlignedNames[],
  left: TableColumns,
  right: TableColumns,
  dropped: DroppedColumn[],
): AlignedNames[] {
  const kept: AlignedNames[] = [];
  for (const pair of pairs) {
    const original = kept.find(
      (other) =>
        isCopy(left[pair[0]], left[other[0]]) && (left === right || isCopy(right[pair[1]], right[other[1]])),
    );
    if (original === undefined) kept.push(pair);
    else dropped.push({ name: pair[0], reason: `a copy of ${original[0]}` });
  }
  return kept;
}

function isCopy(cells: readonly string[], others: readonly string[]): boolean {
  let [same, filled] = [0, 0];
  const mostDifferent = (1 - copied) * cells.length + 1;
  for (let row = 0; row < cells.length && filled - same <= mostDifferent; row++) {
    const [cell, other] = [cells[row], others[row]];
    if (!isVisible(cell) && !isVisible(other)) continue;
    filled++;
    if (cell.trim().toLowerCase() === other.trim().toLowerCase()) same++;
  }
  return filled - same <= mostDifferent && same >= copied * filled;
}

const namingHeader = /name|title|label/i;
const notNaming = /program|given|first|last|sur|agency/i;

/** The text column that names its row best, of equally good ones that of longer cells; -1 without one. */
export function namingField(fields: readonly Pick<Field, "name" | "other" | "kind" | "profile">[]): number {
  let [best, bestScore] = [-1, -Infinity];
  fields.forEach(({ name, other, kind, profile: { rows, filled, distinct, shares } }, index) => {
    if (!isText(kind)) return;
    const headers = `${name} ${other}`;
    let score = (0.8 * filled) / rows + (0.5 * distinct) / Math.max(1, filled);
    if (namingHeader.test(headers) && !notNaming.test(headers)) score += 0.3;
    if (shares.words > 12) score -= 0.3;
    if (shares.digits > 0.8) score -= 0.3;
    const isLonger = best >= 0 && shares.length > fields[best].profile.shares.length;
    if (score > bestScore || (score === bestScore && isLonger)) [best, bestScore] = [index, score];
  });
  return best;
}
