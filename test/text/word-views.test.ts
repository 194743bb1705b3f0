import { describe, expect, it } from "vitest";
import { viewFeatures } from "../../src/text/word-views.js";

const shared = (a: string, b: string, view: "gaps" | "places" | "sound"): number => {
  const other = new Set(viewFeatures(b, [view]));
  return viewFeatures(a, [view]).filter((feature) => other.has(feature)).length;
};

describe("views of a word", () => {
  it("are none unless asked for, and all different", () => {
    expect(viewFeatures("word", [])).toEqual([]);
    const all = viewFeatures("word", ["gaps", "places", "sound"]);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toContain("gap wr");
    expect(all).toContain("end 0d");
  });

  it.each([
    ["pharaoh", "faro"],
    ["knowledge", "nolage"],
    ["receive", "reseeve"],
    ["committee", "comitty"],
    ["quick", "kwik"],
  ])("give %s and %s one sound", (right, wrong) => {
    expect(viewFeatures(wrong, ["sound"])).toEqual(viewFeatures(right, ["sound"]));
  });

  it("keep the pair around a letter that is wrong", () => {
    expect(shared("cat", "cut", "gaps")).toBe(1);
    expect(shared("cat", "dog", "gaps")).toBe(0);
  });
});
