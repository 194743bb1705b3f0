/** In place of the paper's paraphrases (Parrot): Numbers in words and in digits: three, 3; second, 2nd; World War II, World War 2. */

import { type ListedRule, othersThan } from "../rule.js";
import { likeCaseOf } from "./letter-case.js";

const upToNineteen = (
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
  "seventeen eighteen nineteen"
).split(" ");
const tens = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ordinalsUpToNineteen = (
  "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth " +
  "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split(" ");
const romans = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split(" ");

/** Spellings that stand for one another, by lower-case word. */
const counterparts = new Map<string, string>();

for (let value = 0; value <= 99; value++) {
  join(cardinal(value), String(value));
  if (value > 0) join(ordinal(value), `${value}${ordinalEnding(value)}`);
}

function join(word: string, digits: string): void {
  counterparts.set(word, digits);
  counterparts.set(digits, word);
}

/** 42 in words: "forty-two". @param value 0 to 99 */
export function cardinal(value: number): string {
  if (value < 20) return upToNineteen[value];
  const unit = value % 10;
  return tens[Math.floor(value / 10) - 2] + (unit === 0 ? "" : `-${upToNineteen[unit]}`);
}

/** 42nd in words: "forty-second". @param value 0 to 99 */
export function ordinal(value: number): string {
  if (value < 20) return ordinalsUpToNineteen[value];
  const unit = value % 10;
  const ten = tens[Math.floor(value / 10) - 2];
  return unit === 0 ? ten.replace(/y$/, "ieth") : `${ten}-${ordinalsUpToNineteen[unit]}`;
}

/** "st", "nd", "rd" or "th". */
export function ordinalEnding(value: number): string {
  const unit = Math.floor(value / 10) % 10 === 1 ? 0 : value % 10;
  return ["th", "st", "nd", "rd"][unit] ?? "th";
}

/**
 * The rule: each number word, ordinal or counting number below 100, one at a time; a Roman numeral at the
 * end of a name. "one", "zero" and a "second" that may be a unit of time stay.
 */
export const numberWordRule: ListedRule = {
  name: "number-word",
  granularity: "phrase",
  list: (phrase) => {
    const words = phrase.split(" ");
    const texts: string[] = [];
    words.forEach((word, index) => {
      const other = counterpartOf(word, words, index);
      if (other !== undefined)
        texts.push([...words.slice(0, index), other, ...words.slice(index + 1)].join(" "));
    });
    return texts.length === 0 ? texts : othersThan(phrase, texts);
  },
};

function counterpartOf(word: string, words: readonly string[], index: number): string | undefined {
  const lower = word.toLowerCase();
  if (lower === "one" || lower === "zero") return undefined;
  if (lower === "second" && (index > 0 || words.length === 1) && !/^\p{Lu}/u.test(word)) return undefined;
  const numeral = index === words.length - 1 ? romanCounterpart(word, words[index - 1] ?? "") : undefined;
  if (numeral !== undefined) return numeral;
  const other = counterparts.get(lower);
  if (other === undefined || !/^\d/.test(word)) return other;
  // "sigma 54", "3 May" and "Interleukin - 1" are not spelled out; what counts the word after it is.
  const next = words[index + 1] ?? "";
  const counts = /^\p{L}{2}/u.test(next) && !month.test(next) && (index === 0 || /\D$/.test(word));
  return counts ? likeCaseOf(next.slice(0, 1) + next.slice(1).toLowerCase(), other) : undefined;
}

/** "World War II" and "World War 2", "Henry VIII" and "Henry 8"; a lone letter or digit only after what is numbered. */
function romanCounterpart(word: string, before: string): string | undefined {
  if (!/^\p{Lu}\p{L}+$/u.test(before) || word.length > 5) return undefined;
  const value = romans.indexOf(word) + 1;
  if (value > 1 || (value === 1 && numbered.test(before))) return String(value);
  const isNumber = /^[1-9]\d?$/.test(word) && Number(word) <= romans.length;
  return isNumber && numbered.test(before) ? romans[Number(word) - 1] : undefined;
}

const month = /^(?:jan|feb|mar(?:ch|\.|$)|apr|may$|june?|july?|aug|sep|oct|nov|dec)/i;

/** Words that a Roman numeral counts. */
const numbered = /^(?:act|book|chapter|episode|part|phase|season|series|stage|title|type|volume|war)$/i;
