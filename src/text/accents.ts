/** What writers use inconsistently: accents, letters of full width, capitals within words. */

/**
 * Accents of Latin, Greek and Cyrillic letters (most of them shared by all scripts), vowel points of Hebrew, Arabic and
 * Syriac, variants of symbols. Marks of other scripts are vowels, and those of kana other consonants: they tell words apart.
 */
const accents =
  /[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}](?<=\p{M})(?<![\u3099\u309a])/gu;

/** The compatibility decomposition of a text (NFKD) without its accents. */
export const withoutAccents = (text: string): string =>
  /[^\0-\x7f]/.test(text) ? text.normalize("NFKD").replace(accents, "") : text;

/** Lower-case letters that NFKD does not decompose. */
const whole: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", ı: "i", þ: "th" },
};

/** Replaces lower-case letters that NFKD does not decompose: "straße" gives "strasse". */
export const foldLetters = (text: string): string => text.replace(/[ßæœøđðłıþ]/g, (letter) => whole[letter]);

/** A text in lower case, without accents and letters of one language: "Æro", "AERO" and "aéro" are "aero". */
export const folded = (text: string): string => foldLetters(withoutAccents(text).toLowerCase());

/** Words of decomposed texts. */
const words = /[\p{L}\p{M}]+/gu;
const spelledOut = (word: string): string => word.toLowerCase().replace(/(?<=[aou])\u0308/g, "e");

/** Returns a function that gives words the umlauts that they have in any of the texts: "Mueller" becomes "Müller" if that is there. */
export function umlautSpelling(texts: Iterable<string>): (text: string) => string {
  const found = new Map<string, string>();
  const spelled = (word: string): string => {
    const other = found.get(spelledOut(word)) ?? "";
    return word.replace(/e/gi, (e, place) => (other[place] === "\u0308" ? other[place] : e));
  };
  for (const text of texts)
    for (const word of (/[äöü]|\u0308/i.test(text) && text.normalize("NFD").match(words)) || [])
      if (word.includes("\u0308")) found.set(spelledOut(word), spelled(word));
  const mayBeSpelledOut = (text: string): boolean => found.size > 0 && /[aou]e/i.test(text);
  return (text) =>
    mayBeSpelledOut(text) ? text.normalize("NFD").replace(words, spelled).normalize("NFC") : text;
}

/** A text with its letters, digits and signs of full width, as Chinese and Japanese tables have them, in their usual form. */
export const narrow = (text: string): string =>
  /[\u3000\uff01-\uff5e]/.test(text) ? text.replace(/[\u3000\uff01-\uff5e]/g, usual) : text;

const usual = (letter: string): string =>
  letter === "\u3000" ? " " : String.fromCharCode(letter.charCodeAt(0) - 0xfee0);

/** The places between the words of "NYTimes" and "AirForces"; "McDonald", "eBay" and "PhD" have none. */
export const INNER_CAPITALS = /(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})|(?<=\p{Ll}{2})(?=\p{Lu}\p{Ll})/gu;

/** "NYTimes" gives NY and Times, most words only themselves. */
export const partsAtCapitals = (word: string): string[] => word.split(INNER_CAPITALS);
