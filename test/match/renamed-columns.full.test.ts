/** What columns are called changes nothing but how a row is named ("name", "title") and which column is an id. */
import { describe, expect, it } from "vitest";
import { groupRows } from "../../src/group/group-rows.js";
import { matchTables } from "../../src/join/match-tables.js";
import { createRandom, shuffled } from "../../src/random.js";
import { type Table, tableWithDuplicates, twoTables } from "./people.js";

const run = { encoder: "none", threads: 1 } as const;
/** Columns of codes with few values each, of which only two together find a row. */
const coded = (table: Table, columns: number): Table => ({
  ...table,
  ...Object.fromEntries(
    Array.from({ length: columns }, (_, column) => [
      `code ${column}`,
      table.name.map((_, row) => {
        const random = createRandom(
          1000 * column + table.phone[row].length + Number(table.phone[row].slice(-6)),
        );
        return random() < 0.1 ? "" : `K${Math.floor(random() * (4 + column))}`;
      }),
    ]),
  ),
});

/** The columns under other headers, in another order. */
function renamed(table: Table, seed: number): Table {
  const names = Object.keys(table);
  const order = [...shuffled(names.length, createRandom(seed))];
  return Object.fromEntries(
    order.map((place) => [`${"zyx"[place % 3]}${(place * 7) % 23}`, table[names[place]]]),
  );
}

const estimateOf = ({ estimate, low, high }: { estimate: number; low: number; high: number }) =>
  [estimate, low, high].map((share) => share.toFixed(9));

describe("renamed columns", () => {
  it("of two tables give the same pairs and estimates", async () => {
    const seed = 2;
    const { left, right } = twoTables(50, 15, seed);
    const tables = [coded(left, 7), coded(right, 7)] as const;
    const given = await matchTables(...tables, run);
    const found = await matchTables(renamed(tables[0], seed), renamed(tables[1], seed), run);
    expect(given.matches.length).toBeGreaterThan(30);
    expect(found.matches.map(({ left, right }) => [left, right])).toEqual(
      given.matches.map(({ left, right }) => [left, right]),
    );
    expect(estimateOf(found)).toEqual(estimateOf(given));
  });

  it("of one table give the same groups and estimates", async () => {
    const table = coded(tableWithDuplicates(40, 4).table, 7);
    const [given, found] = [await groupRows(table, run), await groupRows(renamed(table, 5), run)];
    expect([...found.groupOf]).toEqual([...given.groupOf]);
    expect(estimateOf(found)).toEqual(estimateOf(given));
  });
});
