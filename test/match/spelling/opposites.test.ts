import { describe, expect, it } from "vitest";
import { areOpposed, sidesOf } from "../../../src/match/spelling/soft-words.js";
import { folded } from "../../../src/text/accents.js";
import { wordList } from "../../../src/text/word-lists.js";

const opposed = (left: string, right: string): boolean =>
  areOpposed(left.split(" ").flatMap(sidesOf), right.split(" ").flatMap(sidesOf));

describe("opposites", () => {
  it.each([
    ["jr", "sr"],
    ["junior", "iii"],
    ["first", "second"],
    ["nord", "sud"],
    ["obere", "untere"],
    ["hombres", "mujeres"],
    ["one", "drei"],
    ["maschile", "femminile"],
    ["elementary", "high"],
    ["izquierda", "derecha"],
  ])("are %s and %s", (a, b) => {
    expect(opposed(`acme ${a}`, `acme ${b}`)).toBe(true);
    expect(opposed(`acme ${b}`, `acme ${a}`)).toBe(true);
  });

  it.each([
    ["jr", "junior"],
    ["north", "norte"],
    ["north", "first"],
    ["north and south", "north"],
    ["boys girls", "girls boys"],
    ["north", ""],
  ])("are not %s and %s", (a, b) => {
    expect(opposed(a, b)).toBe(false);
    expect(opposed(b, a)).toBe(false);
  });

  it("are listed as words are compared, each once in its set", () => {
    const sets = wordList("opposites", (read) => read)();
    for (const set of sets) {
      const words = set.flatMap((side) => side.split(" "));
      expect(words).toEqual(words.map(folded));
      expect(new Set(words).size).toBe(words.length);
      expect(set.length).toBeGreaterThan(1);
      expect(set.length).toBeLessThanOrEqual(16);
    }
  });
});
