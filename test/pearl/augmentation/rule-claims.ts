/** Claims about what a rule makes of phrases, for tests. */
import { expect, it } from "vitest";
import { type List, outcomesOf, type PhraseContext } from "../../../src/pearl/augmentation/rule.js";

/** Each line: a phrase, and all that the rule makes of it, worked out by hand. */
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
