/** Words of a phrase, with marks for how they are written. */
import { describe, expect, it } from "vitest";
import { markedWords, unicodeWords } from "../../../src/architectures/pearl-mini/marked-words.js";
import { pearlMiniSizes } from "../../../src/architectures/pearl-mini/sizes.js";
import { createRandom } from "../../../src/random.js";

const shown = (phrase: string): string =>
  markedWords(phrase)
    .map(({ text, mark }) => `${text}:${mark}`)
    .join(" ");

describe("marked words", () => {
  it("distinguish capitals, brackets and commas", () => {
    expect(shown("Smith, John (MP)")).toBe("smith:4 john:6 mp:8");
    expect(shown("the NY times")).toBe("the:1 ny:7 times:1");
    expect(shown("Mercury (planet) Lander")).toBe("mercury:4 planet:2 lander:4");
    // letters without case count as capitals
    expect(shown("東京 (日本) été 7")).toBe("東京:4 日本:5 ete:1 7:1");
  });

  it("have neither accents nor joined letters, and letters and digits apart", () => {
    expect(markedWords("Łódź Straße B2B").map(({ text }) => text)).toEqual([
      "lodz",
      "strasse",
      "b",
      "2",
      "b",
    ]);
  });

  it("leave punctuation out, and keep signs that are read as words", () => {
    expect(markedWords("“AT&T” – No. 1!").map(({ text }) => text)).toEqual(["at", "&", "t", "no", "1"]);
    expect(markedWords("Macy's").map(({ text }) => text)).toEqual(["macy", "s"]);
    expect(markedWords(" … ")).toEqual([]);
  });

  it("are parted at inner capitals where they are unknown", () => {
    const parted = (phrase: string): string =>
      markedWords(phrase, (word) => word === "javascript")
        .map(({ text, mark }) => `${text}:${mark}`)
        .join(" ");
    expect(parted("NYTimes")).toBe("ny:7 times:4");
    expect(parted("the (EuroBasket)")).toBe("the:1 euro:5 basket:5");
    expect(parted("ÉluÉtat")).toBe("elu:4 etat:4");
    expect(parted("JavaScript McDonald eBay PhD NASA iOS")).toBe(
      "javascript:4 mcdonald:4 ebay:4 phd:4 nasa:7 ios:4",
    );
    expect(shown("NYTimes")).toBe("nytimes:4");
  });

  it("have marks from 1 to the last", () => {
    for (const { mark } of markedWords("a B CC (a B CC), a B CC, (d")) {
      expect(mark).toBeGreaterThanOrEqual(1);
      expect(mark).toBeLessThanOrEqual(pearlMiniSizes.marks);
    }
  });

  it("are the same by the quick way for ASCII as by Unicode's tables", () => {
    const random = createRandom(4);
    const signs = "aabBZz09 '’()[],:;&+#%$@_-.\t\u0000\u007f~";
    for (let i = 0; i < 5000; i++) {
      const phrase = Array.from({ length: 12 }, () => signs[Math.floor(random() * signs.length)]).join("");
      expect(markedWords(phrase), phrase).toEqual(unicodeWords(phrase));
      const isKnown = (word: string) => word.includes("z");
      expect(markedWords(phrase, isKnown), phrase).toEqual(unicodeWords(phrase, isKnown));
    }
  });
});
