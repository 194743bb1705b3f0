/** Gathers the rules of an augmenter, with the resources that its settings name. */
import { characterRules } from "./characters.js";
import type { DrawnRule, Rule } from "./rule.js";
import type { ResolvedSettings } from "./settings.js";
import { punctuationRule, swapWordsRule } from "./words.js";

/** SimCSE's twin is the phrase itself: the network's dropout makes the difference. */
const dropoutRule: DrawnRule = { name: "dropout", granularity: "none", draw: (phrase) => phrase };
const unchangedRule: DrawnRule = { name: "unchanged", granularity: "none", draw: (phrase) => phrase };

/** The rules that have what they need, in the order of RULE_NAMES. @throws TableError, MissingDataError */
export async function createRules(settings: ResolvedSettings): Promise<Rule[]> {
  return [...characterRules(settings), swapWordsRule(settings), punctuationRule, dropoutRule, unchangedRule];
}
