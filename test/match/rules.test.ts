import { describe, expect, it } from "vitest";
import {
  allowedPairs,
  apartRows,
  type PairRules,
  readRules,
  ruleKey,
  sameBy,
  samePairs,
} from "../../src/match/rules.js";
import { SortedRows } from "../../src/match/weights/left-rows.js";
import { createRandom, type Random } from "../../src/random.js";

const read = (...given: Parameters<typeof readRules>): PairRules => readRules(...given)!;

describe("rules on columns", () => {
  const left = {
    born: ["1999-02-03", "1999-04-13", "", "1980-01-01"],
    phone: ["+49 30 1234567", "030 7654321", "n/a", "030 7654321"],
    name: ["José Müller", "Ann Lee", "Ann Lee", ""],
    price: ["1200", "1200.50", "7", "8"],
  };
  const right = {
    birth: ["3.2.1999", "13.4.1999", "1.1.1980", "5.5.1981"],
    phone: ["+49 (30) 1234567", "(030) 7654321", "", "089 1112223"],
    name: ["JOSE MULLER", "Lee Ann", "ann lee", "-"],
    price: ["1,200", "1,200.50", "7.00", "9"],
  };
  const table = (...rule: string[]): (string | undefined)[][] => {
    const rules = read(left, right, { same: rule });
    return left.born.map((_, a) => right.birth.map((_, b) => sameBy(rules, a, b)));
  };

  it.each<[rule: string, equal: readonly (readonly [number, number])[]]>([
    [
      "born=birth",
      [
        [0, 0],
        [1, 1],
        [3, 2],
      ],
    ],
    [
      "phone",
      [
        [0, 0],
        [1, 1],
        [3, 1],
      ],
    ],
    [
      "name",
      [
        [0, 0],
        [1, 2],
        [2, 2],
      ],
    ],
    [
      "price",
      [
        [0, 0],
        [1, 1],
        [2, 2],
      ],
    ],
    [
      "name + price",
      [
        [0, 0],
        [2, 2],
      ],
    ],
    [
      "born + phone=birth + phone",
      [
        [0, 0],
        [1, 1],
      ],
    ],
  ])("read %s in every notation, and nothing from empty cells", (rule, equal) => {
    const found = table(rule).flatMap((row, a) =>
      row.flatMap((by, b) => (by === undefined ? [] : [[a, b, by]])),
    );
    expect(found).toEqual(equal.map(([a, b]) => [a, b, rule]));
  });

  it("name the first rule that applies", () => {
    expect(table("phone", "born=birth")[0][0]).toBe("phone");
    expect(table("phone", "born=birth")[3][2]).toBe("born=birth");
  });

  it("take cells as what the caller says that they are", () => {
    const code = { at: ["0012", "12"], other: ["a", "b"] };
    expect(samePairs(read(code, undefined, { same: ["at"] }), true).counts).toEqual([0]);
    const rules = read(code, undefined, { same: ["at"], kindOf: { at: "number" } });
    expect(samePairs(rules, true).counts).toEqual([1]);
  });

  it("are none without options", () => expect(readRules(left, right, {})).toBeUndefined());

  it.each<[string, Parameters<typeof readRules>[2], string]>([
    [
      "an unknown column",
      { same: ["emial=phone"] },
      '--same emial=phone: there is no column "emial". Columns: born,',
    ],
    ["no name", { never: [""] }, '--never : there is no column "". Columns: born,'],
    ["no second name", { never: ["name + "] }, 'there is no column "name + "'],
    [
      "unlike numbers of columns",
      { same: ["born + name=name"] },
      "2 and 1 columns. Name as many of the right",
    ],
  ])("refuse %s", (_, options, message) => {
    expect(() => readRules(left, right, options)).toThrow(message);
  });

  it("refuse a column that is empty in every row of a table", () => {
    const empty = { ...right, phone: ["", " ", "", ""] };
    expect(() => readRules(left, empty, { never: ["phone"] })).toThrow(
      "--never phone: column phone is empty in every row. Name another column, or leave the rule out.",
    );
    expect(readRules({ a: [] }, undefined, { never: ["a"] })).toBeDefined();
  });

  it("refuse a rule of millions of pairs", () => {
    const rows = { land: new Array<string>(2300).fill("DE"), city: new Array<string>(2300).fill("Ulm") };
    expect(() => samePairs(read(rows, rows, { same: ["land"] }), false)).toThrow(
      "--same land gives about 5,290,000 pairs: 2,300 rows share a cell. At most 500 may, and 5,000,000 pairs in all. Add a column",
    );
  });
});

const draw = (random: Random, below: number): number => Math.floor(random() * below);

/** A table of few different cells, some of them empty. */
function drawnTable(random: Random, rows: number) {
  const cells = (): string[] =>
    Array.from({ length: rows }, () => (random() < 0.3 ? "" : `value ${"abcd"[draw(random, 4)]}`));
  return { one: cells(), two: cells(), three: cells() };
}
type Drawn = ReturnType<typeof drawnTable>;

const options = { same: ["one + two", "three"], never: ["two", "one"] };
const areSame = (a: Drawn, x: number, b: Drawn, y: number): boolean[] =>
  [["one", "two"] as const, ["three"] as const].map((columns) =>
    columns.every((column) => a[column][x] !== "" && a[column][x] === b[column][y]),
  );
const areApart = (a: Drawn, x: number, b: Drawn, y: number): boolean[] =>
  (["two", "one"] as const).map(
    (column) => a[column][x] !== "" && b[column][y] !== "" && a[column][x] !== b[column][y],
  );

