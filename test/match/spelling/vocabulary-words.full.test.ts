import { describe, expect, it } from "vitest";
import { TextNumbers } from "../../../src/match/columns/texts.js";
import { isShortFor, sidesOf, softLikeness } from "../../../src/match/spelling/soft-words.js";
import { VocabularyWords } from "../../../src/match/spelling/vocabulary-words.js";
import { createRandom } from "../../../src/random.js";

function vocabulary(given: readonly string[]) {
  const numbers = new TextNumbers();
  const places = given.map((word) => numbers.numberOf(word));
  return { words: new VocabularyWords(numbers.texts()), places };
}

const random = createRandom(6);
const below = (most: number): number => Math.floor(random() * most);

/** Words with slips of them: a letter more, less, another, or two exchanged. */
function drawWords(letters: string): string[] {
  const each = [...letters];
  const draw = (): string => each[below(each.length)];
  return Array.from({ length: 60 }, () => Array.from({ length: 1 + below(11) }, draw)).flatMap((word) => {
    const at = below(word.length);
    const exchanged = word
      .with(at, word[at + 1] ?? word[at])
      .with(Math.min(at + 1, word.length - 1), word[at]);
    const slips = [word, word.with(at, draw()), word.toSpliced(at, 0, draw()), exchanged];
    return slips.map((slip) => slip.join(""));
  });
}

describe("words of a vocabulary", () => {
  it.each(["ab", "abcdef", "0123456789", "ab12", "aéb", "日本a", "ab+#"])(
    "are as alike as their letters: %s",
    (letters) => {
      const given = drawWords(letters);
      const { words, places } = vocabulary(given);
      let alike = 0;
      for (const [a, x] of given.entries())
        for (const [b, y] of given.entries()) {
          if (x === y) continue;
          const likeness = softLikeness(x, y);
          if (likeness > 0) alike++;
          expect([x, y, words.likeness(places[a], places[b])]).toEqual([x, y, likeness]);
        }
      expect(alike).toBeGreaterThan(50);
    },
  );

  it("are abbreviations and opposites as their letters are", () => {
    const given = "association assn assoc street boulevard blvd junior jr sr senior é".split(" ");
    const { words, places } = vocabulary(given);
    for (const [a, x] of given.entries()) {
      expect(words.sidesOf(places[a])).toEqual(sidesOf(x));
      for (const [b, y] of given.entries())
        expect([x, y, words.isShortFor(places[a], places[b])]).toEqual([x, y, isShortFor(x, y)]);
    }
  });

  it("may begin a longer word, of whatever length", () => {
    const given = ["a".repeat(300), "a".repeat(280), "aa", "ab", "b"];
    const { words, places } = vocabulary(given);
    for (const [a, whole] of given.entries())
      for (const [b, part] of given.entries())
        if (part.length < whole.length && whole.startsWith(part))
          expect(words.mayBegin(places[a], places[b])).toBe(true);
    expect(words.mayBegin(places[2], places[4])).toBe(false);
    expect(words.mayBegin(places[2], places[2])).toBe(false);
  });

  it("are parts of others, or not", () => {
    const given = ["cola", "cocacola", "la", "é", "café", "caf", "lac"];
    const { words, places } = vocabulary(given);
    for (const [a, whole] of given.entries())
      for (const [b, part] of given.entries())
        expect(words.contains(places[a], places[b])).toBe(whole.includes(part));
  });

  it("spell a word by their first letters, function words left out", () => {
    const given = "international conference on data engineering icde icd 12 1st 2nd".split(" ");
    const { words, places } = vocabulary(given);
    const wordAt = (place: number): number => places[place];
    expect(words.initialsEnd(places[5], 0, 5, wordAt)).toBe(5);
    expect(words.initialsEnd(places[6], 0, 5, wordAt)).toBe(4);
    expect(words.initialsEnd(places[5], 1, 5, wordAt)).toBe(-1);
    expect(words.initialsEnd(places[7], 8, 10, wordAt)).toBe(-1);
  });

  it("join to one word if they are two to four neighbours", () => {
    const { words, places } = vocabulary(["kxtg6700b", "kx", "tg", "6700b", "phone", "k", "x", "t", "g"]);
    const [whole, kx, tg, number, phone, ...letters] = places;
    const end = (...list: number[]): number => words.joinedEnd(whole, 0, list.length, (place) => list[place]);
    expect(end(kx, tg, number, phone)).toBe(3);
    expect(end(kx, tg)).toBe(-1);
    expect(end(kx, phone, tg, number)).toBe(-1);
    expect(end(whole, phone)).toBe(-1);
    expect(end(...letters, number)).toBe(-1);
    // -1: a word that has a partner already.
    expect(end(kx, -1, tg, number)).toBe(-1);
  });
});
