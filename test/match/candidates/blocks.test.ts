import { expect, it } from "vitest";
import { equalCodes, nearPlaces } from "../../../src/match/candidates/blocks.js";
import { coordinatesOf } from "../../../src/match/columns/coordinates.js";
import { type Field, prepareTables } from "../../../src/match/columns/fields.js";
import { createRandom } from "../../../src/random.js";

const rows = 400;
/** Codes of few values: alone they are common, two of them together are rare. */
const coded = (header: string, values: number, seed: number): [string, string[]] => {
  const random = createRandom(seed);
  return [header, Array.from({ length: rows }, () => `K${Math.floor(random() * values)}`)];
};

async function pairsOf(headers: readonly string[]): Promise<Set<string>> {
  const columns = headers.map((header, at) => coded(header, 8 + 3 * at, at));
  const { fields } = prepareTables(Object.fromEntries(columns), undefined, {
    kindOf: Object.fromEntries(headers.map((header) => [header, "code"])),
  });
  const { order } = prepareTables(Object.fromEntries(columns), undefined);
  const found = new Set<string>();
  await equalCodes(fields as Field[], { isOneTable: true }, (a, b) => {
    found.add([order[0][a], order[0][b]].sort((x, y) => x - y).join());
  });
  return found;
}

it("combines the columns that tell most, whatever their headers are", async () => {
  const headers = Array.from({ length: 9 }, (_, at) => `code ${at}`);
  const found = await pairsOf(headers);
  expect(found).toEqual(await pairsOf([...headers].reverse()));
  const [first, second] = [7, 8].map((at) => coded("", 8 + 3 * at, at)[1]);
  for (let a = 0; a < rows; a++)
    for (let b = a + 1; b < rows; b++)
      if (first[a] === first[b] && second[a] === second[b]) expect(found).toContain(`${a},${b}`);
});

/** Places in a square of ten degrees, half of them near an earlier one; every fifth lacks its longitude. */
function places(count: number, seed: number) {
  const random = createRandom(seed);
  const lat: string[] = [];
  const lon: string[] = [];
  for (let row = 0; row < count; row++) {
    const near = row % 2 === 1 ? row - 1 : undefined;
    const [y, x] = [lat, lon].map((own) =>
      near === undefined ? 10 * random() : Number(own[near]) + 0.02 * random() - 0.01,
    );
    lat.push(y.toFixed(4));
    lon.push(x.toFixed(4));
  }
  return { lat, lon: lon.map((cell, row) => (row % 5 === 4 ? "" : cell)) };
}

it.each(["one table", "two tables"])(
  "finds the rows of %s that are near by both coordinates, or by one",
  async (many) => {
    const [left, right] = [places(300, 1), many === "one table" ? undefined : places(200, 1)];
    const { fields, order, isOneTable } = prepareTables(left, right);
    const found = new Set<string>();
    await nearPlaces(coordinatesOf(fields)!, { isOneTable, k: 4 }, (a, b) => {
      const pair = [order[0][a], order[1][b]];
      found.add((isOneTable ? pair.sort((x, y) => x - y) : pair).join());
    });
    const other = right ?? left;
    const apart = (a: string, b: string) =>
      a === "" || b === "" ? Number.NaN : Math.abs(Number(a) - Number(b));
    const [near, far] = [new Set<string>(), new Set<string>()];
    for (let a = 0; a < left.lat.length; a++)
      for (let b = isOneTable ? a + 1 : 0; b < other.lat.length; b++) {
        const [y, x] = [apart(left.lat[a], other.lat[b]), apart(left.lon[a], other.lon[b])];
        if (y <= 0.02 && x <= 0.02) near.add(`${a},${b}`);
        if (Math.min(y, Number.isNaN(x) ? y : x) > 0.04) far.add(`${a},${b}`);
      }
    expect(near.size).toBeGreaterThan(50);
    expect(far.size).toBeGreaterThan(10_000);
    expect([...near].filter((pair) => !found.has(pair))).toEqual([]);
    expect([...found].filter((pair) => far.has(pair))).toEqual([]);
    // the pairs of rows of which one lacks its longitude
    const lacking = left.lat.flatMap((_, row) =>
      row % 2 === 1 && row % 5 === 4 ? [`${row - 1},${row}`] : [],
    );
    const met = lacking.filter(
      (pair) => found.has(pair) || (!isOneTable && Number(pair.split(",")[1]) >= 200),
    );
    expect(met.length).toBeGreaterThan(0.8 * lacking.length);
  },
);
