/** Claims about what a rule makes of phrases, for tests. */
import { expect, it } from "vitest";
import { type Draw, type List, outcomesOf, type PhraseContext } from "../../src/augmentation/rule.js";
import { createRandom } from "../../src/random.js";

/** For each phrase, everything that the rule makes of it, worked out by hand. */
export function claims(
  name: string,
  list: List,
  cases: Record<string, readonly string[]>,
  context: PhraseContext = {},
): void {
  it.each(Object.entries(cases))(`${name}: %s`, (phrase, expected) => {
    expect([...outcomesOf(list, phrase, context)].sort()).toEqual([...expected].sort());
  });
}

/** What a rule makes of a phrase in 600 draws. */
export function manyDraws(draw: Draw, phrase: string, context: PhraseContext = {}): (string | undefined)[] {
  const random = createRandom(17);
  return [...new Set(Array.from({ length: 600 }, () => draw(phrase, random, context)))].sort();
}
