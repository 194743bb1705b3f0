/** Where learning starts, worked out by hand. */
import { expect, it } from "vitest";
import { probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { startingPosteriors } from "../../../src/match/weights/start.js";

it("of one table, as many pairs as an eighth of the rows are seeded: those that agree where few do, of equal ones the first", () => {
  const pairs = 60;
  // Three pairs agree in what no other pair agrees in, nine in what fewer agree in than differ.
  const rare = Int8Array.from({ length: pairs }, (_, pair) => (pair % 20 === 7 ? 2 : 0));
  const common = Int8Array.from({ length: pairs }, (_, pair) =>
    pair % 20 === 7 ? 0 : pair % 6 === 1 ? 2 : 0,
  );
  const column = { from: -1, levels: 3, share: 1, differs: 1, agrees: 2, identifies: true, comparison: "" };
  const table: PairTable = {
    ...{ isOneTable: true, rows: [40, 40] as const, levels: [rare, common], classOf: everyPair(pairs) },
    ...{ left: Int32Array.from(rare.keys()), right: Int32Array.from(rare, (_, pair) => pair + 1) },
    columns: ["a", "b"].map((name, field) => ({ ...column, name, field, unit: field })),
    random: [rare, common],
  };
  const { match, related } = startingPosteriors(table, "many-to-many", [1, 1]);
  const all = Array.from({ length: pairs }, (_, pair) => probabilityAt(table, match, pair));
  const seeds = [...all.keys()].filter((pair) => all[pair] === 0.9);
  // 40 rows give five: the three, and the first two of the nine.
  expect(seeds).toEqual([1, 7, 13, 27, 47]);
  expect(all.filter((probability) => probability === 0.001)).toHaveLength(pairs - 5);
  expect(probabilityAt(table, related!, 7)).toBeCloseTo(0.02, 10);
});
