import { describe, expect, it } from "vitest";
import { decidedGroups, sureRows } from "../../src/group/decided-groups.js";
import type { KnownPair } from "../../src/match/compare-tables.js";
import { createRandom, type Random } from "../../src/random.js";

const draw = (random: Random, below: number): number => Math.floor(random() * below);

/** Decisions that agree with some grouping of the rows, and so do not contradict each other. */
function decisions(random: Random, rows: number, count: number): KnownPair[] {
  const truth = Array.from({ length: rows }, () => draw(random, rows / 3));
  return Array.from({ length: count }, () => [draw(random, rows), draw(random, rows)])
    .filter(([left, right]) => left !== right)
    .map(([left, right]) => ({ left, right, match: truth[left] === truth[right] }));
}

describe("groups after decisions", () => {
  it.each([1, 2, 3, 4, 5])(
    "hold confirmed pairs and no rejected pair, whatever was found (seed %i)",
    (seed) => {
      const random = createRandom(seed);
      for (let round = 0; round < 200; round++) {
        const rows = 3 + draw(random, 20);
        const found = Int32Array.from({ length: rows }, () => draw(random, rows / 2));
        const known = decisions(random, rows, draw(random, 12));
        const cells = Array.from({ length: rows }, (_, row) => `${found[row]} ${draw(random, 3)}`);
        const sureOf = sureRows(rows, (row) => cells[row], known);
        const groups = decidedGroups(found, sureOf, known, () => random());
        for (const { left, right, match } of known) expect(groups[left] === groups[right]).toBe(match);
        for (let a = 0; a < rows; a++)
          for (let b = a + 1; b < rows; b++) {
            const isJudged = known.some(({ left, right }) =>
              [a, b].some((row) => row === left || row === right),
            );
            if (cells[a] === cells[b] && !isJudged && known.every(({ match }) => match))
              expect(groups[a]).toBe(groups[b]);
            if (known.length === 0) expect(groups[a] === groups[b]).toBe(found[a] === found[b]);
          }
      }
    },
  );

  it("bring equal rows together that a rule lets be, whichever comes first", () => {
    const born = Int32Array.of(0, 1, 1, -1);
    const rules = { same: [], never: [{ name: "born", left: born, right: born }] };
    const sureOf = sureRows(4, () => "Hans Weiss, Kiel", [], rules);
    expect(sureOf[1]).toBe(sureOf[2]);
    expect(sureOf[0]).not.toBe(sureOf[1]);
    const card = Int32Array.of(5, 5, 5, 5);
    const ruled = { ...rules, same: [{ name: "card", left: card, right: card }] };
    const byCard = sureRows(4, () => undefined, [], ruled);
    expect([byCard[0] === byCard[3], byCard[1] === byCard[2], byCard[0] === byCard[1]]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("divide a group where it is least likely one", () => {
    const sureOf = sureRows(4, () => undefined, []);
    const known = [{ left: 0, right: 3, match: false }];
    const probabilityOf = (a: number, b: number): number => (a + b === 1 || a + b === 5 ? 0.9 : 0.2);
    expect([...decidedGroups([0, 0, 0, 0], sureOf, known, probabilityOf)]).toEqual([0, 0, 0, 1]);
    const turned = [{ left: 0, right: 1, match: false }];
    const likeSecond = (a: number, b: number): number => (Math.min(a, b) === 1 ? 0.9 : 0.2);
    expect([...decidedGroups([0, 0, 0, 0], sureOf, turned, likeSecond)]).toEqual([0, 1, 1, 1]);
  });

  it("cannot follow decisions that contradict each other", () => {
    const known = [
      { left: 0, right: 1, match: true },
      { left: 1, right: 2, match: true },
      { left: 2, right: 0, match: false },
    ];
    expect(() => sureRows(3, () => undefined, known)).toThrow(
      "rows 3 and 1 are decided to differ, but other decisions make them the same. Correct one",
    );
  });

  it("keep equal rows apart from what any of their equals is known to differ from", () => {
    const keys = ["a", "b", "a", "b", "a", "b"];
    const sure = (known: readonly KnownPair[]): number[] => [...sureRows(6, (row) => keys[row], known)];
    expect(sure([{ left: 2, right: 4, match: false }])).toEqual([0, 1, 0, 1, 4, 1]);
    expect(
      sure([
        { left: 0, right: 1, match: true },
        { left: 3, right: 4, match: false },
      ]),
    ).toEqual([0, 0, 0, 0, 4, 0]);
  });

  it("are looked at a few times each, not for every row", () => {
    const [rows, rejections] = [10_000, 100];
    let reads = 0;
    const known = Array.from({ length: rejections }, (_, row) => ({
      get left() {
        reads++;
        return row;
      },
      ...{ right: row + rejections, match: false },
    }));
    const labels = sureRows(rows, String, known);
    expect(labels.every((label, row) => label === row)).toBe(true);
    expect(reads).toBeLessThan(5 * rejections);
  });
});
