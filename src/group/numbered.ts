/**
 * Numbered names: many phrases with the same words and different numbers, such as "Part 000123". Different numbers mean
 * different things (same-table.ts halves their similarity), so such a phrase can only mean a phrase with the same numbers.
 * Its neighbours by embedding and by n-grams would all be other parts.
 */
import { TextNumbers } from "../match/columns/texts.js";
import { numberValue, readJoinPhrase } from "../match/evidence/phrase.js";
import { placesByNumber } from "../places-by-number.js";

/** Phrases with the same words, apart from numbers, from which on they count as numbered. */
const MANY = 1000;

export interface NumberedPhrases {
  /** Per phrase, 1 if at least `MANY` phrases have the same words apart from numbers, none in parentheses. */
  readonly isNumbered: Uint8Array;
  /** Per phrase: equal for phrases with equal sets of numbers outside parentheses. */
  readonly numbers: Int32Array;
}

/** Finds numbered phrases, and those of them that can mean no other phrase: no other has their numbers. */
export function numberedPhrases(
  phrases: readonly string[],
): NumberedPhrases & { readonly isAlone: Uint8Array } {
  const keys = new TextNumbers();
  const wordings = new Int32Array(phrases.length);
  const numbers = new Int32Array(phrases.length);
  const everyNumber = new Int32Array(phrases.length);
  for (let row = 0; row < phrases.length; row++) {
    const { words, aside } = readJoinPhrase(phrases[row]);
    const values = words.map(numberValue);
    const setOf = (isCounted: (place: number) => boolean): number =>
      keys.numberOf(
        `# ${[...new Set(values.filter((value, place) => value !== undefined && isCounted(place)))].sort().join(" ")}`,
      );
    numbers[row] = setOf((place) => !aside[place]);
    everyNumber[row] = setOf(() => true);
    const wording = words.filter((_, place) => values[place] === undefined).join(" ");
    const isPlain = values.some((value) => value !== undefined) && numbers[row] === everyNumber[row];
    wordings[row] = isPlain ? keys.numberOf(wording) : -1;
  }
  const rowsOf = new Int32Array(keys.size);
  for (const wording of wordings) if (wording >= 0) rowsOf[wording]++;
  const isNumbered = Uint8Array.from(wordings, (wording) =>
    wording >= 0 && rowsOf[wording] >= MANY ? 1 : 0,
  );
  const withNumbers = new Int32Array(keys.size);
  numbers.forEach((key, row) => {
    withNumbers[key]++;
    if (everyNumber[row] !== key) withNumbers[everyNumber[row]]++;
  });
  return {
    isNumbered,
    numbers,
    isAlone: isNumbered.map((is, row) => (withNumbers[numbers[row]] === 1 ? is : 0)),
  };
}

/** The phrases with the numbers of a phrase. */
export function sameNumbers({ numbers }: NumberedPhrases): (row: number) => Uint32Array {
  const { starts, order } = placesByNumber(numbers);
  return (row) => order.subarray(starts[numbers[row]], starts[numbers[row] + 1]);
}
