import { describe, expect, it } from "vitest";
import { countBy } from "../../../src/by-key.js";
import {
  eachText,
  sortedTexts,
  TextCounts,
  TextNumbers,
  textAt,
  textCount,
  textReader,
} from "../../../src/match/columns/texts.js";
import { createRandom } from "../../../src/random.js";

/** Repeated, empty and long texts, with letters of one to four bytes. */
const given = Array.from({ length: 40_000 }, (_, place) => {
  const letters = "aé中😀 ".repeat(place % 25);
  return place % 7 === 0 ? "" : `${letters}${(place * 7919) % 25_000}`;
});

describe("texts in shared memory", () => {
  it("are numbered as a map numbers them, and read as they were given", () => {
    const numbers = new TextNumbers();
    const known = new Map<string, number>();
    const wrong = given.filter((text) => {
      const expected = known.get(text) ?? known.size;
      let isNew = false;
      const found = numbers.numberOf(text, () => {
        isNew = true;
      });
      const isRight = found === expected && isNew === !known.has(text);
      known.set(text, expected);
      return !isRight;
    });
    expect(wrong).toEqual([]);
    const texts = numbers.texts();
    expect([numbers.size, textCount(texts)]).toEqual([known.size, known.size]);
    expect([...eachText(texts)]).toEqual([...known.keys()]);
    const read = textReader(texts);
    expect([...known].filter(([text, at]) => read(at) !== text || textAt(texts, at) !== text)).toEqual([]);
  });

  it("are refused where their bytes have no room", () => {
    const numbers = new TextNumbers(12_000);
    const add = (): void => {
      for (let text = 0; text < 3000; text++) numbers.numberOf(`${text} and more`);
    };
    expect(add).toThrow("a column has more than 12,000 bytes of different texts. Leave it out (--ignore)");
  });

  it("are sorted as strings are, by 16-bit units", () => {
    const random = createRandom(4);
    // Characters of four bytes are pairs of units below U+E000.
    const letters = ["a", "b", "~", "é", "\ud7ff", "\ue000", "\uf900", "\uffee", "😀", "𠮷", "\u{10ffff}"];
    const letter = (): string => letters[Math.floor(random() * letters.length)];
    const numbers = new TextNumbers();
    for (let text = 0; text < 5000; text++)
      numbers.numberOf(Array.from({ length: Math.floor(random() * 6) }, letter).join(""));
    const texts = numbers.texts();
    const sorted = Array.from(sortedTexts(texts), (text) => textAt(texts, text));
    expect(sorted).toEqual([...eachText(texts)].sort());
  });
});

it("counts texts as a map does, and gives those that occur often enough", () => {
  const random = createRandom(3);
  const texts = Array.from({ length: 5000 }, () => `été ${Math.floor(900 * random() ** 4)} 名`);
  const counts = countBy(texts, (text) => text);
  const counted = new TextCounts();
  for (const text of texts) counted.add(text);
  for (const least of [0.5, 1, 3, 40]) {
    const expected = [...counts].filter(([, count]) => count >= least);
    expect(expected.length).toBeGreaterThan(5);
    expect([...counted.frequent(least)]).toEqual(expected);
  }
});
