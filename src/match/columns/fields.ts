/** Chooses the columns that carry evidence, aligned between the tables, and reads their values. */
import { ArgumentError } from "../../errors.js";
import { type AlignedNames, alignColumns, type TableColumns } from "./align.js";
import { type ColumnKind, type ColumnProfile, profileColumn } from "./profile.js";
import { readValues, type ValuedColumn } from "./value-set.js";
import { Vocabulary } from "./vocabulary.js";

export interface ColumnOptions {
  /** Compare these columns only: "name", or "name=title" where the tables differ. */
  readonly on?: readonly string[];
  /** Columns to leave out. */
  readonly ignore?: readonly string[];
  /** Kinds of columns by name, in place of those found. */
  readonly kindOf?: Readonly<Record<string, ColumnKind>>;
}

/** An aligned column of both tables. For a single table both sides are the same. */
export interface Field extends ValuedColumn {
  /** Header in the left table. */
  readonly name: string;
  /** Header in the right table. */
  readonly other: string;
  readonly kind: ColumnKind;
  readonly profile: ColumnProfile;
}

/** The prepared columns of two tables, or of one. */
export interface PreparedTables {
  readonly isOneTable: boolean;
  readonly rows: readonly [number, number];
  readonly vocabulary: Vocabulary;
  /** In the order of their headers, so that the order of columns has no say. */
  readonly fields: readonly Field[];
  /** Index of the field that names the row; -1 without a text column. */
  readonly naming: number;
  /** Columns of one table alone: their words help to find candidates. */
  readonly alone: readonly [readonly ValuedColumn[], readonly ValuedColumn[]];
  /** Columns left out, with the reason. */
  readonly dropped: readonly { readonly name: string; readonly reason: string }[];
}

/** Prepares two tables, or one where `right` is undefined. @throws ArgumentError for an unknown column */
export function prepareTables(
  left: TableColumns,
  right: TableColumns | undefined,
  options: ColumnOptions = {},
): PreparedTables {
  const other = right ?? left;
  const chosen = [usable(left, options, 0), usable(other, options, 1)] as const;
  const dropped = [...chosen[0].dropped, ...(right === undefined ? [] : chosen[1].dropped)];
  const names = { left: chosen[0].names, right: chosen[1].names };
  const pairs =
    options.on?.map((text) => askedPair(text, left, other)) ??
    (right === undefined
      ? names.left.map((name): AlignedNames => [name, name])
      : alignColumns(left, other, names));
  const vocabulary = new Vocabulary();
  const read = [...pairs].sort().map(([name, otherName]): Field => {
    const cells = right === undefined ? left[name] : left[name].concat(other[otherName]);
    const profile = profileColumn(name, cells);
    const kind = options.kindOf?.[name] ?? options.kindOf?.[otherName] ?? profile.kind;
    const values = readValues(
      left[name],
      right === undefined ? left[name] : other[otherName],
      kind,
      vocabulary,
    );
    return { ...values, name, other: otherName, kind, profile };
  });
  const fields = withoutCopies(read, dropped);
  const naming = namingField(fields);
  const aloneIn = (table: TableColumns, side: 0 | 1): ValuedColumn[] =>
    options.on !== undefined || right === undefined
      ? []
      : chosen[side].names
          .filter((name) => !pairs.some((pair) => pair[side] === name))
          .map((name) => readValues(table[name], [], "text", vocabulary));
  return {
    ...{ isOneTable: right === undefined, vocabulary, dropped },
    rows: [rowsOf(left), rowsOf(other)],
    fields: fields.map((field, index) =>
      index === naming && field.kind === "text" ? { ...field, kind: "name" } : field,
    ),
    naming,
    alone: [aloneIn(left, 0), aloneIn(other, 1)],
  };
}

export const rowsOf = (table: TableColumns): number => Object.values(table)[0]?.length ?? 0;

function usable(table: TableColumns, { ignore = [], kindOf = {} }: ColumnOptions, side: 0 | 1) {
  if (side === 0)
    for (const name of Object.keys(kindOf))
      if (name === "") throw new ArgumentError("a column name is empty");
  const dropped: { name: string; reason: string }[] = [];
  const names = Object.keys(table).filter((name) => {
    const reason = ignore.includes(name) ? "ignored" : profileColumn(name, table[name]).dropped;
    if (reason !== undefined) dropped.push({ name, reason });
    return reason === undefined;
  });
  return { names, dropped };
}

function askedPair(text: string, left: TableColumns, right: TableColumns): AlignedNames {
  const [name, other = name] = text.split("=");
  if (left[name] === undefined || right[other] === undefined) {
    const missing = left[name] === undefined ? name : other;
    throw new ArgumentError(`there is no column ${missing}. Columns: ${Object.keys(left).join(", ")}`);
  }
  return [name, other];
}

/** Share of rows in which two columns must agree for the second to be a copy of the first. */
const copied = 0.95;

/** Leaves out columns that repeat another one: a fact must not count twice. */
function withoutCopies(fields: readonly Field[], dropped: { name: string; reason: string }[]): Field[] {
  const order = [...fields].sort((a, b) => b.profile.filled - a.profile.filled || (a.name < b.name ? -1 : 1));
  const kept: Field[] = [];
  for (const field of order) {
    const original = kept.find((other) => isCopy(field, other));
    if (original === undefined) kept.push(field);
    else dropped.push({ name: field.name, reason: `a copy of ${original.name}` });
  }
  return fields.filter((field) => kept.includes(field));
}

function isCopy(a: Field, b: Field): boolean {
  let [same, both] = [0, 0];
  for (const side of ["left", "right"] as const) {
    a[side].forEach((value, row) => {
      if (value < 0) return;
      both++;
      if (b[side][row] >= 0 && a.set.texts[value] === b.set.texts[b[side][row]]) same++;
    });
  }
  return same >= copied * both;
}

const texts = new Set<ColumnKind>(["name", "text", "long", "list"]);
export const isText = (kind: ColumnKind): boolean => texts.has(kind);
const namingHeader = /name|title|label/i;
const notNaming = /program|given|first|last|sur|agency/i;

/** The text column that names its row best. */
function namingField(fields: readonly Field[]): number {
  let [best, bestScore] = [-1, -Infinity];
  fields.forEach(({ name, other, kind, profile: { rows, filled, distinct, shares } }, index) => {
    if (!isText(kind)) return;
    const headers = `${name} ${other}`;
    let score = (0.8 * filled) / rows + (0.5 * distinct) / Math.max(1, filled);
    if (namingHeader.test(headers) && !notNaming.test(headers)) score += 0.3;
    if (shares.words > 12) score -= 0.3;
    if (shares.digits > 0.8) score -= 0.3;
    if (score > bestScore) [best, bestScore] = [index, score];
  });
  return best;
}
