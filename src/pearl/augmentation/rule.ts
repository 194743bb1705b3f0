/** What an augmentation rule is: its name, its granularity, and a way to draw one twin or to list them all. */
import type { Random } from "../../random.js";
import type { EntityType } from "../phrase-types.js";

/** PEARL's three granularities (Chen et al. 2024, section 3), and "none" for a twin equal to its phrase. */
export type Granularity = "character" | "token" | "phrase" | "none";

/**
 * Kinds of augmentation that share one probability: a rule of the kind that applies is drawn. "character", "synonym",
 * "paraphrase" and "word-swap" are the paper's kinds; "name-words" and "name-forms", in folders `names/`, are pearl's
 * own. The head of each rule's file says whether the paper has it.
 */
export const RULE_GROUPS = {
  character: [
    "swap-characters",
    "drop-character",
    "insert-character",
    "keyboard-neighbour",
    "random-character",
    "ocr-confusion",
  ],
  synonym: ["wordnet-synonym", "word-vector"],
  paraphrase: [
    "known-synonym",
    "paraphrase-file",
    "acronym",
    "initials",
    "qualifier",
    "year",
    "legal-form",
    "of-phrase",
    "number-word",
  ],
  "word-swap": ["swap-words"],
  "name-words": [
    "abbreviation",
    "shorten-word",
    "drop-short-word",
    "drop-end-word",
    "join-words",
    "split-word",
    "shuffle-words",
    "add-suffix",
    "insert-word",
  ],
  "name-forms": ["nickname", "middle-name", "surname", "first-letters", "add-qualifier", "drop-qualifier"],
} as const;

export type RuleGroup = keyof typeof RULE_GROUPS;

/** Every rule, in the order in which `pearl augment` lists them. */
export const RULE_NAMES = [
  ...RULE_GROUPS.character,
  ...RULE_GROUPS["word-swap"],
  ...RULE_GROUPS.synonym,
  "punctuation",
  ...RULE_GROUPS.paraphrase,
  "transliteration",
  ...RULE_GROUPS["name-words"],
  ...RULE_GROUPS["name-forms"],
  "letter-case",
  "dropout",
  "unchanged",
] as const;

export type RuleName = (typeof RULE_NAMES)[number];

/** One augmented phrase. */
export interface Twin {
  readonly text: string;
  /** The rule that made it, of several the first; "unchanged" and "dropout" give the phrase itself. */
  readonly rule: RuleName;
  /** Of several rules the coarsest. */
  readonly granularity: Granularity;
  /** The rules after the first, in the order in which they acted; only where several did. */
  readonly further?: readonly RuleName[];
}

/** The rules that made a twin, in the order in which they acted. */
export function rulesOfTwin({ rule, further = [] }: Twin): readonly RuleName[] {
  return [rule, ...further];
}

/** What may be known of a phrase beside its text. */
export interface PhraseContext {
  /** Its entity type: persons' initials are then used for PERSON only, and for every PERSON. */
  readonly type?: EntityType;
}

/** A rule that draws where it acts, such as a typing error. */
export interface DrawnRule {
  readonly name: RuleName;
  readonly granularity: Granularity;
  /** A text that differs from the phrase, or undefined where the rule does not apply to it. */
  draw(phrase: string, random: Random, context: PhraseContext): string | undefined;
}

/** A rule with a list of outcomes, such as a synonym. */
export interface ListedRule {
  readonly name: RuleName;
  readonly granularity: Granularity;
  /** All texts that it makes of the phrase, each different from it; empty where it does not apply. */
  list(phrase: string, context: PhraseContext): readonly string[];
}

export type Rule = DrawnRule | ListedRule;

/** One outcome of a rule, or undefined where it does not apply. */
export function drawFrom(
  rule: Rule,
  phrase: string,
  random: Random,
  context: PhraseContext,
): string | undefined {
  if ("draw" in rule) return rule.draw(phrase, random, context);
  const outcomes = outcomesOf(rule, phrase, context);
  return outcomes.length === 0 ? undefined : pick(outcomes, random);
}

/** Longer texts are no phrases: a list of whole copies, one for each synonym in a book, would fill the memory. */
const longestListed = 1000;

/** All that a rule makes of a phrase; nothing of a text beyond 1,000 characters. */
export function outcomesOf(rule: ListedRule, phrase: string, context: PhraseContext): readonly string[] {
  return phrase.length > longestListed ? [] : rule.list(phrase, context);
}

/** One item, each with the same chance. */
export function pick<Item>(items: ArrayLike<Item>, random: Random): Item {
  return items[Math.floor(random() * items.length)];
}

/** The texts without repetition, and without the phrase itself (also in other letter case). */
export function othersThan(phrase: string, texts: Iterable<string>): string[] {
  const own = phrase.toLowerCase();
  const different = new Set<string>();
  for (const text of texts) if (text !== "" && text.toLowerCase() !== own) different.add(text);
  return [...different];
}
