/** Groups under rules: no group holds two rows that a rule keeps apart, and rows that a rule makes the same are together. */
import { describe, expect, it } from "vitest";
import { type GroupRowsOptions, groupRows } from "../../src/group/group-rows.js";
import { duplicatesByColumn, duplicatesByColumns } from "../../src/group/roads.js";
import type { KnownPair } from "../../src/match/compare-tables.js";
import { readRules } from "../../src/match/rules.js";
import { createRandom } from "../../src/random.js";
import { type Table, tableWithDuplicates } from "../match/people.js";

const { table, entities } = tableWithDuplicates(300, 3);
const rows = entities.length;
const random = createRandom(9);
/** Cells that no comparison knows: a register that tells persons apart, and a card that two persons may share. */
const register = entities.map((entity) => (random() < 0.2 ? "" : `R${entity % 2}-${Math.floor(entity / 2)}`));
const card = entities.map((entity) => (random() < 0.3 ? "" : `card ${Math.floor(entity / 2) + 1000}`));
const ruled = { ...table, register, card };
const on = ["name", "city", "born", "phone"];
const run: GroupRowsOptions = { on, encoder: "none", threads: 1 };

type RowTest = (a: number, b: number) => boolean;
const isEqual =
  (cells: readonly string[]): RowTest =>
  (a, b) =>
    cells[a] !== "" && cells[a] === cells[b];
const isDifferent =
  (cells: readonly string[]): RowTest =>
  (a, b) =>
    cells[a] !== "" && cells[b] !== "" && cells[a] !== cells[b];

/** All pairs of rows for which a test holds. */
function* pairsWith(holds: RowTest): Generator<readonly [number, number]> {
  for (let a = 0; a < rows; a++) for (let b = a + 1; b < rows; b++) if (holds(a, b)) yield [a, b];
}

const keepsApart = (groupOf: Int32Array, cells: readonly string[]): boolean =>
  [...pairsWith(isDifferent(cells))].every(([a, b]) => groupOf[a] !== groupOf[b]);

