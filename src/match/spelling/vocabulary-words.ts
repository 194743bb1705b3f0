/** The words of a vocabulary, by number. Questions about parts of them are answered by their bytes, without reading them. */
import { hasDigit, isDigit } from "../cells/cell-words.js";
import { type Texts, textReader } from "../columns/texts.js";
import { functionWords, legalForms, softLikeness } from "./soft-words.js";

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
    return softLikeness(this.read(a), this.read(b));
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
