/** Where a word written together has a second word's capital. */

/** Between the words of "NYTimes" and "AirForces"; "McDonald", "eBay" and "PhD" are one. To split or replace at. */
export const INNER_CAPITALS = /(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})|(?<=\p{Ll}{2})(?=\p{Lu}\p{Ll})/gu;

/** The words that a word is written of: "NYTimes" gives NY and Times, most words only themselves. */
export const partsAtCapitals = (word: string): string[] => word.split(INNER_CAPITALS);
