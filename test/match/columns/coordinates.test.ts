import { describe, expect, it } from "vitest";
import { duplicatesByColumns } from "../../../src/group/roads.js";
import { matchTables } from "../../../src/join/match-tables.js";
import { cellsOfColumn } from "../../../src/match/columns/column-names.js";
import { composedTables } from "../../../src/match/columns/composed.js";
import {
  coordinatesOf,
  degreesOf,
  plainDegrees,
  withAxes,
  withDegrees,
} from "../../../src/match/columns/coordinates.js";
import type { ColumnKind } from "../../../src/match/columns/profile.js";
import { createRandom } from "../../../src/random.js";

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

describe("one column of both coordinates", () => {
  it.each([
    ["52.52, 13.40", ["52.52", "13.40"]],
    ["52.52,13.4", ["52.52", "13.4"]],
    ["(52,52; -13,4)", ["52.52", "-13.4"]],
    ["52,52 13,4", ["52.52", "13.4"]],
    ["POINT(13.4 52.52)", ["13.4", "52.52"]],
    ["SRID=4326;POINT (13.4 52.52)", ["13.4", "52.52"]],
    ["[13.4, 52]", ["13.4", "52"]],
    ["52°31'12\"N 13°24'18\"E", ["52.520000", "13.405000"]],
    ["33.5° S, 70.5° W", ["-33.5", "-70.5"]],
    ["52.52/13.4", ["52.52", "13.4"]],
    ["52.52° / 13°", ["52.52", "13"]],
    ["3.4/2", undefined],
    ["3/2.5", undefined],
    ["52, 13", undefined],
    ["Ulm, Germany", undefined],
    ["1.5, 2.5, 3.5", undefined],
    ["", undefined],
  ])("holds two numbers: %s", (cell, pair) => {
    expect(degreesOf(cell)).toEqual(pair);
  });

  const columnsOf = (header: string, cells: string[], options = {}) =>
    Object.entries(withAxes({ name: cells.map(() => "x"), [header]: cells }, options)).slice(1);

  it("is compared as two, whichever of its numbers is the latitude", () => {
    const axes = (header: string) => [
      [`${header} latitude`, ["52.5", "48.1"]],
      [`${header} longitude`, ["13.4", "11.5"]],
    ];
    expect(columnsOf("geo", ["52.5, 13.4", "48.1, 11.5"])).toEqual(axes("geo"));
    expect(columnsOf("lat_lon", ["52.5 13.4", "48.1 11.5"])).toEqual(axes("lat_lon"));
    expect(columnsOf("lonLat", ["13.4 52.5", "11.5 48.1"])).toEqual(axes("lonLat"));
    expect(columnsOf("geom", ["POINT(13.4 52.5)", "POINT(11.5 48.1)"])).toEqual(axes("geom"));
    // More than 90 degrees are a longitude.
    expect(columnsOf("position", ["120.5 31.2", "", "13.4 52.5"])).toEqual([
      ["position latitude", ["31.2", "", "52.5"]],
      ["position longitude", ["120.5", "", "13.4"]],
    ]);
  });

  it("is compared as two though one cell in twenty is none, or written otherwise", () => {
    for (const odd of ["unknown", "999.5, 13.4", "[52.5, 13.4]"]) {
      const found = columnsOf("geo", [...Array.from({ length: 39 }, () => "52.5, 13.4"), odd]);
      expect(found.map(([name, cells]) => [name, cells[0]])).toEqual([
        ["geo latitude", "52.5"],
        ["geo longitude", "13.4"],
      ]);
    }
  });

  it("stays whole where the other table has none, or is named beside two others", () => {
    const [name, geo] = [
      ["a", "b"],
      ["52.5, 13.4", "48.1, 11.5"],
    ];
    const left = { name, geo };
    const others: Record<string, string[]>[] = [
      { name, geo: ["Ulm", "Bonn"] },
      { name, place: geo },
    ];
    for (const right of others) {
      expect(Object.keys(composedTables({ left, right }, {}).left)).toEqual(["name", "geo"]);
      expect(Object.keys(composedTables({ left: right, right: left }, {}).right)).toEqual(["name", "geo"]);
    }
    const two = { name, lat: ["52.5", "48.1"], lon: ["13.4", "11.5"] };
    expect(Object.keys(composedTables({ left, right: two }, {}).left)).toHaveLength(3);
    const named = composedTables({ left, right: two }, { on: ["name", "geo=lat + lon"] });
    expect(Object.keys(named.left)).toEqual(["name", "geo"]);
  });

  it("stays whole where header or cells say otherwise, beside others, and where something is said of it", () => {
    const cells = ["52.5, 13.4", "48.1, 11.5"];
    const isWhole = (header: string, own = cells, options = {}): void =>
      expect(columnsOf(header, own, options)).toEqual([[header, own]]);
    isWhole("size", cells);
    isWhole("location", ["Ulm, Germany", "Bonn, Germany"]);
    isWhole("position", ["120.5, 131.2", "13.4, 52.5"]);
    for (const options of [
      { ignore: ["geo"] },
      { kindOf: { geo: "text" } },
      { same: ["name + geo"] },
      { never: ["geo=geom"] },
    ])
      isWhole("geo", cells, options);
    const table = { geo: cells, lat: ["1.5", "2.5"] };
    expect(withAxes(table, {})).toBe(table);
    expect(withAxes({ geo: cells, gps: cells }, {})).toEqual({ geo: cells, gps: cells });
  });

  const random = createRandom(5);
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)];
  const places = Array.from({ length: 150 }, () => ({
    name: `${one(["Spring", "Green", "Mill", "Rock"])}${one(["field", "brook", "dale"])}`,
    at: [45 + 10 * random(), 5 + 10 * random()],
  }));
  const moved = places.slice(0, 80).map(({ name, at }) => {
    return { name: name.toUpperCase(), at: at.map((degrees) => degrees + 0.0004 * (random() - 0.5)) };
  });
  const written = (rows: typeof places, cell: (latitude: string, longitude: string) => string): string[] =>
    rows.map(({ at: [latitude, longitude] }) => cell(latitude.toFixed(4), longitude.toFixed(4)));
  const left = { place: places.map(({ name }) => name), geo: written(places, (y, x) => `${y}, ${x}`) };
  const others = {
    geo: written(moved, (y, x) => `${y}, ${x}`),
    geom: written(moved, (y, x) => `POINT(${x} ${y})`),
    lat: written(moved, (y) => y),
    lon: written(moved, (_, x) => x),
  };

  it.each([
    [["geo"], undefined],
    [["geom"], undefined],
    [["lat", "lon"], undefined],
    [["geo"], ["place", "geo"]],
    [["geom"], ["place", "geo=geom"]],
  ] as const)("finds places of one name by distance: %s, --on %s", async (columns, on) => {
    const right = {
      place: moved.map(({ name }) => name),
      ...Object.fromEntries(columns.map((name) => [name, others[name]])),
    };
    const { matches } = await matchTables(left, right, { encoder: "none", on });
    expect(matches.length).toBeGreaterThan(75);
    expect(matches.filter((pair) => pair.left !== pair.right)).toEqual([]);
  });

  it("is shown as it was given where no column names the rows", async () => {
    const code = places.map((_, row) => `K${row}${(row * 7919) % 1000}`);
    const twice = (cells: readonly string[]): string[] => [...cells, ...cells.slice(0, 40)];
    const table = { code: twice(code), location: twice(left.geo) };
    const { shown } = await duplicatesByColumns(table, { encoder: "none", known: [] });
    expect(shown.toSorted()).toEqual(["code", "location"]);
    expect(cellsOfColumn(table, "location latitude")).toBe(table.location);
  });
});
