import { describe, expect, it } from "vitest";
import { withStore } from "../../src/link/store.js";
import { type Table, tableWithDuplicates } from "../match/people.js";
import { link, workFolder } from "./linking.js";

const { write, newStore } = workFolder("terms");

interface Counted {
  readonly term: number;
  readonly count: number;
  readonly rows: readonly number[];
}

/** The count of each term of a store, and the current rows that its lists name. */
const countsOf = (store: string): Promise<Counted[]> =>
  withStore(store, "existing", async (opened) => {
    const [terms, runs, counts, lists] = await opened.columns<[number, number, number, Uint8Array | null]>(
      "SELECT term, run, count, rows FROM term WHERE until IS NULL",
    );
    const current = new Map(
      (
        await opened.query<{ row: number; run: number }>('SELECT "row", run FROM "row" WHERE until IS NULL')
      ).map(({ row, run }) => [row, run]),
    );
    const found = new Map<number, { count: number; rows: number[] }>();
    terms.forEach((term, at) => {
      const entry = found.get(term) ?? { count: 0, rows: [] };
      found.set(term, entry);
      entry.count += counts[at];
      const rows = new Uint32Array(Uint8Array.from(lists[at] ?? []).buffer);
      entry.rows.push(...[...rows].filter((row) => current.get(row)! <= runs[at]));
    });
    return [...found]
      .filter(([, { count }]) => count !== 0)
      .map(([term, { count, rows }]) => ({ term, count, rows: rows.sort((a, b) => a - b) }))
      .sort((a, b) => a.term - b.term);
  });

describe("the terms of a store", () => {
  it("are those of its rows, whether added, changed and added again or counted anew", async () => {
    const { table, entities } = tableWithDuplicates(60);
    const keyed: Table = { id: entities.map((_, row) => `k${row}`), ...table };
    const [most, all] = [[...entities.keys()].slice(0, -20), [...entities.keys()]];
    const store = newStore();
    await link(write("keyed.csv", keyed, most), store, { key: "id" });
    const moved = { ...keyed, city: keyed.city.map((city, row) => (row < 9 ? keyed.city[row + 20] : city)) };
    const changed = await link(write("keyed.csv", moved, most), store, { key: "id", learn: "never" });
    expect(changed.changed).toBeGreaterThan(4);
    const added = await link(write("keyed.csv", moved, all), store, { key: "id", learn: "never" });
    expect(added).toMatchObject({ added: 20, hasLearned: false });
    const step = await countsOf(store);
    expect(step.some(({ count, rows }) => rows.length === count && count > 1)).toBe(true);
    const again = await link(write("keyed.csv", moved, all), store, { key: "id", learn: "again" });
    expect(again.hasLearned).toBe(true);
    expect(step).toEqual(await countsOf(store));
  });
});
