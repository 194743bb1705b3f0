/** Joins under rules: a row takes its next best partner, and all pairs of a shared key are matches. */
import { describe, expect, it } from "vitest";
import { matchTables } from "../../src/join/match-tables.js";
import { joinRows } from "../../src/join/roads.js";
import type { RowNumbers } from "../../src/match/compare-tables.js";
import { twoTables } from "../match/people.js";

const common = 250;
const { left, right } = twoTables(common, 40, 5);
const rows = common + 40;
const on = ["name", "city", "born", "phone"];
const run = { on, encoder: "none", threads: 1 } as const;
const keys = (matches: readonly RowNumbers[]) => matches.map((pair) => `${pair.left} ${pair.right}`);
const numbers = (count: number, name: (row: number) => string): string[] =>
  Array.from({ length: count }, (_, row) => name(row));

describe("a join under rules", () => {
  it("gives a row its next best partner where never forbids the best", async () => {
    // Each left person is listed twice, first with a slip in the name and the right register.
    const slipped = left.name.map((name) => name.replace(/(.)(.)$/, "$2$1"));
    const twice = Object.fromEntries(
      Object.entries(left).map(([name, cells]) => [name, [...(name === "name" ? slipped : cells), ...cells]]),
    );
    const given = { ...twice, register: numbers(2 * rows, (row) => (row < rows ? `R${row}` : "other")) };
    const other = { ...right, register: numbers(rows, (row) => (row < common ? `R${row}` : "")) };
    const without = await matchTables(given, other, { ...run, kind: "many-to-one" });
    const found = await matchTables(given, other, { ...run, kind: "many-to-one", never: ["register"] });
    const right1 = (matches: readonly RowNumbers[]) =>
      matches.filter((pair) => pair.left === pair.right).length;
    expect(right1(without.matches)).toBeLessThan(0.2 * common);
    expect(right1(found.matches)).toBeGreaterThan(0.9 * common);
    for (const pair of found.matches) expect(pair.right >= common || pair.left === pair.right).toBe(true);
    expect(found.rules!.never.register).toBeGreaterThan(0.9 * common);
  });

  // The smaller table is prepared as the left one.
  it.each(["as given", "exchanged"])("matches all pairs of a key that rows share (%s)", async (order) => {
    const few = { ...left, vat: numbers(rows, (row) => (row < 6 ? "DE1" : row < 9 ? "DE2" : "")) };
    const many = {
      ...right,
      vat_id: numbers(rows, (row) => (row >= 280 ? "de1" : row > 276 ? "De2" : "-")),
    };
    const extra = Object.fromEntries(Object.entries(many).map(([name, cells]) => [name, [...cells, ""]]));
    const isSwapped = order === "exchanged";
    const found = isSwapped
      ? await matchTables(extra, few, { ...run, same: ["vat_id=vat"] })
      : await matchTables(few, extra, { ...run, same: ["vat=vat_id"] });
    const matches = new Set(
      found.matches.map((pair) => (isSwapped ? `${pair.right} ${pair.left}` : `${pair.left} ${pair.right}`)),
    );
    for (let a = 0; a < 9; a++)
      for (let b = 277; b < rows; b++) expect(matches.has(`${a} ${b}`)).toBe(a < 6 === b >= 280);
    expect(Object.values(found.rules!.same)).toEqual([6 * 10 + 3 * 3]);
    const others = [...matches].filter((key) => Number(key.split(" ")[0]) >= 9);
    expect(others.length).toBeGreaterThan(0.9 * (common - 9));
  });

  it("has answers before never, and never before same", async () => {
    const given = {
      ...left,
      vat: numbers(rows, (row) => (row < 4 ? `V${row}` : "")),
      side: numbers(rows, (row) => `${row % 2}`),
    };
    const other = {
      ...right,
      vat: numbers(rows, (row) => (row >= 286 ? `V${row - 286}` : "")),
      side: numbers(rows, (row) => (row < 286 ? "" : row === 289 ? "0" : `${(row - 286) % 2}`)),
    };
    const options = { ...run, same: ["vat"], never: ["side"] };
    const found = await matchTables(given, other, options);
    expect(keys(found.matches)).toEqual(expect.arrayContaining(["0 286", "1 287", "2 288"]));
    expect(keys(found.matches)).not.toContain("3 289");
    expect(found.rules).toMatchObject({
      same: { vat: 3 },
      contradicted: 1,
      example: { left: 3, right: 289 },
    });
    const answered = await found.withKnown([
      { left: 3, right: 289, match: true },
      { left: 0, right: 286, match: false },
    ]);
    expect(keys(answered.matches)).toEqual(expect.arrayContaining(["1 287", "2 288", "3 289"]));
    expect(keys(answered.matches)).not.toContain("0 286");
  });

  it("leaves pairs by rules out of the estimate, and says that a rule is the reason", async () => {
    // A rule makes 100 pairs the same that share nothing else.
    const pass = {
      left: numbers(rows, (row) => (row < 100 ? `P${row}` : "")),
      right: numbers(rows, (row) => (row >= 190 ? `P${row - 190}` : "")),
    };
    const tables = [
      { ...left, pass: pass.left },
      { ...right, pass: pass.right },
    ] as const;
    const without = await joinRows(...tables, { ...run, kind: "many-to-many" });
    const found = await joinRows(...tables, { ...run, kind: "many-to-many", same: ["pass"] });
    expect(found.matches.length).toBe(without.matches.length + 100);
    expect(found.findings.estimate).toBeCloseTo(without.findings.estimate, 6);
    expect(found.findings.promise).toEqual(without.findings.promise);
    expect(found.findings.columns).toEqual(without.findings.columns);
    const byRule = found.matches.filter((pair) => found.why(pair) === "the same by pass");
    expect(keys(byRule)).toEqual(numbers(100, (row) => `${row} ${row + 190}`));
    expect(byRule.every(({ probability }) => probability === 1)).toBe(true);
  });
});

