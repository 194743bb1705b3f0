/** What an augmentation rule does: it draws a text, or lists all texts, that it makes of a phrase. */
import type { Random } from "../../random.js";
import type { EntityType } from "../phrase-types.js";

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
