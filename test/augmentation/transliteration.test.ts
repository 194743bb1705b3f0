import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { respellSound } from "../../src/augmentation/character.js";
import { createRandom } from "../../src/random.js";
import { manyDraws } from "./rule-claims.js";

describe("transliteration", () => {
  it("respells one sound in its place", () => {
    const drawn = manyDraws(respellSound, "Joseph");
    for (const text of ["Josef", "Yoseph", "Jozeph", "Josep"]) expect(drawn).toContain(text);
    expect(manyDraws(respellSound, "MÜLLER")).toContain("MUELLER");
    expect(manyDraws(respellSound, "Filip")).toContain("Philip");
    expect(manyDraws(respellSound, "Köln (city)")).toContain("Koeln (city)");
    expect(manyDraws(respellSound, "Muller")).not.toContain("Müller");
  });

  it("changes one word by at most three letters, and none of fewer than four", () => {
    const random = createRandom(4);
    for (const name of ["The Catherine the Great", "Schwarz and Schwarz", "Ulan-Ude 2012, Sørensen"]) {
      for (let drawn = 0; drawn < 200; drawn++) {
        const twin = respellSound(name, random, {}) as string;
        const [before, after] = [name.split(" "), twin.split(" ")];
        expect(after.length).toBe(before.length);
        const changed = before.filter((word, index) => word !== after[index]);
        expect(changed.length).toBe(1);
        expect(changed[0].length).toBeGreaterThanOrEqual(4);
        expect(distance(name, twin)).toBeLessThanOrEqual(3);
      }
    }
    for (const name of ["the cat", "", "1234567", "東京"])
      expect(manyDraws(respellSound, name)).toEqual([undefined]);
  });

  it("changes silent letters only after the first letter of a word", () => {
    expect(manyDraws(respellSound, "Hhbb")).toEqual(["Hbb", "Khhbb"]);
  });
});
