import { distance } from "fastest-levenshtein";
import { expect, it } from "vitest";
import { TextNumbers } from "../../../src/match/columns/texts.js";
import { EditSimilarity } from "../../../src/match/spelling/edit-similarity.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(5);
const below = (most: number): number => Math.floor(random() * most);

/** Texts of 1 to 45 letters of a few, some not ASCII, and slips of them. */
function drawTexts(letters: string): string[] {
  const each = [...letters];
  const texts: string[] = [];
  for (let text = 0; text < 40; text++) {
    const drawn = Array.from({ length: 1 + below(45) }, () => each[below(each.length)]);
    texts.push(drawn.join(""));
    drawn.splice(below(drawn.length), below(3), each[below(each.length)]);
    texts.push(drawn.join(""));
  }
  return texts;
}

it.each(["abcd ", "ab", "abcdé ", "aß日本𝒳 "])(
  "equals 1 − edits / letters of the longer text: %s",
  (letters) => {
    const texts = drawTexts(letters);
    const numbers = new TextNumbers();
    const places = texts.map((text) => numbers.numberOf(text));
    const similarity = new EditSimilarity(numbers.texts());
    for (const [a, x] of texts.entries())
      for (const [b, y] of texts.entries()) {
        const longest = Math.max(x.length, y.length);
        const found = similarity.of(places[a], places[b]);
        if (longest > 40) expect(found).toBeUndefined();
        else {
          expect(found).toBe(1 - distance(x, y) / longest);
          expect(similarity.areSingle).toBe(!x.includes(" ") && !y.includes(" "));
        }
      }
  },
);
