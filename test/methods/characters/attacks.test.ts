import { distance } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { createAttack } from "../../../src/methods/characters/attacks.js";
import { createRandom } from "../../../src/random.js";

describe("typing errors", () => {
  it("make one edit in about 88 of 100 words, and leave the others", async () => {
    const attack = await createAttack({ preset: "typing" });
    const random = createRandom(3);
    const attacked = Array.from({ length: 2000 }, () => attack("encyclopedia", random));
    const changed = attacked.filter((word) => word !== "encyclopedia");
    expect(changed.length / 2000).toBeGreaterThan(0.85);
    expect(changed.length / 2000).toBeLessThan(0.91);
    // a swap counts as one edit here, but as two for Levenshtein
    for (const word of changed) expect(distance(word, "encyclopedia")).toBeLessThanOrEqual(2);
    const lengths = new Set(changed.map((word) => word.length - "encyclopedia".length));
    expect([...lengths].sort()).toEqual([-1, 0, 1]);
  });

  it("are the same for the same seed, and double as often as asked for", async () => {
    const drawn = async (twice: number) => {
      const attack = await createAttack({ preset: "typing", twice });
      const random = createRandom(8);
      return Array.from({ length: 1000 }, () => attack("encyclopedia", random));
    };
    expect(await drawn(0.5)).toEqual(await drawn(0.5));
    const far = (words: string[]) => words.filter((word) => distance(word, "encyclopedia") > 2).length;
    expect(far(await drawn(0))).toBe(0);
    expect(far(await drawn(1))).toBeGreaterThan(1.5 * far(await drawn(0.5)));
  });
});

describe("LOVE's attacks", () => {
  it("use synonyms too", async () => {
    const attack = await createAttack({ preset: "love" });
    const random = createRandom(3);
    const attacked = new Set(Array.from({ length: 200 }, () => attack("automobile", random)));
    expect(attacked).toContain("car");
  });
});
