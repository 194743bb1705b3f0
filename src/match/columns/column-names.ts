/**
 * Reads what people call columns: "first name + last name" is made of several, and "name=title" is a pair of two tables. Headers may
 * contain "=": the longest ones that exist are meant.
 */
import { ArgumentError } from "../../errors.js";
import { isLikeArray, likeArray } from "../../like-array.js";
import { folded } from "../../text/accents.js";
import type { AlignedNames, TableColumns } from "./align.js";

export const partSeparator = " + ";

/** The columns that a name lists: itself where it is one. */
export const partsOfName = (name: string, columns: readonly string[]): readonly string[] =>
  columns.includes(name) ? [name] : name.split(partSeparator);

/** The columns that a person lists, "vat+country" or "vat + country"; a header may contain the sign. */
export const writtenParts = (text: string, isColumn: (name: string) => boolean): string[] =>
  isColumn(text)
    ? [text]
    : text.split(partSeparator).flatMap((part) => {
        const trimmed = part.trim();
        return isColumn(trimmed) ? [trimmed] : part.split("+").map((piece) => piece.trim());
      });

/** The two columns that one column of coordinates is compared as. */
export const axesOf = (name: string): readonly [string, string] => [`${name} latitude`, `${name} longitude`];

/** The column that one of these was made of, whether it exists or not. */
export const ofAxis = (name: string): string => name.replace(/ (?:latitude|longitude)$/, "");

/** Whether a column of coordinates is compared as two. */
export const hasAxes = (table: TableColumns, name: string): boolean =>
  !Object.hasOwn(table, name) && axesOf(name).every((axis) => Object.hasOwn(table, axis));

/**
 * The columns that a column of a table is made of: itself, or those that its name lists, also of coordinates that one of the two
 * tables, as given or as compared, has as one and the other as two; none where some are missing.
 */
export function partsOfColumn(table: TableColumns, name: string): readonly string[] {
  const has = (part: string): boolean => Object.hasOwn(table, part);
  const parts = partsOfName(name, Object.keys(table)).flatMap((part) => {
    if (!has(part) && has(ofAxis(part))) return [ofAxis(part)];
    return hasAxes(table, part) ? axesOf(part) : [part];
  });
  return parts.every(has) ? parts : [];
}

/** The cells of a column, or of several as one. @throws TypeError for a column that the table lacks */
export function cellsOfColumn(table: TableColumns, name: string): readonly string[] {
  return cellsOfParts(table, partsOfColumn(table, name));
}

/** The cells of several columns as one, without those that are empty. */
export function cellsOfParts(table: TableColumns, parts: readonly string[]): readonly string[] {
  const columns = parts.map((part) => table[part]);
  const [first, ...others] = columns;
  if (others.length === 0) return first;
  const at = (row: number): string => {
    const filled = columns.map((cells) => cells[row].trim()).filter((cell) => cell !== "");
    return filled.join(" ");
  };
  // Cells that lie in a file stay there.
  return columns.some(isLikeArray) ? likeArray(first.length, at) : Array.from(first, (_, row) => at(row));
}

/** An equals sign that belongs to a header may be written so. */
const escaped = "\\=";
const writtenHeader = (header: string): string => header.replaceAll("=", escaped);

/** The text that {@link readPair} reads as these headers. */
export const pairText = (left: string, right: string): string =>
  left === right ? writtenHeader(left) : `${writtenHeader(left)}=${writtenHeader(right)}`;

/**
 * The headers of a left and a right column: "name" or "name=title". Where no reading exists, the first "=" divides them.
 * @throws ArgumentError where the text may name different columns
 */
export function readPair(
  text: string,
  isLeft: (header: string) => boolean,
  isRight: (header: string) => boolean,
): AlignedNames {
  const pieces = text.split(/(?<!\\)=/).map((piece) => piece.replaceAll(escaped, "="));
  const readings = pieces.map((_, place): AlignedNames => {
    const [left, right] = [pieces.slice(0, place + 1), pieces.slice(place + 1)].map((some) => some.join("="));
    return [left, place + 1 === pieces.length ? left : right];
  });
  const longest = ([left, right]: AlignedNames): number => Math.max(left.length, right.length);
  const [best, second] = readings
    .filter(([left, right]) => isLeft(left) && isRight(right))
    .sort((a, b) => longest(b) - longest(a));
  if (best === undefined) return readings[0];
  if (second === undefined || longest(second) < longest(best)) return best;
  const [one, other] = [best, second].map(([left, right]) => `"${left}" and "${right}"`);
  throw new ArgumentError(
    `"${text}" names ${one}, or ${other}. Write \\= for an equals sign within a header: '${pairText(...best)}'.`,
  );
}

/** The same by the columns of two tables, some of which may be made of several. */
export const readPairOf = (text: string, left: TableColumns, right: TableColumns): AlignedNames =>
  readPair(
    text,
    (header) => partsOfColumn(left, header).length > 0,
    (header) => partsOfColumn(right, header).length > 0,
  );

/** The words of a header, in small letters without accents: those of "birthDate" and "birth_date" are equal. */
export const wordsOfHeader = (header: string): string[] =>
  folded(header.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")).split(/\P{L}+/u);
