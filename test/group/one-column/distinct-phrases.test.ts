/** Distinct phrases, and groups of rows made from groups of them. */
import { expect, it } from "vitest";
import { distinctPhrases, phraseGroups, withAlone } from "../../../src/group/one-column/distinct-phrases.js";
import { createRandom } from "../../../src/random.js";

it("numbers phrases that differ in more than spaces, and adds up what their rows stand for", () => {
  const { compared, alone, nodeOf, counts } = distinctPhrases(
    [" New  York", "Paris", "", "New York", " \t\u200b", "paris"],
    [1, 2, 4, 8, 16, 32],
    true,
  );
  expect([...compared]).toEqual(["New York", "Paris", "paris"]);
  expect(alone).toHaveLength(0);
  expect([...nodeOf]).toEqual([0, 1, -1, 0, -1, 2]);
  expect([...counts]).toEqual([9, 2, 32]);
});

it("takes two spellings of a legal form for one", () => {
  const firms = ["Acme Corporation", "Acme Corp", "Acme Co", "Acme", "ACME Corp."];
  const { compared, nodeOf } = distinctPhrases(firms, undefined, true);
  expect([...compared]).toEqual(["ACME Corp.", "Acme", "Acme Co.", "Acme Corp."]);
  expect([...nodeOf]).toEqual([3, 3, 2, 1, 0]);
});

it("puts numbered phrases that can be no other behind the compared ones, all but the first of them", () => {
  const phrases = Array.from({ length: 6000 }, (_, row) => `Part ${row}`);
  phrases.splice(100, 0, "Lid", "part 5900");
  const { compared, alone, nodeOf, numbered } = distinctPhrases(phrases, undefined, true);
  expect(compared).toHaveLength(5000);
  expect([...compared, ...alone].sort()).toEqual([...phrases].sort());
  expect(compared).toContain("Lid");
  expect(compared).toContain("Part 5900");
  expect(alone[0]).toBe("Part 5496");
  phrases.forEach((phrase, row) => {
    const node = nodeOf[row];
    expect(node < 5000 ? compared[node] : alone[node - 5000]).toBe(phrase);
  });
  expect(numbered.isNumbered[nodeOf[100]]).toBe(0);
  expect(numbered.numbers[nodeOf[101]]).toBe(numbered.numbers[nodeOf[5902]]);
  expect(distinctPhrases(phrases, undefined, false).alone).toHaveLength(0);
});

it("makes groups of rows, each with the first row of its representative, and leaves empty rows apart", () => {
  const random = createRandom(7);
  const nodeOf = Int32Array.from({ length: 60 }, (_, row) =>
    row < 20 ? (7 * row) % 20 : row % 9 === 0 ? -1 : Math.floor(20 * random()),
  );
  // Of 20 phrases the last five were not compared; the others are in groups of three, the second of which stands for all.
  const compared = {
    groups: Int32Array.from({ length: 15 }, (_, node) => Math.floor(node / 3)),
    representatives: Int32Array.from({ length: 5 }, (_, group) => 3 * group + 1),
  };
  const nodes = withAlone(compared, 20);
  expect([...nodes.groups.slice(15)]).toEqual([5, 6, 7, 8, 9]);
  expect([...nodes.representatives.slice(5)]).toEqual([15, 16, 17, 18, 19]);
  const similarity = (a: number, b: number): number => (a * b) / 400;
  const found = phraseGroups(nodeOf, nodes, similarity);
  const keyOf = (row: number): number => (nodeOf[row] < 0 ? -1 - row : nodes.groups[nodeOf[row]]);
  const keys = [...new Set([...nodeOf.keys()].map(keyOf))];
  expect(found.groups).toHaveLength(keys.length);
  keys.forEach((key, group) => {
    const rows = [...nodeOf.keys()].filter((row) => keyOf(row) === key);
    const middle = rows.find((row) => nodeOf[row] === nodes.representatives[key]) ?? rows[0];
    expect(found.groups[group]).toEqual({ rows, representative: middle });
    expect(found.representatives[group]).toBe(middle);
    for (const row of rows) {
      expect(found.groupOf[row]).toBe(group);
      const isSame = nodeOf[row] === nodeOf[found.representatives[group]];
      const expected = isSame ? 1 : similarity(nodeOf[row], nodeOf[found.representatives[group]]);
      expect(found.similarity[row]).toBe(expected);
    }
  });
  expect(found.groupsOfSeveral()).toEqual(found.groups.filter(({ rows }) => rows.length > 1));
  const empty = nodeOf.indexOf(-1);
  expect(found.similarityOf(empty, 0)).toBe(0);
});
