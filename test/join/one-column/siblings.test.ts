import { describe, expect, it } from "vitest";
import { siblings } from "../../../src/join/one-column/decide.js";

/** Which of the right texts are siblings, if all match one left text. */
function among(left: string, right: readonly string[]): string[] {
  const matches = right.map((_, row) => ({ left: 0, right: row, probability: 0.9 }));
  return [...siblings(matches, { left: [left], right })].map((match) => right[match.right]);
}

describe("right rows of one left row", () => {
  it("are siblings if each has a word that the others and the left row lack", () => {
    const species = ["Plestiodon laticeps", "Plestiodon fasciatus"];
    expect(among("Plestiodon", species)).toEqual(species);
    expect(among("Plestiodon", [...species, "Plestiodon"])).toEqual(species);
    for (const [left, ...right] of [
      ["Windows", "Windows 10", "Windows 11"],
      ["大学", "大学 東京", "大学 京都"],
    ])
      expect(among(left, right)).toEqual(right);
  });

  it("are the same thing if one only says more, or spells a word in another way", () => {
    expect(among("Hewlett-Packard", ["Hewlett-Packard Company", "Hewlet Packard"])).toEqual([]);
    expect(among("Plestiodon", ["Plestiodon laticeps", "Plestiodon laticep"])).toEqual([]);
    expect(among("Plestiodon", ["Plestiodon laticeps"])).toEqual([]);
    expect(among("Acme", ["Acme AG", "Acme SA"])).toEqual([]);
    expect(among("Plestiodon", ["Plestiodon laticeps", "Plestiodon laticeps"])).toEqual([]);
  });

  it("are compared only if they match the same left row", () => {
    const matches = [0, 1].map((row) => ({ left: row, right: row, probability: 0.9 }));
    const texts = { left: ["Elaphe", "Elaphe"], right: ["Elaphe gloydi", "Elaphe anomala"] };
    expect(siblings(matches, texts).size).toBe(0);
  });
});
