import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { exportEntities } from "../../src/link/export.js";
import { undoLink } from "../../src/link/history.js";
import { type Table, tableWithDuplicates } from "../match/people.js";
import { link, workFolder } from "./linking.js";

const { path, write, newStore } = workFolder("likely");
const { table, entities } = tableWithDuplicates(100);
const keyed: Table = { id: entities.map((_, row) => `k${row}`), ...table };
/** Too few for the promise. */
const some = Array.from({ length: 40 }, (_, row) => row);
const output = path("likely.csv");
const linkSome = (store: string, given: Table = keyed, rows: readonly number[] = some) =>
  link(write("some.csv", given, rows), store, { key: "id", likelyOutput: output });
const listed = (): string[][] =>
  readFileSync(output, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
/** The keys of both rows of each line. */
const pairsListed = (): string[] => listed().map((line) => `${line[3]} ${line[7]}`);

/** A table in which the row of a key has other cells. */
const withOther = (given: Table, key: string): Table =>
  Object.fromEntries(
    Object.entries(given).map(([name, cells]) => {
      return [name, cells.map((cell, row) => (given.id[row] === key && name !== "id" ? `${name} 77` : cell))];
    }),
  );

it("likely pairs are listed until they are linked, whichever run found them", async () => {
  const store = newStore();
  const first = await linkSome(store);
  expect(first).toMatchObject({ linked: "equal" });
  expect(first.likely).toBeGreaterThan(10);
  const lines = listed();
  expect(lines).toHaveLength(first.likely);
  const again = await linkSome(store);
  expect(again).toMatchObject({ run: 0, likely: first.likely });
  expect(listed()).toEqual(lines);
  const pairs = pairsListed();
  const later = await linkSome(
    store,
    keyed,
    some.slice(0, 16).map((row) => row + 40),
  );
  expect(later).toMatchObject({ added: 16, hasLearned: false, linked: "equal" });
  expect(later.likely).toBeGreaterThan(first.likely);
  expect(pairsListed()).toEqual(expect.arrayContaining(pairs));
  await undoLink(store);
  expect(await linkSome(store)).toMatchObject({ likely: first.likely });
  expect(listed()).toEqual(lines);
});

it("a pair is not listed any more when one of its rows has become another", async () => {
  const store = newStore();
  await linkSome(store);
  const [[, , , key]] = listed();
  await linkSome(store, withOther(keyed, key));
  expect(pairsListed().length).toBeGreaterThan(10);
  expect(pairsListed().filter((pair) => pair.split(" ").includes(key))).toEqual([]);
});

it("the other rows of a group stay listed when its first row has become another", async () => {
  const store = newStore();
  await linkSome(store);
  const [line] = listed();
  const [other, first] = [line[3], line[7]];
  const row = keyed.id.indexOf(other);
  const third = Object.entries(keyed).map(([name, cells]) => [
    name,
    [...cells, name === "id" ? "third" : name === "name" ? `${cells[row]}a` : cells[row]],
  ]);
  const rows = [...some, keyed.id.length];
  await linkSome(store, Object.fromEntries(third), rows);
  expect(pairsListed()).toEqual(expect.arrayContaining([`${other} ${first}`, `third ${first}`]));
  expect(pairsListed()).not.toContain(`third ${other}`);
  await linkSome(store, withOther(Object.fromEntries(third), first), rows);
  expect(pairsListed()).toContain(`third ${other}`);
  expect(pairsListed().filter((pair) => pair.split(" ").includes(first))).toEqual([]);
});

it("the list and the export have the row numbers of the last table", async () => {
  const store = newStore();
  await linkSome(store);
  const turned = some.toReversed();
  expect(await linkSome(store, keyed, turned)).toMatchObject({ run: 0 });
  const placeOf = (key: string): string => String(1 + turned.indexOf(keyed.id.indexOf(key)));
  const lines = listed();
  expect(lines.map((line) => [line[2], line[6]])).toEqual(
    lines.map((line) => [placeOf(line[3]), placeOf(line[7])]),
  );
  await exportEntities(store, path("all.jsonl"));
  for (const line of readFileSync(path("all.jsonl"), "utf8").trim().split("\n")) {
    const { row, key } = JSON.parse(line);
    expect(String(row)).toBe(placeOf(key));
  }
});
