/** Counting of texts. */
import { expect, it } from "vitest";
import { frequentTexts } from "../../../src/match/columns/frequent-texts.js";
import { countBy } from "../../../src/match/group-by.js";
import { createRandom } from "../../../src/random.js";

it("counts as a map does, and keeps the texts that occur often enough", () => {
  const random = createRandom(3);
  const texts = Array.from({ length: 5000 }, () => `été ${Math.floor(900 * random() ** 4)} 名`);
  const counts = countBy(texts, (text) => text);
  for (const least of [1, 3, 40]) {
    const expected = [...counts].filter(([, count]) => count >= least);
    expect(expected.length).toBeGreaterThan(5);
    expect([...frequentTexts(texts, () => least)]).toEqual(expected);
  }
});

it("asks for the least count when all texts are counted", () => {
  let seen = 0;
  const texts = function* () {
    for (; seen < 10; seen++) yield String(seen % 3);
  };
  expect([...frequentTexts(texts(), () => seen / 2.5)]).toEqual([["0", 4]]);
});
