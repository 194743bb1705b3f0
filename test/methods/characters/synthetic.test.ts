/** Words made up from the lengths and characters of a list. */
import { describe, expect, it } from "vitest";
import { createAttack } from "../../../src/methods/characters/attacks.js";
import { syntheticWords } from "../../../src/methods/characters/word-list.js";
import { createRandom } from "../../../src/random.js";

const sample = (like: readonly string[], count = 20_000) =>
  Array.from({ length: count }, (_, i) => syntheticWords(like, 3)(i));

describe("syntheticWords", () => {
  it("have the mean and deviation of the list's lengths, and its characters by their frequencies", () => {
    // lengths 4, 8 and 12: mean 8, deviation √(32/3) = 3.266
    const words = sample(["aaab", "a b".repeat(4), "ééaaaaaaaaaa"]);
    const lengths = words.map((word) => [...word].length);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / words.length;
    const deviation = Math.sqrt(
      lengths.reduce((sum, length) => sum + (length - mean) ** 2, 0) / words.length,
    );
    // cut at 1, below which lie 1.1 % of the distribution
    expect(mean).toBeGreaterThan(7.9);
    expect(mean).toBeLessThan(8.2);
    expect(deviation).toBeGreaterThan(3.1);
    expect(deviation).toBeLessThan(3.35);
    const all = [...words.join("")];
    const share = (character: string) => all.filter((other) => other === character).length / all.length;
    expect(share("a")).toBeCloseTo(17 / 24, 2);
    expect(share("b")).toBeCloseTo(5 / 24, 2);
    expect(share("é")).toBeCloseTo(2 / 24, 2);
  });

  it("are cut at 1 and 25 characters, and a list of one length has only that", () => {
    const long = sample(["x", "x".repeat(40)], 3000).map((word) => word.length);
    expect(Math.min(...long)).toBe(1);
    expect(Math.max(...long)).toBe(25);
    expect(new Set(sample(["abcde"], 50).map((word) => word.length))).toEqual(new Set([5]));
    expect(sample(["y".repeat(60)], 3).map((word) => word.length)).toEqual([25, 25, 25]);
  });

  it("depend on number and seed alone", () => {
    const one = syntheticWords(["alpha", "beta"], 1);
    expect([one(7), one(8)]).toEqual([syntheticWords(["alpha", "beta"], 1)(7), one(8)]);
    expect(one(7)).not.toBe(syntheticWords(["alpha", "beta"], 2)(7));
    expect(one(7)).not.toBe(one(8));
  });
});

describe("the attack edits", () => {
  it("deletes, inserts or swaps, a third of the time each", async () => {
    const attack = await createAttack({ preset: "edits" });
    const random = createRandom(5);
    const kinds = { shorter: 0, longer: 0, swapped: 0 };
    for (let i = 0; i < 3000; i++) {
      const twin = attack("abcdefgh", random);
      if (twin.length === 8) expect([...twin].sort().join("")).toBe("abcdefgh");
      kinds[twin.length < 8 ? "shorter" : twin.length > 8 ? "longer" : "swapped"]++;
    }
    for (const count of Object.values(kinds)) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });
});
