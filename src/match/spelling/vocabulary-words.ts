/** The words of a vocabulary, by number. Most questions about two of them are answered by their bytes, without reading them. */
import { hasDigit, isDigit } from "../cells/cell-words.js";
import { type Texts, textReader } from "../columns/texts.js";
import { functionWords, legalForms, shortestOfTwoEdits, softLikeness } from "./soft-words.js";

/** Neighbours that are joined to one word. */
const mostJoined = 4;

export class VocabularyWords {
  readonly read: (word: number) => string;
  readonly #texts: Texts;
  readonly #optional: boolean[] = [];

  constructor(texts: Texts) {
    this.#texts = texts;
    this.read = textReader(texts);
  }

  /** Whether a name may leave a word out: an article, a legal form, an initial; and a number, which is compared for itself. */
  isOptional(word: number): boolean {
    this.#optional[word] ??= isOptional(this.read(word));
    return this.#optional[word];
  }

  /** How alike two different words are, as {@link softLikeness}. */
  likeness(a: number, b: number): number {
    return this.#areFarApart(a, b) ? 0 : softLikeness(this.read(a), this.read(b));
  }

  /**
   * Whether two words cannot be alike: of ASCII, with other first letters, and more than one edit apart where one is all that is
   * forgiven. Others may not be alike either.
   */
  #areFarApart(a: number, b: number): boolean {
    const { starts, items: bytes } = this.#texts;
    const [fromA, fromB] = [starts[a], starts[b]];
    let [toA, toB] = [starts[a + 1], starts[b + 1]];
    if (bytes[fromA] === bytes[fromB]) return false;
    const [kindA, kindB] = [this.#kindOf(fromA, toA), this.#kindOf(fromB, toB)];
    if (kindA === "other" || kindB === "other") return false;
    const shortest = Math.min(toA - fromA, toB - fromB);
    const hasDigit = kindA === "digits" || kindB === "digits";
    if (!hasDigit && shortest >= shortestOfTwoEdits) return false;
    // First letters differ, so that one edit, or one exchange of the first two letters, leaves an equal end.
    while (toA > fromA && toB > fromB && bytes[toA - 1] === bytes[toB - 1]) {
      toA--;
      toB--;
    }
    const rest = Math.max(toA - fromA, toB - fromB);
    if (rest <= 1) return false;
    const isExchanged =
      rest === 2 &&
      toA - fromA === toB - fromB &&
      bytes[fromA] === bytes[fromB + 1] &&
      bytes[fromA + 1] === bytes[fromB];
    return !isExchanged;
  }

  /** Whether some bytes are ASCII letters, or have digits among them. */
  #kindOf(from: number, to: number): "letters" | "digits" | "other" {
    const { items: bytes } = this.#texts;
    let hasDigit = false;
    for (let place = from; place < to; place++) {
      if (bytes[place] >= 0x80) return "other";
      if (isDigit(bytes[place])) hasDigit = true;
    }
    return hasDigit ? "digits" : "letters";
  }

  /** Whether the letters of a word are in another word. */
  contains(whole: number, part: number): boolean {
    const { starts, items: bytes } = this.#texts;
    const [first, length] = [starts[part], starts[part + 1] - starts[part]];
    const last = starts[whole + 1] - length;
    for (let from = starts[whole]; from <= last; from++) {
      let same = 0;
      while (same < length && bytes[from + same] === bytes[first + same]) same++;
      if (same === length) return true;
    }
    return false;
  }

  /** The end of 2 to 4 neighbours from a place on that join to one word, -1 without such. @param wordAt -1 for none */
  joinedEnd(whole: number, from: number, to: number, wordAt: (place: number) => number): number {
    const { starts, items: bytes } = this.#texts;
    const wholeEnd = starts[whole + 1];
    let [at, end] = [starts[whole], from];
    for (; end < to && end - from < mostJoined && at < wholeEnd; end++) {
      const part = wordAt(end);
      if (part < 0) return -1;
      const partEnd = starts[part + 1];
      // An empty part would join to any word.
      if (starts[part] === partEnd || partEnd - starts[part] > wholeEnd - at) return -1;
      for (let place = starts[part]; place < partEnd; place++) if (bytes[place] !== bytes[at++]) return -1;
    }
    return at === wholeEnd && end - from > 1 ? end : -1;
  }

  /**
   * The places of the number and of the letter that a word such as "135c" is made of, which need not be neighbours, as in
   * "135 Market Street, Apt C"; undefined for other words, and without both. @param wordAt -1 for none
   */
  lettered(
    whole: number,
    from: number,
    to: number,
    wordAt: (place: number) => number,
  ): readonly [number, number] | undefined {
    const { starts, items: bytes } = this.#texts;
    const [first, last] = [starts[whole], starts[whole + 1] - 1];
    if (last <= first || isDigit(bytes[last]) || bytes[last] >= 0x80) return undefined;
    for (let at = first; at < last; at++) if (!isDigit(bytes[at])) return undefined;
    let [number, letter] = [-1, -1];
    for (let place = from; place < to; place++) {
      const part = wordAt(place);
      if (part < 0) continue;
      const length = starts[part + 1] - starts[part];
      if (length === 1 && bytes[starts[part]] === bytes[last]) letter = place;
      else if (length === last - first && isDigit(bytes[starts[part + 1] - 1]) && this.contains(whole, part))
        number = place;
    }
    return number < 0 || letter < 0 ? undefined : [number, letter];
  }

  /** The end of neighbours from a place on whose first letters are a word, as of "ICDE", function words left out; else -1. */
  initialsEnd(initials: number, from: number, to: number, wordAt: (place: number) => number): number {
    const { starts, items: bytes } = this.#texts;
    const last = starts[initials + 1];
    let [at, end] = [starts[initials], from];
    for (; end < to && at < last; end++) {
      const part = wordAt(end);
      if (isDigit(bytes[at]) || bytes[at] >= 0x80) return -1;
      if (bytes[starts[part]] === bytes[at]) at++;
      else if (end === from || !functionWords.has(this.read(part))) return -1;
    }
    return at === last && end - from > 1 ? end : -1;
  }
}

const isOptional = (word: string): boolean =>
  word.length === 1 || hasDigit(word) || functionWords.has(word) || legalForms.has(word);
