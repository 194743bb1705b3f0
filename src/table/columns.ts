/** Chooses the column that holds the phrases, and says so when the choice fails. */
import { closest, distance } from "fastest-levenshtein";
import { TableError } from "../errors.js";
import { isNumeric, usualNames } from "./read/header.js";

export interface ColumnInfo {
  readonly name: string;
  /** Whether the column holds text (not numbers, dates, lists ...). */
  readonly isText: boolean;
  readonly sample: readonly string[];
}

/**
 * The index of the phrase column: the one asked for by name (exactly, else without case) or by 1-based
 * number; else the only column; else the first with a usual name; else the first text column that holds
 * neither numbers nor identifiers. Throws TableError with the names that exist.
 */
export function choosePhraseColumn(path: string, columns: ColumnInfo[], wanted: string | undefined): number {
  const names = columns.map((column) => column.name);
  if (wanted !== undefined) return findColumn(path, names, wanted);
  if (columns.length === 1) return 0;
  for (const usual of usualNames().phrases) {
    const index = columns.findIndex((column) => column.isText && column.name.trim().toLowerCase() === usual);
    if (index >= 0) return index;
  }
  const texts = columns.filter(({ isText }) => isText);
  const phrases = texts.find((column) => !isIdentifier(column)) ?? texts[0];
  if (phrases !== undefined) return columns.indexOf(phrases);
  throw new TableError(`${path}: no column holds text (${listed(names)}). Name one with --column.`);
}

/** What the column of a table of one column is called where no header names it. */
export const unnamedColumn = "phrase";

/** The index of a column given by name or 1-based number. Throws TableError that suggests near names. */
export function findColumn(path: string, names: string[], wanted: string): number {
  const named = namedColumn(names, wanted);
  if (named >= 0) return named;
  const number = /^[1-9]\d*$/.test(wanted) ? Number(wanted) : 0;
  if (number > names.length) {
    throw new TableError(
      `${path}: there is no column ${number}, only ${names.length} (${listed(names)}). Choose one of these.`,
    );
  }
  if (number > 0) return number - 1;
  const near = nearestName(names, wanted);
  const suggestion = near === undefined ? "Choose one of these." : `Did you mean "${near}"?`;
  // Names of columns that have none: a header may have been read as a row.
  const isUnnamed = names.every((name, at) => name === `column${at + 1}`) || names.join() === unnamedColumn;
  const cure = isUnnamed ? "If the first line names them, add --header." : suggestion;
  throw new TableError(`${path}: no column "${wanted}". The columns are ${listed(names)}. ${cure}`);
}

/** The index of the column of this name, in any letter case if none is exact; -1 where there is none. */
export function namedColumn(names: readonly string[], wanted: string): number {
  const exact = names.indexOf(wanted);
  if (exact >= 0) return exact;
  return names.findIndex((name) => name.trim().toLowerCase() === wanted.trim().toLowerCase());
}

/** The name that a mistyped one stands for, if one is near enough. */
export function nearestName(names: readonly string[], wanted: string): string | undefined {
  const near = closest(
    wanted.toLowerCase(),
    names.map((name) => name.toLowerCase()),
  );
  if (names.length === 0 || distance(near, wanted.toLowerCase()) > Math.max(2, wanted.length / 3))
    return undefined;
  return names.find((name) => name.toLowerCase() === near);
}

function isIdentifier(column: ColumnInfo): boolean {
  const names = /^(.*[_ ])?(id|ids|uuid|guid|key|code|url|uri|index|date|year|email)$/i;
  return (
    names.test(column.name.trim()) ||
    column.sample.every((value) => value === "" || looksLikeIdentifier(value))
  );
}

/** An address, a date, a UUID, a code. */
const identifierForms = [
  /^https?:\/\//i,
  /^\d{4}-\d\d-\d\d/,
  /^[0-9a-f]{8}-[0-9a-f-]{27}$/i,
  /^[A-Za-z]{0,4}[-_:]?\d+$/,
];

const looksLikeIdentifier = (value: string): boolean =>
  isNumeric(value) || identifierForms.some((form) => form.test(value));

/** Names for a message: quoted where they hold commas, and not more than twelve. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => (/[,\s]/.test(name) ? `"${name}"` : name));
  return names.length > 12 ? `${shown.join(", ")} and ${names.length - 12} more` : shown.join(", ");
}
