import { expect, it } from "vitest";
import { filledRows } from "../../src/group/kept-rows.js";
import type { Cell } from "../../src/table/cell.js";

it("empty cells of a kept row come from the first removed row that has one, and nothing else changes", () => {
  const rows: Cell[][] = [
    ["Anna Schmidt", "", null, undefined],
    ["Anna Schmidt", "n/a", "Berlin", undefined],
    ["A. Schmidt", "030 123", "Hamburg", { json: "7" }],
    ["Bob Ray", "06 55", "Rome", { json: "1" }],
    ["Bob Ray", "06 66", "", { json: "2" }],
  ];
  const removed = [
    { row: 1, keptRow: 0, probability: 1 },
    { row: 2, keptRow: 0, probability: 0.9 },
    { row: 4, keptRow: 3, probability: 0.9 },
  ];
  const { rows: filled, gained } = filledRows(removed, (row) => rows[row]);
  expect([...filled]).toEqual([[0, ["Anna Schmidt", "030 123", "Berlin", { json: "7" }]]]);
  expect({ ...gained }).toEqual({ 1: 1, 2: 1, 3: 1 });
  expect(rows[0]).toEqual(["Anna Schmidt", "", null, undefined]);
});
