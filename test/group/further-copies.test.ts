import { expect, it } from "vitest";
import { groupRows } from "../../src/group/group-rows.js";
import { tableWithDuplicates } from "../match/people.js";

it("two spellings are one group however many exact copies each has", async () => {
  const { table } = tableWithDuplicates(60);
  const names = Object.keys(table);
  const size = table[names[0]].length;
  const row = names.map((name) => table[name][0]);
  const spelled = [row, row.map((cell, at) => (at === 0 ? `${cell}e` : cell))];
  const copies = 30;
  const all = Object.fromEntries(
    names.map((name, at) => [
      name,
      [...table[name].slice(1), ...spelled.flatMap((row) => Array(copies).fill(row[at]))],
    ]),
  );
  const { groupOf, probabilityOf, explain } = await groupRows(all, { encoder: "none" });
  const group = groupOf.slice(size - 1);
  expect(new Set(group).size).toBe(1);
  expect(group).toHaveLength(2 * copies);
  expect(probabilityOf(size, size + copies - 2)).toBeGreaterThan(0.99);
  expect(explain(size + copies - 2, size + 2 * copies - 2).columns.length).toBeGreaterThan(0);
});
