import { expect, it } from "vitest";
import { coordinatesOf, plainDegrees, withDegrees } from "../../../src/match/columns/coordinates.js";
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

it.each([
  ["52.519", "52.519"],
  ["52,519", "52.519"],
  ["-0,5", "-0.5"],
  [" 13.4° ", "13.4"],
  ["13.4 W", "-13.4"],
  ["52°31'12\"N", "52.520000"],
  ["33° 51′ S", "-33.850000"],
  ["Berlin", "Berlin"],
  ["", ""],
  ["1.234,5", "1.234,5"],
])("in another notation are numbers with a point: %s", (cell, plain) => {
  expect(plainDegrees(cell)).toBe(plain);
});

it("are read as numbers only where both headers say so", () => {
  const table = { name: ["Berlin"], lat: ["52,519"], lon: ["13,405"] };
  expect({ ...withDegrees(table), name: ["Berlin"] }).toMatchObject({ name: ["Berlin"] });
  expect([...withDegrees(table).lat, ...withDegrees(table).lon]).toEqual(["52.519", "13.405"]);
  const other = { lat: ["52,519"], price: ["13,405"] };
  expect(withDegrees(other)).toBe(other);
});
