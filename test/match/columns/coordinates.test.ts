import { expect, it } from "vitest";
import { coordinatesOf } from "../../../src/match/columns/coordinates.js";
import type { ColumnKind } from "../../../src/match/columns/profile.js";

const columns = (names: readonly string[], kind: ColumnKind = "number") =>
  names.map((name) => ({ name, other: name, kind }));
const found = (...names: string[]) => {
  const places = coordinatesOf(columns(names));
  return places && [places.latitude.name, places.longitude.name];
};

it("are two columns of numbers whose headers say so", () => {
  expect(found("id", "lon", "lat")).toEqual(["lat", "lon"]);
  expect(found("Latitude (WGS84)", "Longitude (WGS84)")).toEqual(["Latitude (WGS84)", "Longitude (WGS84)"]);
  expect(found("placeLat", "placeLng")).toEqual(["placeLat", "placeLng"]);
  expect(found("Längengrad", "Breitengrad")).toEqual(["Breitengrad", "Längengrad"]);
});

it("are none where one is missing, where there are several, or where they are sizes or texts", () => {
  expect(found("lat", "price")).toBeUndefined();
  expect(found("home lat", "home lon", "work lat", "work lon")).toBeUndefined();
  expect(found("Länge", "Breite")).toBeUndefined();
  expect(coordinatesOf(columns(["lat", "lon"], "text"))).toBeUndefined();
});
