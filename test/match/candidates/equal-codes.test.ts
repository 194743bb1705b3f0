import { expect, it } from "vitest";
import { equalCodes } from "../../../src/match/candidates/row-candidates.js";
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
