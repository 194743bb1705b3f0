import { describe, expect, it } from "vitest";
import { areSiblings, siblingPlaces } from "../../../src/match/columns/sibling-places.js";
import { TextNumbers } from "../../../src/match/columns/texts.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(4);
const code = (): string =>
  Array.from({ length: 7 }, () => "abcdefghkm123456789"[Math.floor(19 * random())]).join("");
const codes = Array.from({ length: 400 }, code);
const placesOf = (all: readonly string[]) => {
  const numbers = new TextNumbers();
  for (const text of all) numbers.numberOf(text);
  return siblingPlaces(numbers.texts());
};
/** Any letter replaced, or written twice. */
const slipped = (text: string): string => {
  const at = Math.floor(text.length * random());
  const rest = text.slice(at + (random() < 0.5 ? 1 : 0));
  return text.slice(0, at) + (rest.length === text.length - at ? text[at] : "z") + rest;
};

describe("places in which codes of one family differ", () => {
  it("are none in codes at random, and in those with slips anywhere", () => {
    expect(placesOf(codes)).toEqual([]);
    expect(placesOf([...codes, ...codes.map(slipped), ...codes.map(slipped)])).toEqual([]);
  });

  it("are those in which many differ, from the start and from the end", () => {
    const families = codes.slice(0, 60).map((text) => `${text.slice(0, -1)}x`);
    expect(
      placesOf([...codes, ...families, ...codes.slice(0, 100).map(slipped)]).toSorted((a, b) => a - b),
    ).toEqual([-1, 6]);
    // Of several lengths: only the last place is common to all.
    const longer = codes.slice(0, 200).map((text) => `0${text}`);
    const ofBoth = [...longer, ...longer.slice(0, 60).map((text) => `${text.slice(0, -1)}y`)];
    expect(placesOf([...codes, ...families, ...ofBoth])).toContain(-1);
  });

  it("are all places of numbers in a row, whose neighbours are others", () => {
    const row = Array.from({ length: 300 }, (_, index) => String(4100 + index));
    expect(placesOf(row)).toEqual(expect.arrayContaining([-1, -2, 3, 2]));
  });

  it("make siblings of codes that differ there alone", () => {
    expect(areSiblings("b9367a", "b9367b", [-1])).toBe(true);
    expect(areSiblings("b9367a", "b9367b", [5])).toBe(true);
    expect(areSiblings("b9367a", "b9368a", [-1])).toBe(false);
    expect(areSiblings("b9367a", "b9368b", [-1])).toBe(false);
    expect(areSiblings("b9367a", "b9367ab", [-1])).toBe(false);
  });
});
