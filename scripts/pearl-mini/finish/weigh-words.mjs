/**
 * Adjusts the weights of words in the sums of spelling and meaning without training. Each weight becomes a
 * mean of its trained value and the rarity of the word, its initial value. Years get a higher weight in
 * spelling, words in brackets a lower one. The sum of meaning gets a higher weight relative to the output of
 * the transformer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NGRAM_LENGTH } from "../../../dist/architectures/pearl-mini/encoder.js";
import { hashWord } from "../../../dist/architectures/pearl-mini/features.js";
import { weightOfRank } from "../../../dist/architectures/pearl-mini/first-weights.js";
import { markedWords } from "../../../dist/architectures/pearl-mini/marked-words.js";
import { isYear } from "../../../dist/match/evidence/phrase.js";
import { readModel, writeModel } from "../../../dist/onnx/io/file.js";
import { forgetChecksums } from "./forget-checksums.mjs";

/**
 * Mark of a lower-case word outside brackets and not after a comma:
 * src/architectures/pearl-mini/marked-words.ts.
 */
const PLAIN = 1;
/** Marks of words in brackets: lower case, with a capital, all capitals. */
const IN_BRACKETS = [2, 5, 8];

/**
 * Averages the weights of the vocabulary's words with their rarity, in place, as PEARL averages with its
 * initial weights (Wortsman et al., 2022, WiSE-FT): training pairs share common words less often than the
 * rows of a table do. Words outside the vocabulary keep their weights.
 * @param {string} folder a word encoder, tables as float32
 * @param {{ text: number, names: number }} rarity `text` is the fraction of a weight that is the rarity in
 *   texts, computed from the rank as before training; `names` is the fraction that is the rarity in names,
 *   log((N + 1) / (n + 1)) divided by its maximum. The rest is the trained weight. The sum of meaning uses
 *   the rarity in texts for both fractions.
 * @param {readonly string[]} phrases the names
 */
export function averageWithRarity(folder, { text, names }, phrases) {
  const trained = 1 - text - names;
  editModel(folder, (model, words, reading) => {
    const inNames = rarityIn(phrases);
    const inText = (/** @type {number} */ rank) => weightOfRank(rank, words.length);
    setSpellingWeights(
      model,
      words,
      reading,
      ({ weight, word, rank }) => trained * weight + text * inText(rank) + names * inNames(word),
    );
    const own = dataOf(model, "sum_weight.weight");
    for (let rank = 1; rank <= words.length; rank++)
      own[rank] = inverseSoftplus(trained * softplus(own[rank]) + (text + names) * inText(rank));
  });
}

/**
 * Inverse document frequency, at most 1.
 * @param {readonly string[]} phrases
 * @returns {(word: string) => number}
 */
function rarityIn(phrases) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const phrase of phrases)
    for (const word of new Set(markedWords(phrase).map(({ text }) => text)))
      found.set(word, (found.get(word) ?? 0) + 1);
  const most = Math.log(phrases.length + 1);
  return (word) => 1 - Math.log((found.get(word) ?? 0) + 1) / most;
}

/**
 * Adds a number to the spelling weight of words in brackets, before Softplus makes it positive, in place. In
 * "Flux (magazine)" such words distinguish namesakes, and other tables omit them.
 * @param {string} folder a word encoder, tables as float32
 * @param {number} addend
 */
export const weighBrackets = (folder, addend) =>
  editModel(folder, (model) => {
    const marks = dataOf(model, "char_flag.weight");
    for (const mark of IN_BRACKETS) marks[mark] += addend;
  });

/**
 * Multiplies the spelling weights of the vocabulary's years, in place. "2005 Ashes series" and "2009 Ashes
 * series" differ only in the year; the texts from which word weights are learned have few such neighbours.
 * @param {string} folder a word encoder, tables as float32
 * @param {number} factor
 */
export const weighYears = (folder, factor) =>
  editModel(folder, (model, words, reading) =>
    setSpellingWeights(model, words, reading, ({ weight, word }) =>
      isYear(word) ? factor * weight : weight,
    ),
  );

/**
 * Multiplies the sum of word vectors within the meaning part, in place.
 * @param {string} folder a word encoder, tables as float32
 * @param {number} factor
 */
export const weighSum = (folder, factor) =>
  editModel(folder, (model) => {
    for (const name of ["sum_to_phrase.weight", "sum_to_phrase.bias"]) {
      const data = dataOf(model, name);
      data.forEach((value, i) => {
        data[i] = factor * value;
      });
    }
  });

/**
 * @typedef {object} Word a word of the vocabulary
 * @property {number} weight in a sum
 * @property {string} word
 * @property {number} rank from 1
 */

/**
 * Reads a model, applies `edit`, and writes it back.
 * @param {string} folder @param {(model: any, words: string[], reading: any) => void} edit
 */
function editModel(folder, edit) {
  const path = join(folder, "onnx/model.onnx");
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  const words = readFileSync(join(folder, "words.txt"), "utf8").trimEnd().split("\n");
  const model = readModel(path);
  edit(model, words, config.pearl.features[0]);
  forgetChecksums(folder);
  writeModel(model, path);
}

/**
 * Sets the spelling weights of the vocabulary's words. The weights are exact for lower-case words outside
 * brackets and not after a comma: other marks add to a weight before Softplus makes it positive.
 * @param {any} model @param {readonly string[]} words @param {any} reading
 * @param {(word: Word) => number} weightOf
 */
function setSpellingWeights(model, words, reading, weightOf) {
  const ngrams = new Int32Array(reading.ngrams);
  const own = dataOf(model, "char_weight.weight");
  const marks = dataOf(model, "char_flag.weight");
  const readRaw = rawWeight(model);
  for (const [i, word] of words.entries()) {
    const rank = i + 1;
    const { count } = hashWord(word, reading, ngrams);
    const raw = own[rank] + readRaw(ngrams.subarray(0, count)) + marks[PLAIN];
    const weight = softplus(raw);
    const target = weightOf({ weight, word, rank });
    if (target !== weight) own[rank] += inverseSoftplus(target) - raw;
  }
}

/**
 * What the n-grams of a word add to its weight: src/architectures/pearl-mini/encoder.ts.
 * @param {any} model
 */
function rawWeight(model) {
  const table = dataOf(model, "ngrams.weight");
  const layer = dataOf(model, "char_weight_rare.weight");
  const [bias] = dataOf(model, "char_weight_rare.bias");
  return (/** @type {Int32Array} */ ngrams) => {
    if (ngrams.length === 0) return bias;
    let sum = 0;
    for (const row of ngrams)
      for (let column = 0; column < layer.length; column++)
        sum += table[row * layer.length + column] * layer[column];
    return bias + sum / (NGRAM_LENGTH * Math.sqrt(ngrams.length));
  };
}

/** @param {any} model @param {string} name @returns {Float32Array} */
function dataOf({ graph }, name) {
  const found = graph.initializers.get(name);
  if (found?.type !== "float32") throw new Error(`the model has no float32 weight ${name}`);
  return found.data;
}

const softplus = (/** @type {number} */ x) => Math.log1p(Math.exp(x));
const inverseSoftplus = (/** @type {number} */ y) => Math.log(Math.expm1(y));
