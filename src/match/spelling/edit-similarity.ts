/**
 * How many letters two texts share without an edit (Levenshtein 1966). One text is compared with many in a row: its letters are
 * prepared once, as the bit vectors of Myers (1999), and the others are not read but looked at byte by byte.
 */
import { distance } from "fastest-levenshtein";
import { type Texts, textReader } from "../columns/texts.js";

/** Longer texts are not compared letter by letter. */
const mostLetters = 40;
/** Letters of the prepared text: one bit each. */
const mostBits = 32;
const space = 0x20;

export class EditSimilarity {
  /** Whether both texts of the last comparison are single words. */
  areSingle = false;
  readonly #texts: Texts;
  readonly #read: (text: number) => string;
  /** By ASCII letter: the places where the prepared text has it. */
  readonly #places = new Int32Array(128);
  #prepared = -1;
  /** 0 if its letters are too many, or not all ASCII. */
  #letters = 0;
  #isSingle = false;

  constructor(texts: Texts) {
    this.#texts = texts;
    this.#read = textReader(texts);
  }

  /** 1 − edits / letters of the longer text; undefined if that has more than 40. */
  of(a: number, b: number): number | undefined {
    if (a !== this.#prepared) this.#prepare(a);
    const { starts } = this.#texts;
    const others = starts[b + 1] - starts[b];
    if (this.#letters > 0 && others <= mostLetters) {
      const edits = this.#editsTo(starts[b], starts[b + 1]);
      if (edits >= 0) return 1 - edits / Math.max(this.#letters, others);
    }
    const [x, y] = [this.#read(a), this.#read(b)];
    this.areSingle = !x.includes(" ") && !y.includes(" ");
    const longest = Math.max(x.length, y.length);
    return longest > mostLetters ? undefined : 1 - distance(x, y) / longest;
  }

  #prepare(text: number): void {
    const { starts, items: bytes } = this.#texts;
    const [from, to] = [starts[text], starts[text + 1]];
    this.#prepared = text;
    this.#letters = 0;
    this.#isSingle = true;
    if (to - from > mostBits) return;
    this.#places.fill(0);
    for (let place = from; place < to; place++) {
      if (bytes[place] >= this.#places.length) return;
      if (bytes[place] === space) this.#isSingle = false;
      this.#places[bytes[place]] |= 1 << (place - from);
    }
    this.#letters = to - from;
  }

  /** Edits from the prepared text to some bytes; -1 if those are not all ASCII. */
  #editsTo(from: number, to: number): number {
    const { items: bytes } = this.#texts;
    const places = this.#places;
    const last = 1 << (this.#letters - 1);
    // Differences of neighbouring numbers of edits that are +1, and those that are -1.
    let [more, less] = [-1, 0];
    let edits = this.#letters;
    let areSingle = this.#isSingle;
    for (let place = from; place < to; place++) {
      const letter = bytes[place];
      if (letter >= places.length) return -1;
      if (letter === space) areSingle = false;
      const equal = places[letter];
      const down = equal | less;
      const across = (((equal & more) + more) ^ more) | equal;
      let up = less | ~(across | more);
      let same = more & across;
      if ((up & last) !== 0) edits++;
      if ((same & last) !== 0) edits--;
      up = (up << 1) | 1;
      same <<= 1;
      more = same | ~(down | up);
      less = up & down;
    }
    this.areSingle = areSingle;
    return edits;
  }
}
