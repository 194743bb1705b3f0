import { describe, expect, it } from "vitest";
import { keyboardNeighbours } from "../../../../src/pearl/augmentation/character/keyboard-neighbour.js";

const sorted = (text: string) => [...text].sort().join("");

describe("keyboard neighbours", () => {
  it("are the keys that touch on QWERTY, letters for a letter and digits for a digit", () => {
    expect(sorted(keyboardNeighbours("g"))).toBe("bfhtvy");
    expect(sorted(keyboardNeighbours("q"))).toBe("aw");
    expect(sorted(keyboardNeighbours("m"))).toBe("jkn");
    expect(sorted(keyboardNeighbours("5"))).toBe("46");
  });

  it("are mutual, and never the key itself", () => {
    for (const key of "1234567890qwertyuiopasdfghjklzxcvbnmйцукенгшщзхъфывапролджэячсмитьбю") {
      const near = keyboardNeighbours(key);
      expect(near, key).not.toBe("");
      expect(near, key).not.toContain(key);
      for (const other of near) expect(keyboardNeighbours(other), `${key} and ${other}`).toContain(key);
    }
  });

  it("are those of the lower-case letter for a capital; other characters have none", () => {
    expect(keyboardNeighbours("G")).toBe(keyboardNeighbours("g"));
    expect(keyboardNeighbours("東")).toBe("");
    expect(keyboardNeighbours("!")).toBe("");
  });
});
