/** The kinds of words in the chunker's patterns: one letter each, from a word and its tag. */
import { wordList, wordSet } from "../../text/word-lists.js";
import type { Word } from "./tagger.js";

/*
 * D determiner      S possessive pronoun   P pronoun          G possessive ending
 * N noun            X proper noun          # number           $ currency sign
 * % per cent        A adjective            R adverb           q words before a number ("about", "more than")
 * M modal           B be, have, do         V verb             E participle in -ed, -en
 * I verb in -ing    T to before a verb     L not              p preposition
 * o particle        & and, or, but         , comma            a ampersand
 * . anything else
 */

const fixed = wordList("word-kinds", (entries) => new Map(entries.map(([word, kind]) => [word, kind])));
const participles = wordSet("participles");
const letterOfTag: Readonly<Record<string, string>> = {
  ...{ DET: "D", PRON: "P", NOUN: "N", X: "X", NUM: "#", ADJ: "A", ADV: "R", AUX: "B", CCONJ: "&" },
};
const possessiveEndings = new Set(["'s", "’s", "'"]);
const otherScript = /^(?!.*[\p{Script=Latin}\d]).*\p{L}/u;
const particles = new Set("up down out off away back together apart aside".split(" "));
/** No base form of a verb follows these: a word tagged so is a noun ("was part of"). */
const finite = new Set("is are was were be been being has have had 's 're 've".split(" "));
const quantities = new Set("many most few several".split(" "));
const beforeNumbers = new Set(
  "about nearly almost approximately roughly around over under only some up just".split(" "),
);
/** Words that open a noun phrase before its article: "all the people", "half a million". */
const predeterminers = new Set("all both half such many quite what".split(" "));
/** Comparisons that stand before a number as a whole. */
const numberLeads = "more than|less than|fewer than|at least|at most|as much as|as many as".split("|");
/** Prepositions of two words, and adverbs that stand before one. */
const doublePrepositions = wordSet("double-prepositions");

/** One letter a word; the same length as `words`. */
export function kindsOf(words: readonly Word[]): string {
  const lower = words.map(({ text }) => text.toLowerCase());
  const letters = words.map((word, index) => letterOf(word, lower[index]));
  for (let index = 0; index < letters.length; index++) refine(letters, lower, words, index);
  return letters.join("");
}

function letterOf({ tag, text }: Word, lower: string): string {
  if (tag === "PUNCT" && lower !== ",") return ".";
  // The tagger knows English: other scripts separate phrases.
  if (otherScript.test(lower)) return ".";
  const letter = fixed().get(lower);
  if (letter !== undefined && !(letter === "p" && tag === "ADV") && !(tag === "PROPN" && letter !== "p"))
    return letter;
  if (tag === "PROPN") return letter === "D" ? "D" : "X";
  if (tag === "PART") return lower === "to" ? "T" : possessiveEndings.has(lower) ? "G" : "o";
  if (tag === "ADP") return particles.has(lower) ? "o" : "p";
  if (tag === "VERB") return verbLetter(lower);
  if (tag === "SYM") return /^[#$€£]/.test(text) ? "$" : ".";
  return letterOfTag[tag] ?? ".";
}

function verbLetter(lower: string): string {
  if (lower.endsWith("ing") && lower.length > 4) return "I";
  return (lower.endsWith("ed") && lower.length > 3) || participles().has(lower) ? "E" : "V";
}

const verbal = /[VB]/;
const numeral = /[#$]/;

/** Corrections that need the neighbours. */
function refine(letters: string[], lower: string[], words: readonly Word[], index: number): void {
  const word = lower[index];
  const { tag } = words[index];
  const before = letters[index - 1] ?? "";
  const after = letters[index + 1] ?? "";
  if (word === "to") {
    const isPlural = after === "V" && /[^s]s$/.test(lower[index + 1]);
    if (isPlural) letters[index + 1] = "N";
    const isInfinitive =
      verbal.test(after) ||
      (tag === "PART" && !/^(?:[DSPX#$q]|R[#$])/.test(after + (letters[index + 2] ?? "")));
    letters[index] = !isPlural && isInfinitive ? "T" : "p";
  } else if (word === "her") letters[index] = /[NXA#EIR]/.test(after) ? "S" : "P";
  else if (word === "there") letters[index] = tag === "PRON" || /[BM]/.test(after) ? "P" : "R";
  else if (quantities.has(word) && !/[NXAEIR#a]/.test(after)) letters[index] = "P";
  else if ((word === "earlier" || word === "later") && after === "D") letters[index] = "q";
  else if (word === "while" && before === "D") letters[index] = "N";
  else if (word === "that" || word === "what")
    letters[index] = /[NXA#]/.test(after) && tag === "DET" ? "D" : "P";
  else if (word === "'s" || word === "’s") {
    if (tag !== "AUX" || /[NX]/.test(before)) letters[index] = before === "P" ? "B" : "G";
  } else if (word === "'" && before === "N") letters[index] = "G";
  else if (word === "as" || word === "like" || word === "since" || word === "before") {
    letters[index] = word === "as" && /[AR]/.test(after) && before !== "V" ? "R" : "p";
  } else if (beforeNumbers.has(word) && (numeral.test(after) || after === "D") && tag !== "DET") {
    if (numeral.test(after)) letters[index] = "q";
  }
  if (predeterminers.has(word) && /[DS]/.test(after)) letters[index] = "D";
  if (letters[index] === "V" && before === "B" && finite.has(lower[index - 1])) letters[index] = "N";
  // After "will" comes a verb, also where it could be an adjective ("will narrow").
  if (before === "M" && /[AN]/.test(letters[index]) && !/[NXA]/.test(after)) letters[index] = "V";
  // Capitalised words belong to the name next to them: "Red Cross", "Far East".
  const isName = /[VEIARN]/.test(letters[index]) && index > 0 && /^\p{Lu}\p{Ll}/u.test(words[index].text);
  if (isName && (before === "X" || (after === "X" && before !== ""))) letters[index] = "X";
  markPairs(letters, lower, index);
}

/** Fixed sequences: "more than" before a number, "because of". */
function markPairs(letters: string[], lower: string[], index: number): void {
  const pair = `${lower[index]} ${lower[index + 1]}`;
  if (doublePrepositions().has(pair) && !numeral.test(letters[index + 2] ?? "")) {
    letters[index] = "p";
    letters[index + 1] = "p";
    return;
  }
  for (const lead of numberLeads) {
    const length = lead.split(" ").length;
    if (lead !== lower.slice(index, index + length).join(" ")) continue;
    if (!/[#$D]/.test(letters[index + length] ?? "")) continue;
    for (let place = index; place < index + length; place++) letters[place] = "q";
  }
}
