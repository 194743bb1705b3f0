import { describe, expect, it } from "vitest";
import { keyboardNeighbours } from "../../src/text/keyboard.js";

const sorted = (text: string) => [...text].sort().join("");

describe("keyboard neighbours", () => {
  it("are the keys that touch on QWERTY", () => {
    expect(sorted(keyboardNeighbours("g"))).toBe("bfhtvy");
    expect(sorted(keyboardNeighbours("q"))).toBe("12aw");
    expect(sorted(keyboardNeighbours("m"))).toBe("jkn");
    expect(sorted(keyboardNeighbours("5"))).toBe("46rt");
  });

  it("are mutual, and never the key itself", () => {
    for (const key of "1234567890qwertyuiopasdfghjklzxcvbnmйцукенгшщзхъфывапролджэячсмитьбю") {
      const near = keyboardNeighbours(key);
      expect(near, key).not.toBe("");
      expect(near, key).not.toContain(key);
      for (const other of near) expect(keyboardNeighbours(other), `${key} and ${other}`).toContain(key);
    }
  });

  it("are those of the small letter for a capital, and none for other characters", () => {
    expect(keyboardNeighbours("G")).toBe(keyboardNeighbours("g"));
    expect(keyboardNeighbours("東")).toBe("");
    expect(keyboardNeighbours("!")).toBe("");
  });
});
