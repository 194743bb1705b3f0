import { expect, it } from "vitest";
import { prepareTables } from "../../../src/match/columns/fields.js";
import { compareTables } from "../../../src/match/compare-tables.js";
import { missing } from "../../../src/match/evidence/levels.js";
import { levelTotals } from "../../../src/match/weights/pair-table.js";
import { twoTables } from "../people.js";

it("counts the levels of all pairs of two small tables as comparing each pair does", async () => {
  const { left, right } = twoTables(80, 60);
  const compared = await compareTables(prepareTables(left, right), { threads: 1 });
  const { columns, rows, comparison } = compared;
  expect(compared.left.length).toBeLessThan(rows[0] * rows[1]);
  const counts = columns.map(({ levels }) => new Float64Array(levels));
  const out = columns.map(() => new Int8Array(1));
  for (let a = 0; a < rows[0]; a++) {
    for (let b = 0; b < rows[1]; b++) {
      comparison.compare(a, b, out, 0);
      out.forEach(([level], column) => {
        if (level !== missing) counts[column][level]++;
      });
    }
  }
  levelTotals(compared).forEach((totals, column) => {
    totals.forEach((total, level) => expect(total).toBeCloseTo(counts[column][level], 6));
  });
});