describe("groups of rows under rules", () => {
  it("hold no two rows that differ in a column of never, and lose nothing else", async () => {
    // Every row has a namesake: the same by all compared columns, another person by the rule.
    const twice = Object.fromEntries(
      Object.entries(table).map(([name, cells]) => [name, [...cells, ...cells]]),
    );
    const half = Array.from({ length: 2 * rows }, (_, row) => (row < rows ? "a" : "b"));
    const without = await groupRows({ ...twice, half }, run);
    const found = await groupRows({ ...twice, half }, { ...run, never: ["half"] });
    const first = (groups: Int32Array) => [...pairsWith((a, b) => groups[a] === groups[b])];
    for (const row of table.name.keys()) {
      expect(without.groupOf[row]).toBe(without.groupOf[row + rows]);
      expect([...found.groupOf.subarray(rows)]).not.toContain(found.groupOf[row]);
    }
    expect(found.rules).toMatchObject({ same: {}, contradicted: 0 });
    expect(found.rules!.never.half).toBeGreaterThanOrEqual(rows);
    const before = first(without.groupOf);
    const kept = before.filter(([a, b]) => found.groupOf[a] === found.groupOf[b]);
    expect(kept.length / before.length).toBeGreaterThan(0.95);
    expect(first(found.groupOf).length / before.length).toBeLessThan(1.05);
  });

  it("hold rows of equal cells unless a rule keeps them apart, which a report counts", async () => {
    const found = await groupRows(ruled, { ...run, same: ["card"], never: ["register"] });
    expect(keepsApart(found.groupOf, register)).toBe(true);
    const areApart = isDifferent(register);
    const same = [...pairsWith(isEqual(card))];
    const decided = same.filter(([a, b]) => !areApart(a, b));
    expect(found.rules!.same).toEqual({ card: decided.length });
    expect(found.rules!.contradicted).toBe(same.length - decided.length);
    const { left, right } = found.rules!.example!;
    expect(isEqual(card)(left, right) && areApart(left, right) && left < right).toBe(true);
    // Those without a register may be with one of two.
    const clear = decided.filter(([a, b]) => register[a] !== "" && register[b] !== "");
    for (const [a, b] of clear) expect(found.groupOf[a]).toBe(found.groupOf[b]);
    expect(clear.length).toBeGreaterThan(50);
    expect(found.probabilityOf(...clear[0])).toBe(1);
  });

  it("have answers of people before rules", async () => {
    const options = { ...run, same: ["card"], never: ["register"] };
    const [differing] = [
      ...pairsWith((a, b) => isDifferent(register)(a, b) && entities[a] + 9 < entities[b]),
    ];
    const [equal] = [...pairsWith((a, b) => isEqual(card)(a, b) && isEqual(register)(a, b))];
    const known = [
      { left: differing[0], right: differing[1], match: true },
      { left: equal[0], right: equal[1], match: false },
    ];
    const found = await (await groupRows(ruled, options)).withKnown(known);
    expect(found.groupOf[differing[0]]).toBe(found.groupOf[differing[1]]);
    expect(found.groupOf[equal[0]]).not.toBe(found.groupOf[equal[1]]);
    const others = [...pairsWith(isDifferent(register))].filter((pair) => `${pair}` !== `${differing}`);
    for (const [a, b] of others) expect(found.groupOf[a]).not.toBe(found.groupOf[b]);
    expect(
      found
        .doubtful(200)
        .every(({ left, right }) => !isEqual(card)(left, right) || isDifferent(register)(left, right)),
    ).toBe(true);
  });

  it("teach nothing: what columns say does not depend on same", async () => {
    const [without, found] = [
      await groupRows(ruled, run),
      await groupRows(ruled, { ...run, same: ["card"] }),
    ];
    expect(found.columns).toEqual(without.columns);
  });

  it("are the same with several threads and in any order of rows", async () => {
    const options = { ...run, same: ["card"], never: ["register"] };
    const found = await groupRows(ruled, options);
    const turned = Object.fromEntries(
      Object.entries(ruled).map(([name, cells]) => [name, cells.toReversed()]),
    );
    const other = await groupRows(turned, { ...options, threads: 2 });
    const together = ({ groupOf }: { groupOf: Int32Array }, at: (row: number) => number): boolean[] =>
      Array.from({ length: rows - 1 }, (_, row) => groupOf[at(row)] === groupOf[at(row + 1)]);
    expect(together(other, (row) => rows - 1 - row)).toEqual(together(found, (row) => row));
    expect(other.rules!.same).toEqual(found.rules!.same);
    expect(other.rules!.never).toEqual(found.rules!.never);
  });

  it("keep copies of a row apart that differ in a column of never", async () => {
    const copies: Table = Object.fromEntries(
      Object.entries(table).map(([name, cells]) => [
        name,
        [...cells, ...new Array<string>(20).fill(cells[0])],
      ]),
    );
    const ticket = Array.from({ length: rows + 20 }, (_, row) => (row < rows ? "" : `T${row % 2}`));
    const { groupOf } = await groupRows({ ...copies, ticket }, { ...run, never: ["ticket"] });
    const groups = [0, 1].map(
      (half) => new Set([...groupOf.subarray(rows)].filter((_, at) => (rows + at) % 2 === half)),
    );
    expect(groups.map(({ size }) => size)).toEqual([1, 1]);
    expect([...groups[0]]).not.toEqual([...groups[1]]);
  });
});

describe("duplicates under rules", () => {
  const rules = readRules(ruled, undefined, { same: ["card"], never: ["register"] });

  it("are sure by a rule, with the rule as the reason, and left out of the estimate", async () => {
    const options = { ...run, known: [], rules };
    const { report, table: grouped, why } = await duplicatesByColumns(ruled, options);
    expect(keepsApart(grouped.groupOf, register)).toBe(true);
    expect(keepsApart(grouped.sureOf, register)).toBe(true);
    const removed = report.groups.flatMap(({ others }) => others);
    const byRule = removed.filter((one) => why(one) === "the same by card");
    expect(byRule.length).toBeGreaterThan(50);
    for (const { row, keptRow, probability } of byRule) {
      expect(card[row]).toBe(card[keptRow]);
      expect(probability).toBe(1);
    }
    expect(removed.length).toBeGreaterThan(byRule.length);
  });

  it("rest on rules alone where nothing else is likely", async () => {
    const persons = [...entities.keys()].filter((row) => entities[row] !== entities[row - 1]).slice(0, 60);
    const strangers = Object.fromEntries(
      Object.entries(table).map(([name, cells]) => [name, persons.map((row) => cells[row])]),
    );
    const pass = persons.map((_, at) => (at < 4 ? `P${at % 2}` : `P${at}`));
    const { promise, groupOf, rules } = await groupRows({ ...strangers, pass }, { ...run, same: ["pass"] });
    expect(promise).toMatchObject({ established: true, reason: "rules make all that is the same" });
    expect([groupOf[0], groupOf[1], new Set(groupOf).size]).toEqual([groupOf[2], groupOf[3], 58]);
    expect(rules!.same).toEqual({ pass: 2 });
  });
});

