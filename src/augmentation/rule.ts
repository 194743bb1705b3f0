/** What a rule of augmentation is, all rules by name, and the letter case of what they write. */
import type { EntityType } from "../pearl/phrase-types.js";
import type { Random } from "../random.js";

/** What is known of a phrase besides its text. */
export interface PhraseContext {
  /** Its entity type. Rules for persons then apply to every PERSON and to nothing else. */
  readonly type?: EntityType;
}

/** Draws a text that differs from the phrase; undefined where the rule does not apply. */
export type Draw = (phrase: string, random: Random, context: PhraseContext) => string | undefined;

/** Lists all texts that a rule makes of the phrase. Repetitions, "" and the phrase itself are removed later. */
export type List = (phrase: string, context: PhraseContext) => readonly string[];

export const pick = <Item>(items: ArrayLike<Item>, random: Random): Item =>
  items[Math.floor(random() * items.length)];

/** The texts without repetitions, without "", and without the phrase itself in any letter case. */
export function othersThan(phrase: string, texts: readonly string[]): string[] {
  const own = phrase.toLowerCase();
  const different = new Set<string>();
  for (const text of texts) if (text !== "" && text.toLowerCase() !== own) different.add(text);
  return [...different];
}

/** The phrase with one part at a time replaced by each of its alternatives. */
export function oneReplaced(
  parts: readonly string[],
  alternativesOf: (part: string, index: number) => readonly string[],
): string[] {
  const texts: string[] = [];
  for (let index = 0; index < parts.length; index++)
    for (const other of alternativesOf(parts[index], index)) texts.push(parts.with(index, other).join(" "));
  return texts;
}

/** PEARL's three granularities (Chen et al. 2024, section 3); "none" for a twin equal to its phrase. */
export type Granularity = "character" | "token" | "phrase" | "none";

/** The words of a text, as types too. */
type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
const words = <const Text extends string>(text: Text) => text.split(" ") as Words<Text>[];

/**
 * Kinds of augmentation that share one probability: one of their rules that apply is drawn. "character", "synonym",
 * "paraphrase" and "word-swap" are the paper's kinds; "name-words" and "name-forms" are for names. The rules
 * of "paraphrase" besides files replace Parrot, the paper's model.
 */
export const RULE_GROUPS = {
  character: words(
    "swap-characters drop-character insert-character keyboard-neighbour random-character ocr-confusion",
  ),
  synonym: words("wordnet-synonym word-vector"),
  paraphrase: words(
    "known-synonym paraphrase-file acronym initials qualifier year legal-form of-phrase number-word",
  ),
  "word-swap": words("swap-words"),
  "name-words": words(
    "abbreviation shorten-word drop-short-word drop-end-word join-words split-word shuffle-words add-suffix insert-word",
  ),
  "name-forms": words("nickname middle-name surname first-letters add-qualifier drop-qualifier"),
} as const;

export type RuleGroup = keyof typeof RULE_GROUPS;

/** All rules, in the order in which results count them. */
export const RULE_NAMES = [
  ...Object.values(RULE_GROUPS).flat(),
  ...words("punctuation transliteration letter-case dropout unchanged"),
];

export type RuleName = (typeof RULE_NAMES)[number];

/** One augmented phrase. */
export interface Twin {
  readonly text: string;
  /** The rule that made it, the first of several; "unchanged" and "dropout" give the phrase itself. */
  readonly rule: RuleName;
  /** The coarsest, if several rules made it. */
  readonly granularity: Granularity;
  /** The rules after the first, in the order in which they were applied; absent if there was only one. */
  readonly further?: readonly RuleName[];
}

export const rulesOfTwin = ({ rule, further = [] }: Twin): readonly RuleName[] => [rule, ...further];

export interface Rule {
  readonly name: RuleName;
  readonly granularity: Granularity;
  readonly draw: Draw;
  /** Up to `count` different outcomes. */
  outcomes(phrase: string, count: number, random: Random, context: PhraseContext): readonly string[];
}

/** A rule that draws its outcome, such as a typing error. */
export function drawn(name: RuleName, granularity: Granularity, draw: Draw): Rule {
  return {
    ...{ name, granularity, draw },
    outcomes: (phrase, count, random, context) => {
      const texts = new Set<string>();
      for (let attempt = 0; attempt < 4 * count && texts.size < count; attempt++) {
        const text = draw(phrase, random, context);
        if (text === undefined) break;
        texts.add(text);
      }
      return [...texts];
    },
  };
}

/** A rule that picks its outcome from a list, such as a synonym. */
export function listed(name: RuleName, granularity: Granularity, list: List): Rule {
  return {
    ...{ name, granularity },
    draw: (phrase, random, context) => {
      const outcomes = outcomesOf(list, phrase, context);
      return outcomes.length === 0 ? undefined : pick(outcomes, random);
    },
    outcomes: (phrase, count, _, context) => outcomesOf(list, phrase, context).slice(0, count),
  };
}

/** Longer texts have no lists: copies of a whole book, one for each synonym in it, would fill the memory. */
const longestListed = 1000;

/** All different texts that a rule makes of a phrase; none of a text beyond 1,000 characters. */
export function outcomesOf(list: List, phrase: string, context: PhraseContext): readonly string[] {
  const texts = phrase.length > longestListed ? [] : list(phrase, context);
  return texts.length === 0 ? texts : othersThan(phrase, texts);
}

const small = new Set("a an and at by de for from in of on or the to und van von with y".split(" "));

/**
 * `text` in the letter case of `model`: all capitals, capitalised words, or a capital at the start. Where `model` is in
 * lower case, the text keeps its capitals.
 *
 * @param usual how the dictionary that `text` comes from writes `model`, if it is a name there: where `model` is
 *   written so, the text is returned unchanged ("United States" for "USA")
 */
export function likeCaseOf(model: string, text: string, usual?: string): string {
  if (model === usual) return text;
  const letters = model.replace(/[^\p{L}]/gu, "");
  const lower = letters.toLowerCase();
  if (letters === lower) return usual === undefined ? text : text.toLowerCase();
  if (letters.length >= 2 && letters === letters.toUpperCase()) return text.toUpperCase();
  const words = model.split(" ").filter((word) => !small.has(word));
  return words.every((word) => word !== word.toLowerCase()) ? titleCase(text) : capitalised(text);
}

/** `text` in capitals or lower case where all of `model` is, else unchanged. */
export function inWholeCaseOf(model: string, text: string): string {
  if (model === model.toLowerCase()) return text.toLowerCase();
  return model === model.toUpperCase() ? text.toUpperCase() : text;
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function titleCase(text: string): string {
  return text
    .split(" ")
    .map((word, index) => (index > 0 && small.has(word) ? word : capitalised(word)))
    .join(" ");
}

export const startsCapital = (text: string): boolean => /^[^\p{L}]*\p{Lu}/u.test(text);