describe("a join of one column under rules", () => {
  const given = {
    name: ["John Smith", "John Smith", "Maria Garcia", "Zebra Holding", "Peter Pan", "Omega Works"],
    email: ["a@x.example", "b@x.example", "c@x.example", "z@x.example", "p@x.example", ""],
    born: ["1970", "1980", "1990", "2000", "1950", ""],
  };
  const other = {
    name: ["Jon Smith", "John Smith", "Mary Garcya", "Completely Else", "Peter Pann"],
    email: ["q@x.example", "", "C@X.example", "z@x.example", "pp@x.example"],
    born: ["1980", "1970", "1990", "", "1951"],
  };
  const options = { encoder: "none", on: ["name"], threads: 1 } as const;
  const rules = { same: ["email"], never: ["born"] };

  it.each(["many-to-one", "one-to-one", "many-to-many"] as const)("decides pairs of %s", async (kind) => {
    const found = await joinRows(given, other, { ...options, ...rules, kind });
    expect(keys(found.matches)).toEqual(expect.arrayContaining(["1 0", "0 1", "2 2", "3 3"]));
    // John Smith of another year, twice, and Peter Pan of another one.
    expect(keys(found.matches)).not.toEqual(expect.arrayContaining(["0 0"]));
    expect(keys(found.matches)).not.toEqual(expect.arrayContaining(["4 4"]));
    expect(found.findings.rules).toMatchObject({ same: { email: 2 }, never: { born: 3 }, contradicted: 0 });
    const whys = new Map(found.matches.map((pair) => [`${pair.left} ${pair.right}`, found.why(pair)]));
    expect([whys.get("2 2"), whys.get("3 3")]).toEqual(["the same by email", "the same by email"]);
    expect(found.doubtful(20).every(({ right }) => right !== 2)).toBe(true);
  });

  it("has answers before rules, and leaves pairs by rules out of the estimate", async () => {
    const found = await joinRows(given, other, { ...options, ...rules });
    const answered = await found.withKnown([
      { left: 4, right: 4, match: true },
      { left: 3, right: 3, match: false },
    ]);
    expect(keys(answered.matches)).toContain("4 4");
    expect(keys(answered.matches)).not.toContain("3 3");
    expect(keys(answered.matches)).toContain("2 2");
    // An answer for one John Smith holds for equal texts, but not for one that never forbids.
    const john = await found.withKnown([{ left: 1, right: 0, match: true }]);
    expect(keys(john.matches)).toEqual(expect.arrayContaining(["1 0", "0 1"]));
    const pass = (count: number, from: number) =>
      numbers(count, (row) => (row >= from ? `P${row - from}` : ""));
    const tables = [
      { name: left.name, pass: numbers(rows, (row) => (row < 40 ? `P${row}` : "")) },
      { name: right.name, pass: pass(rows, 250) },
    ] as const;
    const without = await joinRows(...tables, options);
    const ruled = await joinRows(...tables, { ...options, same: ["pass"] });
    const own = ruled.matches.filter((pair) => ruled.why(pair) !== "the same by pass");
    expect(ruled.matches.length - own.length).toBe(40);
    expect(Math.abs(ruled.findings.estimate - without.findings.estimate)).toBeLessThan(0.05);
    expect(keys(own).every((key) => keys(without.matches).includes(key))).toBe(true);
  });

  it("rests on rules alone where nothing else is found", async () => {
    const one = { name: ["Zebra Holding", "Omega Works"], code: ["1", "2"] };
    const two = { name: ["Quartz", "Litmus"], code: ["2", "1"] };
    const found = await joinRows(one, two, { ...options, same: ["code"], kind: "one-to-one" });
    expect(keys(found.matches)).toEqual(["1 0", "0 1"]);
    expect(found.findings.promise).toMatchObject({
      established: true,
      reason: "rules make all that is the same",
    });
  });
});
