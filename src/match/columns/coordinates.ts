/** Two columns of numbers that are coordinates: the latitude and the longitude of a place, in degrees. */
import { mapped } from "../../like-array.js";
import type { TableColumns } from "./align.js";
import { wordsOfHeader } from "./column-names.js";
import type { ColumnKind } from "./profile.js";

export interface Coordinates<Column> {
  readonly latitude: Column;
  readonly longitude: Column;
}

/** What headers say of latitude and of longitude. "Breite" and "Länge" are the sizes of a thing as well. */
const axes = [
  "lat latitude latitud latitudine breitengrad szerokosc",
  "lon lng long longitude longitud longitudine langengrad laengengrad dlugosc",
].map((words) => new Set(words.split(" ")));
const saysAxis = (header: string, axis: number): boolean =>
  wordsOfHeader(header).some((word) => axes[axis].has(word));

interface NumberColumn {
  readonly name: string;
  readonly other: string;
  readonly kind: ColumnKind;
}

/** The coordinates among the columns of two tables; undefined where there are none, or several. */
export function coordinatesOf<Column extends NumberColumn>(
  columns: readonly Column[],
): Coordinates<Column> | undefined {
  const [latitude, longitude] = axes.map((_, axis) => {
    const found = columns.filter(
      ({ name, other, kind }) => kind === "number" && saysAxis(name, axis) && saysAxis(other, axis),
    );
    return found.length === 1 ? found[0] : undefined;
  });
  return latitude && longitude && { latitude, longitude };
}

/** Cells that show in which notation a column is written. */
const mostSeen = 1000;

/** Degrees, minutes and seconds with a direction, or one number: 52°31'12"N, 52,519, 13.4° E. */
const written =
  /^([-−+]?)(\d{1,3})(?:[.,](\d+))?\s*°?\s*(?:(\d{1,2})\s*['′’]\s*)?(?:(\d{1,2}(?:[.,]\d+)?)\s*["″”]\s*)?([NSEW]?)$/i;

/** A coordinate as a number with a point; other texts as they are. */
export function plainDegrees(cell: string): string {
  const [all, sign, whole, fraction, minutes, seconds, direction] = written.exec(cell.trim()) ?? [];
  if (all === undefined || (fraction !== undefined && minutes !== undefined)) return cell;
  const isNegative = sign === "-" || sign === "−" || /[SW]/i.test(direction);
  const parts = [minutes, seconds].map((part) => Number((part ?? "0").replace(",", ".")));
  const degrees =
    minutes === undefined && seconds === undefined
      ? `${whole}${fraction === undefined ? "" : `.${fraction}`}`
      : (Number(whole) + parts[0] / 60 + parts[1] / 3600).toFixed(6);
  return `${isNegative ? "-" : ""}${degrees}`;
}

/** The table with coordinates as numbers with a point, where two headers say that they are coordinates. */
export function withDegrees(table: TableColumns): TableColumns {
  const found = axes.map((_, axis) => Object.keys(table).filter((name) => saysAxis(name, axis)));
  if (found.some(({ length }) => length !== 1)) return table;
  const isOther = (cells: readonly string[]): boolean =>
    cells.slice(0, mostSeen).some((cell) => plainDegrees(cell) !== cell);
  const changed = found.flat().filter((name) => isOther(table[name]));
  return {
    ...table,
    ...Object.fromEntries(changed.map((name) => [name, mapped(table[name], plainDegrees)])),
  };
}
