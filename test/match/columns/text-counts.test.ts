/** Counting of texts. */
import { expect, it } from "vitest";
import { countBy } from "../../../src/by-key.js";
import { TextCounts } from "../../../src/match/columns/text-counts.js";
import { createRandom } from "../../../src/random.js";

it("counts as a map does, and gives the texts that occur often enough", () => {
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
