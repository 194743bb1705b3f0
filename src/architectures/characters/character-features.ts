/** Fills the inputs of character encoders: each word of a batch once, and which words make each phrase. */

import type { CharacterVocabulary } from "../../text/character-vocabulary.js";
import { createWordReader, phraseWords, type WordReader } from "../../text/word-units.js";
import type { Featurizer } from "../feature-rows.js";
import type { CharactersFeature } from "./feature.js";
import { characterInputNames } from "./inputs.js";

/** A phrase's ids are, word after word, the number of its units and then the units, packed as the reader packs them. */
export function characterFeaturizer(
  feature: CharactersFeature,
  vocabulary?: CharacterVocabulary,
): Featurizer {
  const reader = createWordReader(feature, vocabulary);
  const { padding = "longest", positions } = feature;
  return {
    read(phrases) {
      const known = new Map<string, ReturnType<WordReader["read"]>>();
      const starts = new Int32Array(phrases.length + 1);
      let ids = new Int32Array(32 * phrases.length);
      let truncated = 0;
      phrases.forEach((phrase, i) => {
        const words = phraseWords(phrase);
        let isCut = words.length > feature.phraseLength;
        let end = starts[i];
        for (const word of words.slice(0, feature.phraseLength)) {
          const read = known.get(word) ?? reader.read(word);
          known.set(word, read);
          const { units } = read;
          isCut ||= read.truncated;
          if (end + units.length >= ids.length) ids = longer(ids, end + units.length + 1);
          ids[end++] = units.length;
          ids.set(units, end);
          end += units.length;
        }
        starts[i + 1] = end;
        if (isCut) truncated++;
      });
      return { rows: { ids: ids.slice(0, starts[phrases.length]), starts }, truncated };
    },
    fill({ ids, starts }, batch, _length, feeds) {
      const { words, phrases } = distinctWords(ids, starts, batch);
      const longest = words.reduce((most, { length }) => Math.max(most, length), 1);
      const width = padding === "positions" ? positions : longest;
      // a batch without a word has one of padding alone, so that no axis is empty
      const count = Math.max(1, words.length);
      const units = new Int32Array(count * width);
      const capitals = new Int32Array(count * width);
      words.forEach((word, row) => {
        word.forEach((unit, position) => {
          units[row * width + position] = unit >> 1;
          capitals[row * width + position] = unit & 1;
        });
      });
      const phraseLength = phrases.reduce((most, { length }) => Math.max(most, length), 1);
      const places = new Int32Array(batch.length * phraseLength).fill(-1);
      phrases.forEach((rows, i) => {
        places.set(rows, i * phraseLength);
      });
      const names = characterInputNames;
      feeds[names.ids] = { type: "int32", dims: [count, width], data: units };
      feeds[names.capitals] = { type: "int32", dims: [count, width], data: capitals };
      feeds[names.words] = { type: "int32", dims: [batch.length, phraseLength], data: places };
    },
  };
}

/** The same numbers with room for more. */
function longer(ids: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(Math.max(least, 2 * ids.length));
  more.set(ids);
  return more;
}

/** Words that occur several times in a batch are computed once. */
function distinctWords(
  ids: Int32Array,
  starts: Int32Array,
  batch: Int32Array,
): { words: Int32Array[]; phrases: number[][] } {
  const numbers = new Map<string, number>();
  const words: Int32Array[] = [];
  const phrases = Array.from(batch, (phrase) => {
    const rows: number[] = [];
    for (let at = starts[phrase]; at < starts[phrase + 1]; at += ids[at] + 1) {
      const word = ids.subarray(at + 1, at + 1 + ids[at]);
      const key = keyOf(word);
      const row = numbers.get(key) ?? words.push(word) - 1;
      numbers.set(key, row);
      rows.push(row);
    }
    return rows;
  });
  return { words, phrases };
}

/** The units as a string of 16-bit halves: quick to make and to compare. */
function keyOf(word: Int32Array): string {
  let key = "";
  for (const unit of word) key += String.fromCharCode(unit & 0xffff, unit >>> 16);
  return key;
}
