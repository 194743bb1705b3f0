/** Rules for how a phrase is written: punctuation, letter case, numbers in words or digits. */
import { wordList } from "../text/word-lists.js";
import { type Draw, type List, likeCaseOf, oneReplaced, pick, titleCase } from "./rule.js";

/** Those of AEDA (Karimi et al. 2021), which EdaCSE uses too. */
const marks = [".", ";", "?", ":", "!", ","];

/** Adds one mark, or up to a third as many as there are words, before words or at the end, as separate words. */
export const addPunctuation: Draw = (phrase, random) => {
  if (phrase.trim() === "") return undefined;
  const words = phrase.split(" ");
  const most = Math.max(1, Math.floor(words.length / 3));
  const count = 1 + Math.floor(random() * most);
  for (let added = 0; added < count; added++) {
    words.splice(Math.floor(random() * (words.length + 1)), 0, pick(marks, random));
  }
  return words.join(" ");
};

/** Lower case, capitals or title case, as tables write names. */
export const changeLetterCase: Draw = (phrase, random) => {
  const inLowerCase = phrase.toLowerCase();
  const others = [inLowerCase, phrase.toUpperCase(), titleCase(inLowerCase)].filter(
    (text) => text !== phrase,
  );
  return others.length === 0 ? undefined : pick(others, random);
};

/** Roman numerals from 1 on. */
const romans = "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX".split(" ");

/** Words and digits that stand for one another, in lower case: "forty-two" and "42", "forty-second" and "42nd". */
const counterparts = wordList("numbers", (entries) => {
  const words = new Map(entries.map(([value, ...own]) => [Number(value), own]));
  const found = new Map<string, string>();
  for (let value = 0; value <= 99; value++) {
    const unit = value % 10;
    const inTens = (word: string): string => `${words.get(value - unit)![0]}-${word}`;
    const [cardinal, ordinal] = words.get(value) ?? words.get(unit)!.map(inTens);
    const ending = value > 10 && value < 14 ? "th" : (["th", "st", "nd", "rd"][unit] ?? "th");
    found.set(cardinal, `${value}`).set(`${value}`, cardinal);
    if (value > 0) found.set(ordinal, value + ending).set(value + ending, ordinal);
  }
  return found;
});

/**
 * One number below 100 in words or digits, ordinal or cardinal, becomes the other (three, 3; second, 2nd), as does a
 * Roman numeral at the end of a name (World War II, World War 2). "one", "zero" and a "second" that may be a unit of time
 * stay.
 */
export const spellNumber: List = (phrase) => {
  const words = phrase.split(" ");
  return oneReplaced(words, (word, index) => {
    const other = counterpartOf(word, words, index);
    return other === undefined ? [] : [other];
  });
};

function counterpartOf(word: string, words: readonly string[], index: number): string | undefined {
  const lower = word.toLowerCase();
  if (lower === "one" || lower === "zero") return undefined;
  if (lower === "second" && (index > 0 || words.length === 1) && !/^\p{Lu}/u.test(word)) return undefined;
  const numeral = index === words.length - 1 ? romanCounterpart(word, words[index - 1] ?? "") : undefined;
  if (numeral !== undefined) return numeral;
  const other = counterparts().get(lower);
  if (other === undefined || !/^\d/.test(word)) return other;
  // "sigma 54", "3 May" and "Interleukin - 1" are not spelled out, only numbers that count the next word.
  const next = words[index + 1] ?? "";
  const counts = /^\p{L}{2}/u.test(next) && !month.test(next) && (index === 0 || /\D$/.test(word));
  return counts ? likeCaseOf(next.slice(0, 1) + next.slice(1).toLowerCase(), other) : undefined;
}

/** "World War II" and "World War 2", "Henry VIII" and "Henry 8"; a lone letter or digit only after such a word. */
function romanCounterpart(word: string, before: string): string | undefined {
  if (!/^\p{Lu}\p{L}+$/u.test(before) || word.length > 5) return undefined;
  const value = romans.indexOf(word) + 1;
  if (value > 1 || (value === 1 && numbered.test(before))) return String(value);
  const isNumber = /^[1-9]\d?$/.test(word) && Number(word) <= romans.length;
  return isNumber && numbered.test(before) ? romans[Number(word) - 1] : undefined;
}

const month = /^(?:jan|feb|mar(?:ch|\.|$)|apr|may$|june?|july?|aug|sep|oct|nov|dec)/i;

const numbered = /^(?:act|book|chapter|episode|part|phase|season|series|stage|title|type|volume|war)$/i;

// The paper's rule: two words change places.

/** A word without the punctuation around it: `core` of `(Smith,` is `Smith`. */
const core = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/u;
/** nltk's wordpunct tokens, which the published code swaps. */
const wordOrMarks = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]+/gu;

/** Swaps two neighbours and leaves punctuation in its place. */
export const swapNeighbours: Draw = (phrase, random) => {
  const words = phrase.split(" ");
  if (words.length < 2) return undefined;
  const cores = words.map((word) => core.exec(word)?.[0]);
  const able = [...words.keys()].filter(
    (index) => cores[index] && cores[index + 1] && cores[index] !== cores[index + 1],
  );
  if (able.length === 0) return undefined;
  const index = pick(able, random);
  const [left, right] = [cores[index]!, cores[index + 1]!];
  words[index] = words[index].replace(left, () => right);
  words[index + 1] = words[index + 1].replace(right, () => left);
  return words.join(" ");
};

/** The published change_word_order, any two tokens; it also puts spaces around punctuation, as there. */
export const swapAnyTokens: Draw = (phrase, random) => {
  const tokens = phrase.match(wordOrMarks) ?? [];
  if (tokens.length < 2) return undefined;
  const first = Math.floor(random() * tokens.length);
  const second = (first + 1 + Math.floor(random() * (tokens.length - 1))) % tokens.length;
  if (tokens[first] === tokens[second]) return undefined;
  [tokens[first], tokens[second]] = [tokens[second], tokens[first]];
  return tokens.join(" ");
};
