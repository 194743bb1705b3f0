/** Words within a word, by their capitals. */

/** The places between the words of "NYTimes" and "AirForces"; "McDonald", "eBay" and "PhD" have none. */
export const INNER_CAPITALS = /(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})|(?<=\p{Ll}{2})(?=\p{Lu}\p{Ll})/gu;

/** "NYTimes" gives NY and Times, most words only themselves. */
export const partsAtCapitals = (word: string): string[] => word.split(INNER_CAPITALS);
