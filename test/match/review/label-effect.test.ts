import { describe, expect, it } from "vitest";
import {
  labelEffect,
  type Partners,
  partnersInGroup,
  partnersOfRight,
} from "../../../src/match/review/label-effect.js";
import { createRandom } from "../../../src/random.js";

/** The same from the partners of each row as a text. */
function effectOfTexts(before: readonly string[], after: readonly string[], known: ReadonlySet<number>) {
  const rows = [...before.keys()].filter((row) => before[row] !== after[row]);
  const others = rows.filter((row) => !known.has(row));
  return {
    decided: rows.length - others.length,
    gained: others.filter((row) => before[row] === "").length,
    lost: others.filter((row) => after[row] === "").length,
    replaced: others.filter((row) => before[row] !== "" && after[row] !== "").length,
  };
}

describe("what known pairs change", () => {
  it("in groups is what their members say", () => {
    const random = createRandom(3);
    const draw = (below: number): number => Math.floor(random() * below);
    const membersOf = (groups: Int32Array): string[] =>
      Array.from(groups, (group) => {
        const members = [...groups.keys()].filter((row) => groups[row] === group);
        return members.length === 1 ? "" : members.join();
      });
    for (let round = 0; round < 200; round++) {
      const before = Int32Array.from({ length: 1 + draw(12) }, () => draw(6));
      const after = before.map((group) => (random() < 0.2 ? draw(12) : group));
      const known = new Set([draw(12)]);
      expect(labelEffect(partnersInGroup(before, after), known)).toEqual(
        effectOfTexts(membersOf(before), membersOf(after), known),
      );
    }
  });

  it("in matches is counted by right rows", () => {
    const pairs = (...found: [number, number][]) => found.map(([left, right]) => ({ left, right }));
    const before = pairs([0, 0], [1, 0], [2, 1], [3, 3], [4, 4]);
    const after = pairs([0, 0], [1, 0], [5, 1], [2, 2], [6, 4]);
    expect(labelEffect(partnersOfRight(5, before, after), new Set([4]))).toEqual({
      ...{ decided: 1, gained: 1, lost: 1, replaced: 1 },
    });
  });

  it("is counted in time that grows with the rows, in one group as in many", () => {
    const rows = 2 ** 18;
    const [one, each]: Int32Array[] = [new Int32Array(rows), new Int32Array(rows).map((_, row) => row)];
    const effects = [
      [one, one],
      [one, each],
      [each, one],
    ].map(([before, after]): Partners => partnersInGroup(before, after));
    expect(effects.map((effect) => labelEffect(effect, new Set()))).toEqual([
      { decided: 0, gained: 0, lost: 0, replaced: 0 },
      { decided: 0, gained: 0, lost: rows, replaced: 0 },
      { decided: 0, gained: rows, lost: 0, replaced: 0 },
    ]);
  });
});
