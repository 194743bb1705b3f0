/**
 * What the search for candidates and the counts of words need of each row, as hashed terms: words of the row, values and
 * words of its columns, 3-grams of its name. They are stored, so that rows are not read again.
 */
import { FNV_BASIS, FNV_PRIME } from "../files/fnv.js";
import { isText } from "../match/columns/fields.js";
import { type Lists, ListsBuilder } from "../match/columns/vocabulary.js";
import type { ReadRows, WholeCounts } from "../match/rescore.js";

/** Terms of each kind have hashes of their own. */
const kinds = { word: 1, gram: 2, filled: 3, value: 4, fieldWord: 5 } as const;

/** 32 bits: of a few million terms, one in a thousand shares its number with another. */
function termOf(kind: number, field: number, text: string): number {
  let state = Math.imul(FNV_BASIS ^ kind, FNV_PRIME) ^ field;
  for (let index = 0; index < text.length; index++)
    state = Math.imul(state ^ text.charCodeAt(index), FNV_PRIME);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
}

const wordTerm = (word: string): number => termOf(kinds.word, 0, word);
const valueTerm = (field: number, text: string): number => termOf(kinds.value, field, text);
const fieldWordTerm = (field: number, word: string): number => termOf(kinds.fieldWord, field, word);
const filledTerm = (field: number): number => termOf(kinds.filled, field, "");

/** Terms of a row, by the source of candidates that they serve. */
export interface RowTerms {
  readonly words: number[];
  readonly grams: number[];
  /** Values of codes: equal ones make candidates. */
  readonly codes: number[];
}

export function searchTerms({ tables, words }: ReadRows, row: number): RowTerms {
  const { fields, naming, vocabulary } = tables;
  const ofRow = words.left.items.subarray(words.left.starts[row], words.left.starts[row + 1]);
  const name = naming < 0 ? -1 : fields[naming].left[row];
  return {
    words: Array.from(ofRow, (word) => wordTerm(vocabulary.words[word])),
    grams: name < 0 ? [] : gramsOf(fields[naming].set.texts[name]),
    codes: fields.flatMap(({ kind, left, set }, field) =>
      isText(kind) || kind === "category" || left[row] < 0 ? [] : [valueTerm(field, set.texts[left[row]])],
    ),
  };
}

function gramsOf(text: string): number[] {
  const grams = new Set<number>();
  const padded = ` ${text} `;
  for (let from = 0; from + 3 <= padded.length; from++)
    grams.add(termOf(kinds.gram, 0, padded.slice(from, from + 3)));
  return [...grams];
}

/** All terms of each row, also those that are counted only. */
export function allTerms(read: ReadRows): Lists {
  const { fields, vocabulary, rows } = read.tables;
  const lists = new ListsBuilder();
  for (let row = 0; row < rows[0]; row++) {
    const { words, grams } = searchTerms(read, row);
    const terms = new Set([...words, ...grams]);
    fields.forEach(({ kind, left, set }, field) => {
      const value = left[row];
      if (value < 0) return;
      terms.add(filledTerm(field));
      terms.add(valueTerm(field, set.texts[value]));
      if (!isText(kind)) return;
      for (let place = set.words.starts[value]; place < set.words.starts[value + 1]; place++)
        terms.add(fieldWordTerm(field, vocabulary.words[set.words.items[place]]));
    });
    lists.push([...terms]);
  }
  return lists.finish();
}

/** Terms whose rows or counts are asked for: a hash table in flat arrays, since millions are looked up. */
export class AskedTerms {
  #terms = new Uint32Array(2 ** 12);
  #places = new Int32Array(2 ** 12).fill(-1);
  size = 0;

  add(term: number): void {
    if (2 * this.size > this.#terms.length) this.#grow();
    const slot = this.#slotOf(term);
    if (this.#places[slot] >= 0) return;
    this.#terms[slot] = term;
    this.#places[slot] = this.size++;
  }

  /** Place among the asked terms, -1 for another. */
  placeOf(term: number): number {
    return this.#places[this.#slotOf(term)];
  }

  /** The slot of the term, or the free one where it belongs. */
  #slotOf(term: number): number {
    const mask = this.#terms.length - 1;
    let slot = term & mask;
    while (this.#places[slot] >= 0 && this.#terms[slot] !== term) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [terms, places] = [this.#terms, this.#places];
    this.#terms = new Uint32Array(2 * terms.length);
    this.#places = new Int32Array(2 * terms.length).fill(-1);
    places.forEach((place, slot) => {
      if (place < 0) return;
      const moved = this.#slotOf(terms[slot]);
      this.#terms[moved] = terms[slot];
      this.#places[moved] = place;
    });
  }
}

/** Terms of the rows of the store. */
export interface StoredTerms {
  readonly rows: Int32Array;
  readonly terms: Lists;
}

/** Rows with each of the asked terms. */
export function countTerms(asked: AskedTerms, { terms }: StoredTerms): Uint32Array {
  const counts = new Uint32Array(asked.size);
  for (const term of terms.items) {
    const place = asked.placeOf(term);
    if (place >= 0) counts[place]++;
  }
  return counts;
}

/** The counts of the values and words of some rows in the whole store, which holds these rows, too. */
export function wholeCounts(read: ReadRows, stored: StoredTerms): WholeCounts {
  const asked = new AskedTerms();
  for (const term of allTerms(read).items) asked.add(term);
  const counts = countTerms(asked, stored);
  const countOf = (term: number): number => counts[asked.placeOf(term)] ?? 0;
  return {
    rows: stored.rows.length,
    filled: (field) => countOf(filledTerm(field)),
    value: (field, text) => countOf(valueTerm(field, text)),
    fieldWord: (field, word) => countOf(fieldWordTerm(field, word)),
    rowWord: (word) => countOf(wordTerm(word)),
  };
}
