import { describe, expect, it } from "vitest";
import { alignedEdits, learnNoise, type Misspelling } from "../../../src/methods/characters/attacks.js";
import { createRandom } from "../../../src/random.js";

describe("learned noise", () => {
  it("takes a swap, a doubled letter and a sound as one edit each", () => {
    expect(alignedEdits("receive", "recieve")).toEqual([{ from: 3, to: 5, wrong: "ie" }]);
    expect(alignedEdits("commit", "comit")).toHaveLength(1);
    expect(alignedEdits("phone", "fone")).toEqual([{ from: 0, to: 2, wrong: "f" }]);
    expect(alignedEdits("same", "same")).toEqual([]);
  });

  it("gives the misspelling back when its edits are made", () => {
    const random = createRandom(2);
    const letters = () =>
      Array.from({ length: 1 + random() * 7 }, () => "abc"[Math.floor(random() * 3)]).join("");
    for (let i = 0; i < 300; i++) {
      const [right, wrong] = [letters(), letters()];
      let made = "";
      let at = 0;
      for (const { from, to, wrong: written } of alignedEdits(right, wrong)) {
        made += right.slice(at, from) + written;
        at = to;
      }
      expect(made + right.slice(at), `${right} ${wrong}`).toBe(wrong);
    }
  });

  it("makes only errors that it has seen, in their context, as often as they were seen", () => {
    const pairs: Misspelling[] = [
      ...Array.from({ length: 30 }, (): Misspelling => ["recieve", "receive"]),
      ...Array.from({ length: 10 }, (): Misspelling => ["receve", "receive"]),
    ];
    const attack = learnNoise(pairs);
    const random = createRandom(5);
    const made = Array.from({ length: 2000 }, () => attack("deceive", random));
    expect(new Set(made)).toEqual(new Set(["decieve", "deceve"]));
    const swapped = made.filter((word) => word === "decieve").length;
    expect(swapped / made.length).toBeCloseTo(0.75, 1);
    // no piece of it was ever wrong
    expect(attack("table", random)).toBe("table");
    expect(learnNoise([])("word", random)).toBe("word");
  });
});
