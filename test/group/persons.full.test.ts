/** Dedupe finds the repeated persons in made-up tables of any size. */
import { describe, expect, it } from "vitest";
import { duplicatesByColumns } from "../../src/group/roads.js";
import type { TableColumns } from "../../src/match/columns/align.js";

interface Made {
  readonly left: Readonly<Record<"name" | "street" | "city" | "phone" | "born", string[]>>;
  readonly entityOf: readonly number[];
}
const maker = "../../benchmarks/made-persons.mjs";
const { personsOfOneTable } = (await import(maker)) as { personsOfOneTable(rows: number): Made };

/** The columns that were compared, and precision and recall of the pairs within groups. */
async function deduped(table: TableColumns, entityOf: readonly number[]) {
  const { report } = await duplicatesByColumns(table, { known: [] });
  const groupOf = Int32Array.from(entityOf.keys());
  for (const { kept, others } of report.groups) for (const { row } of others) groupOf[row] = kept;
  const pairs = (keyOf: (row: number) => string): number => {
    const sizes = new Map<string, number>();
    entityOf.forEach((_, row) => sizes.set(keyOf(row), (sizes.get(keyOf(row)) ?? 0) + 1));
    return [...sizes.values()].reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  };
  const both = pairs((row) => `${groupOf[row]} ${entityOf[row]}`);
  return {
    columns: report.columns.map(({ name }) => name),
    precision: both / pairs((row) => `${groupOf[row]}`),
    recall: both / pairs((row) => `${entityOf[row]}`),
  };
}

describe("persons who appear several times", () => {
  it.each([1000, 3000, 5000])("are found among %d rows", async (rows) => {
    const { left, entityOf } = personsOfOneTable(rows);
    const { precision, recall } = await deduped(left, entityOf);
    expect(precision).toBeGreaterThan(0.98);
    expect(recall).toBeGreaterThan(0.98);
  });

  it("are found by the year, the month and the day of birth in columns of their own", async () => {
    const { left, entityOf } = personsOfOneTable(3000);
    const part = (cells: readonly string[], sign: string, place: number): string[] =>
      cells.map((cell) => cell.split(sign)[place] ?? "");
    const [first, last] = [0, 1].map((place) => part(left.name, " ", place));
    const [by, bm, bd] = [0, 1, 2].map((place) => part(left.born, "-", place));
    const { columns, precision, recall } = await deduped(
      { first, last, by, bm, bd, city: left.city },
      entityOf,
    );
    expect(columns).toContain("by + bm + bd");
    expect(precision).toBeGreaterThan(0.95);
    expect(recall).toBeGreaterThan(0.9);
  });
});
