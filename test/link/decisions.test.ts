/** What a person decided holds from then on, until the same pair is decided again. */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Table, tableWithDuplicates } from "../match/people.js";
import { link, workFolder } from "./linking.js";

const { path, write, newStore } = workFolder("decisions");
const { table, entities } = tableWithDuplicates(100);
/** Too few rows for the promise; the last one has the cells of the first. */
const rows = [...Array.from({ length: 40 }, (_, row) => row), 0];
const few = Object.fromEntries(
  Object.entries(table).map(([name, cells]) => [name, rows.map((row) => cells[row])]),
);
const keyed: Table = { id: rows.map((_, place) => `k${place}`), ...few };
/** Rows of two persons, from 1. */
const [one, other] = [1, 1 + entities.findLastIndex((entity, row) => row < 40 && entity !== entities[0])];

/** Links the rows, with decisions on pairs of rows. */
async function decide(
  store: string,
  decisions: readonly [number, number, "yes" | "no"][] = [],
  given = keyed,
) {
  const review = decisions.length > 0 ? path("review.csv") : undefined;
  const lines = decisions.map(([left, right, decision]) => `${decision},${left},${right}\n`);
  if (review !== undefined) writeFileSync(review, `decision,left_row,right_row\n${lines.join("")}`);
  const report = await link(write("few.csv", given), store, { key: "id", review });
  expect(report.linked).toBe("equal");
  return (left: number, right: number) => report.entityOf[left - 1] === report.entityOf[right - 1];
}

describe("decisions while the promise is refused", () => {
  it("are replaced by the last one on the same pair", async () => {
    const store = newStore();
    expect((await decide(store, [[one, other, "yes"]]))(one, other)).toBe(true);
    expect((await decide(store, [[other, one, "no"]]))(one, other)).toBe(false);
    expect((await decide(store))(one, other)).toBe(false);
  });

  it("keep equal rows apart", async () => {
    const store = newStore();
    expect((await decide(store))(1, rows.length)).toBe(true);
    expect((await decide(store, [[1, rows.length, "no"]]))(1, rows.length)).toBe(false);
  });

  it("hold when a cell of a row changes", async () => {
    const store = newStore();
    await decide(store, [[one, other, "yes"]]);
    const city = keyed.city.map((cell, row) => (row === other - 1 ? "Zwickau" : cell));
    expect((await decide(store, [], { ...keyed, city }))(one, other)).toBe(true);
  });

  it("hold when rows become equal", async () => {
    const store = newStore();
    await decide(store, [[one, other, "no"]]);
    const equal = Object.entries(keyed).map(([name, cells]) => {
      return [name, cells.map((cell, row) => (row === other - 1 && name !== "id" ? cells[one - 1] : cell))];
    });
    const areSame = await decide(store, [], Object.fromEntries(equal));
    expect([areSame(one, other), areSame(one, rows.length)]).toEqual([false, true]);
  });

  it("are refused where they contradict earlier ones", async () => {
    const store = newStore();
    await decide(store, [
      [1, 2, "yes"],
      [2, other, "yes"],
    ]);
    await expect(decide(store, [[1, other, "no"]])).rejects.toThrow(
      `rows 1 and ${other} are decided to differ, but other decisions make them the same.`,
    );
  });
});
