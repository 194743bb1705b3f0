import { describe, expect, it } from "vitest";
import { equalCodes } from "../../../src/match/candidates/blocks.js";
import { PairSet, type Spill } from "../../../src/match/candidates/pair-set.js";
import { findCandidates } from "../../../src/match/candidates/row-candidates.js";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { SpilledRuns } from "../../../src/match/run/spill.js";
import { withRoom } from "../../../src/match/weights/pair-classes.js";
import { createRandom } from "../../../src/random.js";
import { tableWithDuplicates } from "../people.js";

const limits = { k: 8, kOther: 4, postings: 20_000 };

describe("rows that are equal in all columns", () => {
  const copies = 40;
  const [one, other] = ["Northern Lights Publishing", "Northern Light Publishing"];
  const names = [...Array(copies).fill(one), ...Array(copies).fill(other), "Oslo Bakery", "Graz Mills"];
  const isOne = (row: number): boolean => row < copies;

  it("leave room for candidates that differ, and are all paired", async () => {
    const tables = prepareTables({ name: names }, undefined);
    const found = await findCandidates(tables, undefined, limits);
    const [left, right] = [found.left, found.right].map((rows) => rows.map((row) => tables.order[0][row]));
    const mixed = [...left].flatMap((a, pair) => {
      const both = [a, right[pair]].sort((x, y) => x - y);
      return isOne(both[0]) && !isOne(both[1]) && both[1] < 2 * copies ? both : [];
    });
    expect(new Set(mixed).size).toBe(2 * copies);
    expect(left.length).toBeLessThan(6 * limits.k * names.length);
  });

  it("of two tables each meet one that differs", async () => {
    const tables = prepareTables({ name: names }, { name: [other, other, "Graz Mill"] });
    const { left, right } = await findCandidates(tables, undefined, limits);
    for (const wanted of [0, 1]) {
      const ofWanted = left.filter((_, pair) => tables.order[1][right[pair]] === wanted);
      const partners = ofWanted.map((row) => tables.order[0][row]);
      expect([partners.some(isOne), partners.some((row) => !isOne(row))]).toEqual([true, true]);
    }
  });
});

describe("a set of pairs", () => {
  it("is sorted and without repetitions, whatever the order of adding", () => {
    const random = createRandom(1);
    const set = new PairSet(1000);
    const expected = new Set<number>();
    for (let draw = 0; draw < 50_000; draw++) {
      const [a, b] = [Math.floor(random() * 100), Math.floor(random() * 1000)];
      set.add(a, b);
      expected.add(a * 1000 + b);
    }
    const { left, right } = set.finish();
    expect(Array.from(left, (a, pair) => a * 1000 + right[pair])).toEqual(
      [...expected].sort((x, y) => x - y),
    );
  });

  it("of more than two billion pairs is refused, and leaves no file open", () => {
    let isClosed = false;
    const runs: Spill["runs"] = {
      length: 1,
      add: () => {},
      merged: () => {
        throw new Error("cannot be read");
      },
      close: () => {
        isClosed = true;
      },
    };
    const set = new PairSet(1000, { most: 1000, runs });
    expect(() => set.finish()).toThrow("cannot be read");
    expect(isClosed).toBe(true);
    expect(() => withRoom(new Int32Array(0), 2 ** 31)).toThrow(
      "these tables have 2,147,483,648 candidate pairs, and pearl numbers 2,147,483,647",
    );
  });

  it("says where there is no room for the rest", () => {
    const set = new PairSet(1000, { most: 1000, runs: new SpilledRuns("/no/such/folder") });
    const addAll = (): void => {
      for (let key = 0; key < 10_000; key++) set.add(Math.floor(key / 1000), key % 1000);
    };
    expect(addAll).toThrow(/^\/no\/such\/folder: cannot be written/);
  });
});

describe("candidates", () => {
  it("of one table never pair a row with itself, and name the smaller row first", async () => {
    const tables = prepareTables(tableWithDuplicates(100).table, undefined);
    const pairs = await findCandidates(tables, undefined, limits);
    expect(pairs.left.length).toBeGreaterThan(0);
    pairs.left.forEach((row, pair) => expect(row).toBeLessThan(pairs.right[pair]));
  });

  it("hold rows that share a date and an amount, even where each alone is common", async () => {
    const random = createRandom(3);
    const rows = 2000;
    const day = (): string => `2024-01-${String(1 + Math.floor(random() * 28)).padStart(2, "0")}`;
    const amount = (): string => `${Math.floor(random() * 60)}.50`;
    const table = { day: Array.from({ length: rows }, day), amount: Array.from({ length: rows }, amount) };
    const { fields, order } = prepareTables(table, table === undefined ? undefined : { ...table });
    const found = new Set<number>();
    await equalCodes(fields, { isOneTable: false }, (a, b) => found.add(order[0][a] * rows + order[1][b]));
    for (let row = 0; row < rows; row++) expect(found.has(row * rows + row)).toBe(true);
  });
});
