/** The words of a vocabulary, by number. Questions about parts of them are answered by their bytes, without reading them. */
import { hasDigit, isDigit } from "../cells/cell-words.js";
import { type Texts, textCount, textReader } from "../columns/texts.js";
import { functionWords, isShortFor, legalForms, mostEdits, sidesOf, softLikeness } from "./soft-words.js";

/** Neighbours that are joined to one word. */
const mostJoined = 4;

/** Bits beside those of letters, which are 1 to 26: 0 is for other ASCII characters, digits among them. */
const [digitBit, otherBit] = [1 << 27, 1 << 28];

export class VocabularyWords {
  readonly read: (word: number) => string;
  readonly #texts: Texts;
  readonly #optional: boolean[] = [];
  readonly #sides: (readonly number[])[] = [];
  /** By word a bit for each letter that it has: most words that are not alike are told apart by them. */
  readonly #letters: Int32Array;

  constructor(texts: Texts) {
    this.#texts = texts;
    this.read = textReader(texts);
    this.#letters = Int32Array.from({ length: textCount(texts) }, (_, word) => lettersOf(texts, word));
  }

  /** Whether a name may leave a word out: an article, a legal form, an initial; and a number, which is compared for itself. */
  isOptional(word: number): boolean {
    this.#optional[word] ??= isOptional(this.read(word));
    return this.#optional[word];
  }

  /** What a word says that has opposites, as {@link sidesOf}. */
  sidesOf(word: number): readonly number[] {
    this.#sides[word] ??= sidesOf(this.read(word));
    return this.#sides[word];
  }

  /** How alike two different words are, as {@link softLikeness}. */
  likeness(a: number, b: number): number {
    return this.#mayBeAlike(a, b) ? softLikeness(this.read(a), this.read(b)) : 0;
  }

  /** False only for words that {@link softLikeness} finds not alike at all. */
  #mayBeAlike(a: number, b: number): boolean {
    const { starts, items: bytes } = this.#texts;
    const [x, y] = [this.#letters[a], this.#letters[b]];
    if (((x | y) & otherBit) !== 0) return true;
    const [ofA, ofB] = [starts[a + 1] - starts[a], starts[b + 1] - starts[b]];
    const short = Math.min(ofA, ofB);
    const sameFirst = this.beginAlike(a, b);
    if (((x | y) & digitBit) !== 0) return short >= (sameFirst ? 5 : 7);
    if (short < 3) return short === 1 && sameFirst;
    if (
      sameFirst &&
      bytes[starts[a] + 1] === bytes[starts[b] + 1] &&
      bytes[starts[a] + 2] === bytes[starts[b] + 2]
    )
      return true;
    const most = mostEdits(short);
    // An edit takes one letter at most.
    return Math.abs(ofA - ofB) <= most && bitsOf(x & ~y) <= most && bitsOf(y & ~x) <= most;
  }

  /** Whether the first bytes of two words are equal. Neighbours that join to a word, or have it as initials, begin with one that does. */
  beginAlike(a: number, b: number): boolean {
    const { starts, items: bytes } = this.#texts;
    return bytes[starts[a]] === bytes[starts[b]];
  }

  /** Whether one word is a standard abbreviation of the other, as {@link isShortFor}. */
  isShortFor(a: number, b: number): boolean {
    return this.beginAlike(a, b) && isShortFor(this.read(a), this.read(b));
  }

  /** Whether the letters of a word are in another word. */
  contains(whole: number, part: number): boolean {
    if ((this.#letters[part] & ~this.#letters[whole]) !== 0) return false;
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

function lettersOf({ starts, items: bytes }: Texts, word: number): number {
  let letters = 0;
  for (let place = starts[word]; place < starts[word + 1]; place++) {
    const byte = bytes[place];
    if (byte >= 0x80) letters |= otherBit;
    else if (isDigit(byte)) letters |= digitBit | 1;
    else letters |= byte >= 0x61 && byte <= 0x7a ? 1 << (byte - 0x60) : 1;
  }
  return letters;
}

/** How many bits are set. */
function bitsOf(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

const isOptional = (word: string): boolean =>
  word.length === 1 || hasDigit(word) || functionWords.has(word) || legalForms.has(word);
