/** Two columns of numbers that are coordinates: the latitude and the longitude of a place, in degrees. */
import { wordsOfHeader } from "./column-names.js";
import type { ColumnKind } from "./profile.js";

export interface Coordinates<Column> {
  readonly latitude: Column;
  readonly longitude: Column;
}

/** What headers say. "Breite" and "Länge" are the sizes of a thing as well. */
const words = {
  latitude: "lat latitude latitud latitudine breitengrad szerokosc",
  longitude: "lon lng long longitude longitud longitudine langengrad laengengrad dlugosc",
};

interface NumberColumn {
  readonly name: string;
  readonly other: string;
  readonly kind: ColumnKind;
}

/** The coordinates among the columns of two tables; undefined where there are none, or several. */
export function coordinatesOf<Column extends NumberColumn>(
  columns: readonly Column[],
): Coordinates<Column> | undefined {
  const [latitude, longitude] = [words.latitude, words.longitude].map((text) => {
    const own = new Set(text.split(" "));
    const saysSo = (header: string): boolean => wordsOfHeader(header).some((word) => own.has(word));
    const found = columns.filter(
      ({ name, other, kind }) => kind === "number" && saysSo(name) && saysSo(other),
    );
    return found.length === 1 ? found[0] : undefined;
  });
  return latitude && longitude && { latitude, longitude };
}
