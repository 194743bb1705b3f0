/** A phrase as the characters that people see, with what the character rules need to know of each. */

/** The characters of a phrase; a letter with its accents, or an emoji, is one. */
export type Units = string[];

// Beyond these, what looks like one character may take several code units.
const severalCodeUnits = /[\p{M}\ud800-\udfff\u1100-\u11ff\u200d]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The units of a text; joined they give the text again. */
export function unitsOf(text: string): Units {
  if (isAscii(text) || !severalCodeUnits.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
}

/** What a unit is; words are runs of letters and digits. */
export const OTHER = 0;
export const LETTER = 1;
export const DIGIT = 2;
export type UnitKind = typeof OTHER | typeof LETTER | typeof DIGIT;

const letter = /^\p{L}/u;
const digit = /^\p{N}/u;

export function kindOf(unit: string): UnitKind {
  const code = unit.charCodeAt(0);
  if (code < 128) {
    if ((code | 32) >= 97 && (code | 32) <= 122) return LETTER;
    return code >= 48 && code <= 57 ? DIGIT : OTHER;
  }
  return letter.test(unit) ? LETTER : digit.test(unit) ? DIGIT : OTHER;
}

/** Whether a unit is a capital: it has a lower-case form and is not it. */
export function isCapital(unit: string): boolean {
  return unit !== unit.toLowerCase();
}

/** `unit` as a capital where `model` is one, else in lower case; as it is where its case changes its length (ß). */
export function inCaseOf(model: string, unit: string): string {
  const cased = isCapital(model) ? unit.toUpperCase() : unit.toLowerCase();
  return cased.length === unit.length ? cased : unit;
}
