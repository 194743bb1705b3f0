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

it("keeps entities apart that a later row resembles both of, also where the decision is about another row of them", async () => {
  const store = newStore();
  const { table: others } = tableWithDuplicates(800, 4);
  const person = {
    name: "Wilhelmina Vanderbilt",
    city: "Rotterdam",
    born: "1951-07-23",
    phone: "0100 448291",
  };
  const married = { name: "Mina Hooghe", city: "Utrecht", born: "", phone: "0344 902175" };
  const resembling = { ...person, phone: "0100 448292" };
  const count = 26;
  const judged = [...Array.from({ length: count }, () => person), married, resembling];
  /** These rows before the others, and perhaps one more behind. */
  const withRows = (more: readonly (typeof person)[]): Table => {
    const columns = Object.keys(person).map((key): [string, string[]] => {
      const name = key as keyof typeof person;
      return [name, [...judged.map((row) => row[name]), ...others[name], ...more.map((row) => row[name])]];
    });
    return { id: columns[0][1].map((_, row) => `k${row}`), ...Object.fromEntries(columns) };
  };
  const options = { key: "id", likely: "accept", learn: "when-grown" } as const;
  const [own, other] = [count + 1, count + 2];
  writeFileSync(path("no.csv"), `decision,left_row,right_row\nyes,1,${own}\nno,${own},${other}\n`);
  const first = await link(write("named.csv", withRows([])), store, { ...options, review: path("no.csv") });
  const isOne = ({ entityOf }: typeof first) => [own, other].map((row) => entityOf[row - 1] === entityOf[0]);
  expect(isOne(first)).toEqual([true, false]);
  const later = await link(write("named.csv", withRows([person])), store, options);
  expect(later).toMatchObject({ hasLearned: false, added: 1 });
  expect([later.entityOf[0], later.entityOf[other - 1]]).toContain(later.entityOf.at(-1));
  expect(isOne(later)).toEqual([true, false]);
});
