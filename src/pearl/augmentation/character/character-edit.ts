/** What the character rules share: one edit in one word, its case pattern kept (after nlpaug). */
import type { Random } from "../../../random.js";
import type { Draw } from "../rule.js";

export interface CharacterSettings {
  /** Whether typing errors may change digits; a year with another digit is another year. */
  readonly digits: "keep" | "change";
  /** Letters that a word needs for a typing error in it. */
  readonly minimumWordLength: number;
  /** What replaces a letter at random: a letter, or as in the published code any letter, digit or sign. */
  readonly randomCharacters: "same-kind" | "published";
}

/** Words are runs of letters and digits. */
type Kind = "letter" | "digit" | "other";

/** A phrase taken apart, and the places where a character may be changed. */
export interface Taken {
  readonly units: string[];
  readonly kinds: readonly Kind[];
  /** Positions of letters (and of digits, where they may change) in words that are long enough. */
  readonly places: readonly number[];
}

/** Changes `units` in place; returns false where it does not apply. */
export type Edit = (taken: Taken, random: Random, settings: CharacterSettings) => boolean;

export function characterEdit(edit: Edit, settings: CharacterSettings): Draw {
  return (phrase, random) => {
    const taken = takeApart(phrase, settings);
    if (taken.places.length === 0 || !edit(taken, random, settings)) return undefined;
    const text = taken.units.join("");
    return text === phrase || text.trim() === "" ? undefined : text;
  };
}

function takeApart(phrase: string, { digits, minimumWordLength }: CharacterSettings): Taken {
  const units = unitsOf(phrase);
  const kinds = units.map(kindOf);
  const places: number[] = [];
  let start = 0;
  for (let end = 0; end <= units.length; end++) {
    if (end < units.length && kinds[end] !== "other") continue;
    if (end - start >= minimumWordLength) {
      for (let place = start; place < end; place++) {
        if (kinds[place] === "letter" || digits === "change") places.push(place);
      }
    }
    start = end + 1;
  }
  return { units, kinds, places };
}

/** Beyond these, what looks like one character may take several code units. */
const severalCodeUnits = /[\p{M}\ud800-\udfff\u1100-\u11ff\u200d]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The characters that people see: a letter with its accents, or an emoji, is one. */
export function unitsOf(text: string): string[] {
  if (!severalCodeUnits.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const kindOf = (unit: string): Kind =>
  /^\p{L}/u.test(unit) ? "letter" : /^\p{N}/u.test(unit) ? "digit" : "other";

export const isCapital = (unit: string): boolean => unit !== unit.toLowerCase();

/** `unit` as a capital where `model` is one, else in lower case; unchanged where its case changes its length (ß). */
export function inCaseOf(model: string, unit: string): string {
  const cased = isCapital(model) ? unit.toUpperCase() : unit.toLowerCase();
  return cased.length === unit.length ? cased : unit;
}
