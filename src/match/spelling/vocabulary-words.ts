/** The words of a vocabulary, by number. Questions about parts of them are answered by their bytes, without reading them. */
import { otherForms } from "../../text/word-lists.js";
import { hasDigit, isDigit } from "../cells/cell-words.js";
import { type Texts, textCount, textReader } from "../columns/texts.js";
import { functionWords, isShortFor, legalForms, mostEdits, sidesOf, softLikeness } from "./soft-words.js";

/** Neighbours that are joined to one word. */
const mostJoined = 4;

/** Bits beside those of letters, which are 1 to 26: 0 is for other ASCII characters, digits among them. */
const [digitBit, otherBit] = [1 << 27, 1 << 28];
const longestMarked = 255;

export class VocabularyWords {
  readonly read: (word: number) => string;
  readonly #texts: Texts;
  readonly #optional: boolean[] = [];
  readonly #givenNames: boolean[] = [];
  readonly #sides: (readonly number[])[] = [];
  /** Most words that are not alike are told apart by them. */
  readonly #marks: Int32Array;

  constructor(texts: Texts) {
    this.#texts = texts;
    this.read = textReader(texts);
    this.#marks = marksOf(texts);
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
    if (!this.#mayBeAlike(a, b) && !(this.#isGivenName(a) && this.#isGivenName(b))) return 0;
    return softLikeness(this.read(a), this.read(b));
  }

  #isGivenName(word: number): boolean {
    this.#givenNames[word] ??= otherForms().has(this.read(word));
    return this.#givenNames[word];
  }

  /** False only for words that {@link softLikeness} finds not alike at all, but for nicknames. */
  #mayBeAlike(a: number, b: number): boolean {
    const [x, y] = [this.#marks[2 * a], this.#marks[2 * b]];
    if (((x | y) & otherBit) !== 0) return true;
    const [headA, headB] = [this.#marks[2 * a + 1], this.#marks[2 * b + 1]];
    const [ofA, ofB] = [headA >>> 24, headB >>> 24];
    const short = Math.min(ofA, ofB);
    const sameFirst = ((headA ^ headB) & 0xff) === 0;
    const sameThree = (headA ^ headB) << 8 === 0;
    if (((x | y) & digitBit) !== 0) return (short >= 5 && sameThree) || (short >= 7 && this.#mayBeSlip(a, b));
    if (short < 3) return short === 1 && sameFirst;
    if (sameThree) return true;
    const most = mostEdits(short);
    // An edit takes one letter at most.
    if (Math.abs(ofA - ofB) > most || bitsOf(x & ~y) > most || bitsOf(y & ~x) > most) return false;
    return most > 1 || this.#mayBeSlip(a, b);
  }

  /** Whether what is between the common beginning and end of two words is one letter, or two that may have changed places. */
  #mayBeSlip(a: number, b: number): boolean {
    const { starts, items: bytes } = this.#texts;
    let [i, j, endA, endB] = [starts[a], starts[b], starts[a + 1], starts[b + 1]];
    while (i < endA && j < endB && bytes[i] === bytes[j]) {
      i++;
      j++;
    }
    while (i < endA && j < endB && bytes[endA - 1] === bytes[endB - 1]) {
      endA--;
      endB--;
    }
    return Math.max(endA - i, endB - j) <= 1 || (endA - i === 2 && endB - j === 2);
  }

  /** Whether a word may be the first of neighbours that join to another. */
  mayBegin(whole: number, part: number): boolean {
    const [ofWhole, ofPart] = [this.#marks[2 * whole + 1] >>> 24, this.#marks[2 * part + 1] >>> 24];
    return this.beginAlike(whole, part) && (ofPart < ofWhole || ofWhole === longestMarked);
  }

  /** Whether the first bytes of two words are equal, as of initials and the first of their words. */
  beginAlike(a: number, b: number): boolean {
    return ((this.#marks[2 * a + 1] ^ this.#marks[2 * b + 1]) & 0xff) === 0;
  }

  /** Whether one word is a standard abbreviation of the other, as {@link isShortFor}. */
  isShortFor(a: number, b: number): boolean {
    return this.beginAlike(a, b) && isShortFor(this.read(a), this.read(b));
  }

  /** Whether the letters of a word are in another word. */
  contains(whole: number, part: number): boolean {
    if ((this.#marks[2 * part] & ~this.#marks[2 * whole]) !== 0) return false;
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
    if ((this.#marks[2 * whole] & digitBit) === 0) return undefined;
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

/** Two numbers for each word: a bit for each letter that it has; its first three bytes and, from bit 24 on, its length. */
function marksOf(texts: Texts): Int32Array {
  const { starts, items: bytes } = texts;
  const marks = new Int32Array(2 * textCount(texts));
  for (let word = 0; word < textCount(texts); word++) {
    const [from, to] = [starts[word], starts[word + 1]];
    let letters = to - from > longestMarked ? otherBit : 0;
    let head = Math.min(to - from, longestMarked) << 24;
    for (let place = from; place < to; place++) {
      const byte = bytes[place];
      if (place < from + 3) head |= byte << (8 * (place - from));
      if (byte >= 0x80) letters |= otherBit;
      else if (isDigit(byte)) letters |= digitBit | 1;
      else letters |= byte >= 0x61 && byte <= 0x7a ? 1 << (byte - 0x60) : 1;
    }
    marks[2 * word] = letters;
    marks[2 * word + 1] = head;
  }
  return marks;
}

/** How many bits are set. */
function bitsOf(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

const isOptional = (word: string): boolean =>
  word.length === 1 || hasDigit(word) || functionWords.has(word) || legalForms.has(word);
