/** Claims about what a rule makes of phrases, for tests. */
import { expect, it } from "vitest";
import type { ListedRule, PhraseContext } from "../../../src/pearl/augmentation/rule.js";

/** Each line: a phrase, and all that the rule makes of it, worked out by hand. */
export function claims(
  rule: ListedRule,
  cases: Record<string, readonly string[]>,
  context: PhraseContext = {},
): void {
  it.each(Object.entries(cases))(`${rule.name}: %s`, (phrase, expected) => {
    expect([...rule.list(phrase, context)].sort()).toEqual([...expected].sort());
  });
}