describe("duplicates of one column under rules", () => {
  const names = ["Acme Industries", "Acme Industrys", "Acme Industries Inc", "Globex Corporation"];
  const firms = {
    name: [...names, "Globex Corp", "Zebra Holding", "Initech", "Umbrella"],
    email: ["", "", "", "g@x.example", "", "G@x.example", "", ""],
    source: ["a", "a", "b", "a", "b", "b", "a", "b"],
  };
  const byName = (table: typeof firms, rule: Parameters<typeof readRules>[2], known: KnownPair[] = []) =>
    duplicatesByColumn(table, "name", {
      ...{ known, rules: readRules(table, undefined, rule), encoder: "none", threshold: 0.4 },
    });
  const groupsOf = ({ table }: Awaited<ReturnType<typeof byName>>) => [...table.groupOf];

  it("hold rows of equal cells, and no rows that never forbids", async () => {
    expect(groupsOf(await byName(firms, {}))).toEqual([0, 0, 0, 1, 1, 2, 3, 4]);
    const found = await byName(firms, { never: ["source"], same: ["email"] });
    expect(groupsOf(found)).toEqual([0, 0, 1, 2, 3, 4, 5, 6]);
    expect(found.report.rules).toMatchObject({ same: { email: 0 }, never: { source: 3 }, contradicted: 1 });
    const same = await byName(firms, { same: ["email"] });
    expect(groupsOf(same)).toEqual([0, 0, 0, 1, 1, 1, 2, 3]);
    const [, globex] = same.report.groups;
    const byRule = globex.others.find(({ row }) => row === 5)!;
    expect([byRule.probability, same.why(byRule)]).toEqual([1, "the same by email"]);
    expect(same.report.estimate).toBeCloseTo((await byName(firms, {})).report.estimate, 9);
  });

  it("hold one row of each source with between", async () => {
    const found = await byName(firms, { between: "source" });
    const groups = groupsOf(found);
    expect(new Set([groups[0], groups[1]]).size).toBe(2);
    expect([groups[0], groups[1]]).toContain(groups[2]);
    expect(groups[4]).toBe(groups[3]);
    expect(found.report.rules).toMatchObject({ between: 1, never: {}, contradicted: 0 });
    const answered = await found.withKnown([{ left: 0, right: 1, match: true }]);
    expect(groupsOf(answered)[0]).toBe(groupsOf(answered)[1]);
  });

  it.each([1, 2, 3])("never hold two rows that a rule keeps apart (seed %i)", async (seed) => {
    const draw = createRandom(seed);
    const some = names.flatMap((name) => [name, name, `${name} AG`, `The ${name}`, name.toLowerCase()]);
    const cells = (values: string) => some.map(() => values[Math.floor(draw() * values.length)].trim());
    const table = { name: some, email: cells("wxyz   "), source: cells("abc "), land: cells("de ") };
    const { table: found } = await byName(table, { same: ["email"], never: ["land"], between: "source" });
    for (const groups of [found.groupOf, found.sureOf])
      for (const [a, one] of groups.entries())
        for (const [b, other] of groups.entries()) {
          if (a >= b || one !== other) continue;
          expect(isEqual(table.source)(a, b), `${a} ${b}`).toBe(false);
          expect(isDifferent(table.land)(a, b), `${a} ${b}`).toBe(false);
        }
    expect(new Set(found.groupOf).size).toBeLessThan(some.length);
  });

  it("are of two sources where all columns are compared", async () => {
    const half = entities.map((entity, row) => (entities.indexOf(entity) === row ? "a" : "b"));
    const found = await groupRows({ ...table, half }, { ...run, between: "half" });
    for (const [a, b] of pairsWith(isEqual(half))) expect(found.groupOf[a]).not.toBe(found.groupOf[b]);
    expect(new Set(found.groupOf).size).toBeLessThan(rows);
    expect(found.rules!.between).toBeGreaterThan(0);
  });
});
