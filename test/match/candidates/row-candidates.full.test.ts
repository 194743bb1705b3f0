/** The slow tests beside row-candidates.test.ts. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PairSet } from "../../../src/match/candidates/pair-set.js";
import { findCandidates } from "../../../src/match/candidates/row-candidates.js";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { candidateLimits } from "../../../src/match/compare-tables.js";
import { SpilledRuns } from "../../../src/match/run/spill.js";
import { createRandom } from "../../../src/random.js";
import { tableWithDuplicates, twoTables } from "../people.js";

const limits = { k: 8, kOther: 4, postings: 20_000 };

describe("a set of pairs", () => {
  it.each([0, 1, 5000, 20_000, 60_000])(
    "is the same where only some of %i pairs have room in memory, and leaves no file",
    (draws) => {
      const folder = mkdtempSync(join(tmpdir(), "pearl-runs-"));
      const runs = new SpilledRuns(folder);
      for (const most of [1000, 4096, 50_000]) {
        const random = createRandom(draws);
        const [set, plain] = [new PairSet(1000, { most, runs }), new PairSet(1000)];
        let longest = 0;
        for (let draw = 0; draw < draws; draw++) {
          const [a, b] = [Math.floor(random() * 300), Math.floor(random() * 1000)];
          set.add(a, b);
          plain.add(a, b);
          longest = Math.max(longest, runs.length);
        }
        expect(longest > 0).toBe(new Set(plain.finish().left).size > 0 && draws > most);
        expect(set.finish()).toEqual(plain.finish());
      }
      expect(readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    },
  );
});

describe("candidates", () => {
  it("of two tables hold nearly all true pairs, and few per row", async () => {
    const { left, right } = twoTables(200, 100);
    const tables = prepareTables(left, right);
    const pairs = await findCandidates(tables, undefined, limits);
    const [a, b] = tables.order;
    let found = 0;
    pairs.left.forEach((row, pair) => {
      if (a[row] === b[pairs.right[pair]] && a[row] < 200) found++;
    });
    expect(found).toBeGreaterThanOrEqual(198);
    expect(pairs.left.length).toBeLessThan(300 * 60);
  });

  it("of one large table hold nearly all true pairs, and few per row", async () => {
    const { table, entities } = tableWithDuplicates(20_000);
    const tables = prepareTables(table, undefined);
    const [rows, order] = [entities.length, tables.order[0]];
    const { left, right } = await findCandidates(tables, undefined, candidateLimits(rows, true));
    const isTrue = (_: number, pair: number): boolean =>
      entities[order[left[pair]]] === entities[order[right[pair]]];
    const found = left.filter(isTrue).length;
    // A person has 0, 1 or 3 pairs of rows.
    expect(found).toBeGreaterThan(0.995 * (20_000 / 3) * 4);
    expect(left.length).toBeLessThan(20 * rows);
  });
});
