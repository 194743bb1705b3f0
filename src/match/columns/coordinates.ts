/**
 * Columns of coordinates, the latitude and the longitude of a place in degrees: two of numbers, or one of both, which is compared
 * as two.
 */
import { mapped } from "../../like-array.js";
import type { NamedTable } from "../../table/whole-table.js";
import type { TableColumns } from "./align.js";
import { axesOf, wordsOfHeader, writtenParts } from "./column-names.js";
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

/** What headers say of a column of both. A place of another kind, such as a city, is no pair of degrees. */
const ofBoth = new Set(
  (
    "coordinates coordinate coords coord location geolocation position gps geo geopoint point geom geometry wkt latlon latlng " +
    "latlong lonlat lnglat longlat koordinaten koordinate standort coordonnees coordenadas ubicacion coordinata coordinate " +
    "posizione wspolrzedne"
  ).split(" "),
);
const saysBoth = (header: string): boolean =>
  wordsOfHeader(header).some((word) => ofBoth.has(word)) || axes.every((_, axis) => saysAxis(header, axis));

/** Share of the filled cells that are such pairs. */
const leastPairs = 0.95;
/** In degrees, of latitude and of longitude. */
const limits = [90, 180] as const;
/** What divides two degrees, the surest first: a comma may belong to a number, a space to one in minutes, a slash to a fraction. */
const dividers = [/\s*[;|]\s*/, /(?<=[.,°].*)\s*\/\s*(?=.*[.,°])/, /,\s+/, /\s+/, /,/];

type Pair = readonly [string, string];

/** Two numbers of degrees, one of them with decimals: "52.52, 13.40", "(52,52; 13,4)", "POINT(13.4 52.52)", "52°31'N 13°24'E". */
export function degreesOf(cell: string): Pair | undefined {
  const inner = cell.trim().replace(/^(?:SRID=\d+;)?\s*(?:POINT\s*)?[([](.*)[)\]]$/is, "$1");
  for (const divider of dividers) {
    const parts = inner.trim().split(divider);
    if (parts.length !== 2) continue;
    const [first, second] = parts.map(plainDegrees);
    const isDegrees = [first, second].every((part) => /^-?\d+(?:\.\d+)?$/.test(part));
    if (isDegrees && (first + second).includes(".")) return [first, second];
  }
  return undefined;
}

/** Which of its two numbers a column has first; undefined where its cells are no coordinates. */
function orderOf(
  cells: readonly string[],
  header: string,
): readonly [latitude: 0 | 1, longitude: 0 | 1] | undefined {
  const filled = cells.slice(0, mostSeen).filter((cell) => cell.trim() !== "");
  const pairs = filled.flatMap((cell) => [degreesOf(cell) ?? []]).filter((pair) => pair.length === 2);
  if (filled.length === 0 || pairs.length < leastPairs * filled.length) return undefined;
  const isWithin = (latitude: 0 | 1): boolean =>
    pairs.filter((pair) =>
      limits.every((most, axis) => Math.abs(Number(pair[axis === 0 ? latitude : 1 - latitude])) <= most),
    ).length >=
    leastPairs * pairs.length;
  const [lon, lat] = [/l(?:on|ng)/i, /lat/i].map((axis) => header.search(axis));
  // Well-known text and GeoJSON have the longitude first.
  const isTurned =
    (lon >= 0 && lon < lat) ||
    2 * filled.filter((cell) => /^\s*(?:\[|POINT|SRID)/i.test(cell)).length > filled.length;
  if (isTurned ? isWithin(1) : !isWithin(0) && isWithin(1)) return [1, 0];
  return isWithin(0) ? [0, 1] : undefined;
}

/** What a caller may say of columns, by name or in rules. */
interface SaidOfColumns {
  readonly ignore?: readonly string[];
  readonly kindOf?: Readonly<Record<string, unknown>>;
  readonly comparisons?: ReadonlyMap<string, unknown>;
  readonly same?: readonly string[];
  readonly never?: readonly string[];
}

/**
 * The table with two columns in place of the one that holds both coordinates, where a header says so, its cells are, and there
 * are no others. What the caller says of that column, but for that it is compared, keeps it whole.
 */
export function withAxes(
  table: TableColumns,
  { ignore = [], kindOf = {}, comparisons, same = [], never = [] }: SaidOfColumns,
): TableColumns {
  const names = Object.keys(table);
  if (axes.some((_, axis) => names.some((name) => saysAxis(name, axis) && !saysBoth(name)))) return table;
  const said = new Set([...ignore, ...Object.keys(kindOf), ...(comparisons?.keys() ?? [])]);
  const isColumn = (name: string): boolean => names.includes(name);
  const inRules = [...same, ...never]
    .flatMap((rule) => rule.split("="))
    .flatMap((rule) => writtenParts(rule, isColumn));
  const found = names.flatMap((name) => {
    if (said.has(name) || inRules.includes(name) || !saysBoth(name)) return [];
    const order = orderOf(table[name], name);
    return order === undefined ? [] : [{ name, order }];
  });
  if (found.length !== 1) return table;
  const [{ name, order }] = found;
  const ofAxis = (axis: 0 | 1) => mapped(table[name], (cell) => degreesOf(cell)?.[order[axis]] ?? "");
  return Object.fromEntries(
    names.flatMap((other) =>
      other === name
        ? axesOf(name).map((axis, at) => [axis, ofAxis(at === 0 ? 0 : 1)])
        : [[other, table[other]]],
    ),
  );
}

/** The columns of a table, and those that one of coordinates is compared as, of which a caller may say something. */
export const comparedNames = ({
  description,
  columns,
}: Pick<NamedTable, "description" | "columns">): string[] => [
  ...new Set([...description.columns, ...Object.keys(withAxes(columns, {}))]),
];

/** The names of the only columns of latitudes and of longitudes; undefined where there is none, or several. */
export function axisColumns(names: readonly string[]): Record<"latitude" | "longitude", string | undefined> {
  const [latitude, longitude] = axes.map((_, axis) => {
    const found = names.filter((name) => saysAxis(name, axis));
    return found.length === 1 ? found[0] : undefined;
  });
  return { latitude, longitude };
}

/** Whether of the columns one holds the latitudes, and another one the longitudes. */
export function haveAxes(names: readonly string[]): boolean {
  const { latitude, longitude } = axisColumns(names);
  return latitude !== undefined && longitude !== undefined && latitude !== longitude;
}
