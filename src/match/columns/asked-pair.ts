/** Reads which columns of two tables "name=title" names. Headers may contain "=": the longest ones that exist are meant. */
import { ArgumentError } from "../../errors.js";
import type { AlignedNames, TableColumns } from "./align.js";
import { partsOfColumn } from "./column-parts.js";

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
