import { describe, expect, it } from "vitest";
import { type LinkedRow, reconcile } from "../../src/link/reconcile.js";
import { createRandom } from "../../src/random.js";

const row = (entity: number, isSame = entity > 0): LinkedRow => ({ row: 0, entity, isSame });

describe("entities of groups", () => {
  it("are new where no row had one, in the order of their first rows", () => {
    const { entities, changes, nextEntity } = reconcile([row(0), row(0), row(0)], [5, 3, 5], 8);
    expect([...entities]).toEqual([8, 9, 8]);
    expect([...changes]).toEqual([
      { kind: "created", entity: 8, rows: [0, 2] },
      { kind: "created", entity: 9, rows: [1] },
    ]);
    expect(nextEntity).toBe(10);
  });

  it("take new rows in, and merge into the oldest", () => {
    const { entities, changes } = reconcile([row(4), row(2), row(0)], [1, 1, 1], 5);
    expect([...entities]).toEqual([2, 2, 2]);
    expect([...changes]).toEqual([
      { kind: "joined", entity: 2, rows: [2] },
      { kind: "merged", entity: 2, other: 4, rows: [0] },
    ]);
  });

  it("live on where most of their rows are", () => {
    const { entities, changes } = reconcile([row(1), row(1), row(1)], [7, 8, 8], 2);
    expect([...entities]).toEqual([2, 1, 1]);
    expect([...changes]).toEqual([{ kind: "split", entity: 2, other: 1, rows: [0] }]);
  });

  it("live on in one of as many groups as there are rows", () => {
    const rows = Array.from({ length: 200_000 }, () => row(1));
    const { entities, nextEntity } = reconcile(rows, Int32Array.from(rows.keys()), 2);
    expect([entities[0], entities[1], nextEntity]).toEqual([1, 2, 200_001]);
  });

  it("stay with the row that did not change", () => {
    const { entities, changes } = reconcile([row(1, false), row(1), row(2)], [0, 1, 0], 3);
    expect([...entities]).toEqual([2, 1, 2]);
    expect([...changes]).toEqual([{ kind: "split", entity: 2, other: 1, rows: [0] }]);
  });

  it("note rows that changed and stay", () => {
    const { changes } = reconcile([row(1, false), row(1)], [4, 4], 2);
    expect([...changes]).toEqual([{ kind: "changed", entity: 1, rows: [0] }]);
  });

  it("are exactly the groups, and each change of a row's entity has one event", () => {
    const random = createRandom(4);
    const draw = (most: number): number => Math.floor(random() * most);
    for (let round = 0; round < 200; round++) {
      const rows = Array.from({ length: 1 + draw(12) }, () => row(draw(5)));
      const groups = rows.map(() => draw(4));
      const { entities, changes } = reconcile(rows, groups, 5);
      for (const a of rows.keys())
        for (const b of rows.keys()) expect(entities[a] === entities[b]).toBe(groups[a] === groups[b]);
      const moved = [...rows.keys()].filter((place) => rows[place].entity !== entities[place]);
      expect([...changes].flatMap((change) => change.rows).sort((a, b) => a - b)).toEqual(moved);
      for (const change of changes)
        for (const place of change.rows) expect(entities[place]).toBe(change.entity);
    }
  });
});
