/** Fills the inputs of character encoders: each word of a batch once, and which words make each phrase. */
import type { CharacterVocabulary } from "../../text/character-vocabulary.js";
import { createWordReader, phraseWords, type WordReader } from "../../text/word-units.js";
import type { Featurizer } from "../architecture.js";
import { type CharactersFeature, characterInputNames } from "./inputs.js";

/** A phrase's ids are, word after word, the number of its units and then the units, packed as the reader packs them. */
export function characterFeaturizer(
  feature: CharactersFeature,
  vocabulary?: CharacterVocabulary,
): Featurizer {
  const reader = createWordReader(feature, vocabulary);
  return {
    read(phrases) {
      const known = new Map<string, ReturnType<WordReader["read"]>>();
      const starts = new Int32Array(phrases.length + 1);
      const ids: number[] = [];
      let truncated = 0;
      phrases.forEach((phrase, i) => {
        const words = phraseWords(phrase);
        let isCut = words.length > feature.phraseLength;
        for (const word of words.slice(0, feature.phraseLength)) {
          const read = known.get(word) ?? reader.read(word);
          known.set(word, read);
          isCut ||= read.truncated;
          ids.push(read.units.length, ...read.units);
        }
        starts[i + 1] = ids.length;
        if (isCut) truncated++;
      });
      return { rows: { ids: new Int32Array(ids), starts }, truncated };
    },
    fill({ ids, starts }, batch, _length, feeds) {
      const { words, phrases } = distinctWords(ids, starts, batch);
      const longest = words.reduce((most, { length }) => Math.max(most, length), 1);
      const width = feature.padding === "positions" ? feature.positions : longest;
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
      const length = phrases.reduce((most, rows) => Math.max(most, rows.length), 1);
      const places = new Int32Array(batch.length * length).fill(-1);
      phrases.forEach((rows, i) => {
        places.set(rows, i * length);
      });
      feeds[characterInputNames.ids] = { type: "int32", dims: [count, width], data: units };
      feeds[characterInputNames.capitals] = { type: "int32", dims: [count, width], data: capitals };
      feeds[characterInputNames.words] = { type: "int32", dims: [batch.length, length], data: places };
    },
  };
}

function distinctWords(ids: Int32Array, starts: Int32Array, batch: Int32Array) {
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