describe("pairs that rules decide", () => {
  it.each([1, 2, 3])("are those whose cells say so, of one table and of two (seed %i)", (seed) => {
    const random = createRandom(seed);
    const [left, other] = [drawnTable(random, 30), drawnTable(random, 20)];
    for (const right of [other, undefined]) {
      const rules = read(left, right, options);
      const second = right ?? left;
      const expected = { pairs: [] as number[][], contradicted: [] as number[][], counts: [0, 0] };
      for (let a = 0; a < 30; a++)
        for (let b = right === undefined ? a + 1 : 0; b < second.one.length; b++) {
          const same = areSame(left, a, second, b);
          const isApart = areApart(left, a, second, b).includes(true);
          expect(sameBy(rules, a, b) !== undefined).toBe(same.includes(true) && !isApart);
          if (!same.includes(true)) continue;
          expected[isApart ? "contradicted" : "pairs"].push([a, b]);
          if (!isApart) expected.counts = expected.counts.map((count, at) => count + (same[at] ? 1 : 0));
        }
      const found = samePairs(rules, right === undefined);
      const listed = (pairs: typeof found.pairs) => Array.from(pairs.left, (a, at) => [a, pairs.right[at]]);
      expect(found.counts).toEqual(expected.counts);
      expect(listed(found.pairs)).toEqual(expected.pairs);
      expect(listed(found.contradicted)).toEqual(expected.contradicted);
      expect(expected.pairs.length * expected.contradicted.length).toBeGreaterThan(0);
    }
  });

  it("are taken from candidates, and counted by class and rule", () => {
    const random = createRandom(5);
    const [left, right] = [drawnTable(random, 30), drawnTable(random, 20)];
    const pairs = Array.from({ length: 600 }, (_, at) => [Math.floor(at / 20), at % 20]);
    const chosen = pairs.filter(() => random() < 0.5);
    const classOf = Int32Array.from(chosen, () => draw(random, 3));
    const classes = { classOf: classOf.slice(), levels: [new Int8Array(3)] };
    const rows = {
      left: SortedRows.of(
        Int32Array.from(chosen, ([a]) => a),
        30,
      ),
    };
    const candidates = { ...rows, right: Int32Array.from(chosen, ([, b]) => b) };
    const found = allowedPairs({ pairs: candidates, classes }, 30, read(left, right, options));
    const apart = chosen.map(([a, b]) => areApart(left, a, right, b));
    const isKept = (_: unknown, at: number): boolean => !apart[at].includes(true);
    const kept = Array.from(found.pairs.right, (b, at) => [found.pairs.left.at(at), b]);
    expect(kept).toEqual(chosen.filter(isKept));
    expect([...found.classes.classOf]).toEqual([...classOf].filter(isKept));
    for (const rule of [0, 1])
      for (const of of [0, 1, 2])
        expect(found.forbidden[rule][of]).toBe(
          apart.filter((by, at) => by[rule] && classOf[at] === of).length,
        );
  });

  it.each([1, 2, 3, 4])("keep groups apart, but not rows that a person has united (seed %i)", (seed) => {
    const random = createRandom(seed);
    const table = drawnTable(random, 40);
    const rules = read(table, undefined, { never: options.never });
    const judged = Array.from({ length: 5 }, () => ({
      left: draw(random, 40),
      right: draw(random, 40),
      match: true,
    }));
    const apart = apartRows(rules, judged)!;
    const groups = Array.from({ length: 40 }, (_, row) => new Set([row]));
    const unite = (a: number, b: number): void => {
      for (const row of groups[b]) groups[a].add(row);
      for (const row of groups[a]) groups[row] = groups[a];
    };
    for (const { left, right } of judged) unite(left, right);
    for (let step = 0; step < 300; step++) {
      const [a, b] = [draw(random, 40), draw(random, 40)];
      const isForbidden = [...groups[a]].some((x) =>
        [...groups[b]].some((y) => areApart(table, x, table, y).includes(true)),
      );
      expect(apart.unite(a, b)).toBe(groups[a] === groups[b] || !isForbidden);
      if (groups[a] !== groups[b] && !isForbidden) unite(a, b);
    }
  });

  it("keep rows of one source apart, exactly as it is written", () => {
    const rules = read({ from: ["crm", "CRM", "crm", "", "web"] }, undefined, { between: "from" });
    const apart = apartRows(rules, [])!;
    expect([apart.unite(0, 2), apart.unite(0, 1), apart.unite(1, 2)]).toEqual([false, true, false]);
    expect([apart.unite(3, 2), apart.unite(4, 0), apart.unite(3, 0), apart.unite(4, 1)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    // A person united two of one source: the group still takes rows of others.
    const judged = apartRows(rules, [{ left: 0, right: 2, match: true }])!;
    expect([judged.unite(0, 4), judged.unite(2, 3)]).toEqual([true, true]);
    expect(new Set([0, 2].map((row) => ruleKey(rules, row))).size).toBe(2);
  });

  it("tell rows of one key from others", () => {
    const rules = read({ a: ["x", "X", "y", ""], b: ["1", "1", "1", "1"] }, undefined, {
      same: ["a"],
      never: ["b"],
    });
    const keys = [0, 1, 2, 3].map((row) => ruleKey(rules, row));
    expect(keys[0]).toBe(keys[1]);
    expect(new Set(keys).size).toBe(3);
  });
});
