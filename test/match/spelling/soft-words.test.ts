import { describe, expect, it } from "vitest";
import { softLikeness } from "../../../src/match/spelling/soft-words.js";

describe("likeness of two words", () => {
  it.each([
    ["r", "ronald", 0.7],
    ["proceedings", "proceeding", 0.9],
    ["univ", "university", 0.7],
    ["int", "international", 0.6],
    ["jr", "sr", 0],
    ["c", "c++", 0],
    ["f#", "f", 0],
    ["wason", "watson", 0.8],
    ["londno", "london", 0.9],
    ["jhonson", "johnson", 6 / 7],
    ["kxtg6700b", "kxtg6700", 0.85],
    ["dvpns700h", "dvpns57pb", 0],
    ["pedrosmith21mailexample", "pedrojones23mailexample", 0],
    ["4153975700", "4153985700", 0.85],
    ["9153975", "4153975", 0.6],
    ["bob", "robert", 0.85],
    ["bob", "michael", 0],
    ["7", "3", 0],
    ["blue", "black", 0],
  ])("of %s and %s is %d", (a, b, likeness) => {
    expect(softLikeness(a, b)).toBeCloseTo(likeness, 9);
    expect(softLikeness(b, a)).toBeCloseTo(likeness, 9);
  });
});
