/**
 * Sets the weights of words in the sums of spelling and meaning without training. Each becomes the mean of its trained
 * weight and its initial one, the rarity of the word. Years get a higher weight in spelling, text in brackets a lower one,
 * and the sum of meaning a higher one relative to the output of the transformer.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NGRAM_LENGTH } from "../../../dist/architectures/pearl-mini/encoder.js";
import { hashWord } from "../../../dist/architectures/pearl-mini/features.js";
import { weightOfRank } from "../../../dist/architectures/pearl-mini/first-weights.js";
import { markedWords } from "../../../dist/architectures/pearl-mini/marked-words.js";
import { isYear } from "../../../dist/match/evidence/phrase.js";
import { readModel, writeModel } from "../../../dist/onnx/io/file.js";

/** Mark of a small word with nothing about it: src/architectures/pearl-mini/marked-words.ts. */
const PLAIN = 1;
/** Marks of words in brackets: small, with a capital, all capitals. */
const IN_BRACKETS = [2, 5, 8];

/**
 * Averages the weights of the vocabulary's words with their rarity, in place, as PEARL averages with the weights that it
 * began with (Wortsman et al., 2022, WiSE-FT): the pairs of training share common words less often than the rows of a
 * table do. Words outside the vocabulary keep their weights.
 * @param {string} folder a word encoder, tables as float32
 * @param {{ text: number, names: number }} shares of the rarity in texts, which the rank says and training began with, and
 *   of the rarity in names, log((N + 1) / (n + 1)) over its largest; the rest is what was trained. The sum of meaning has
 *   the first in the second's place too.
 * @param {readonly string[]} phrases the names
 */
export function averageWithRarity(folder, { text, names }, phrases) {
  const trained = 1 - text - names;
  change(folder, (model, words, reading) => {
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

/** Inverse document frequency, at most 1. @param {readonly string[]} phrases @returns {(word: string) => number} */
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
 * Adds to what words in brackets count for in spelling, before Softplus makes it positive, in place: in "Flux (magazine)"
 * they distinguish namesakes, and other tables omit them.
 * @param {string} folder a word encoder, tables as float32
 * @param {number} addend
 */
export const weighBrackets = (folder, addend) =>
  change(folder, (model) => {
    const marks = dataOf(model, "char_flag.weight");
    for (const mark of IN_BRACKETS) marks[mark] += addend;
  });

/**
 * Multiplies the weights of the vocabulary's years in spelling, in place. "2005 Ashes series" and "2009 Ashes series"
 * differ in the year alone; texts, where the weights of words are learned, have few such neighbours.
 * @param {string} folder a word encoder, tables as float32
 * @param {number} factor
 */
export const weighYears = (folder, factor) =>
  change(folder, (model, words, reading) =>
    setSpellingWeights(model, words, reading, ({ weight, word }) =>
      isYear(word) ? factor * weight : weight,
    ),
  );

/**
 * Multiplies the sum of the words' vectors within the meaning, in place.
 * @param {string} folder a word encoder, tables as float32
 * @param {number} factor
 */
export const weighSum = (folder, factor) =>
  change(folder, (model) => {
    for (const name of ["sum_to_phrase.weight", "sum_to_phrase.bias"]) {
      const data = dataOf(model, name);
      data.forEach((value, i) => {
        data[i] = factor * value;
      });
    }
  });

/**
 * @typedef {object} Word of the vocabulary
 * @property {number} weight in a sum
 * @property {string} word
 * @property {number} rank from 1
 */

/** Reads a model, changes it, and writes it. @param {string} folder @param {(model: any, words: string[], reading: any) => void} how */
function change(folder, how) {
  const path = join(folder, "onnx/model.onnx");
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  const words = readFileSync(join(folder, "words.txt"), "utf8").trimEnd().split("\n");
  const model = readModel(path);
  how(model, words, config.pearl.features[0]);
  writeModel(model, path);
}

/**
 * Sets what the words of the vocabulary count for in spelling. Exact for small words without brackets and commas about
 * them: marks add to a weight before Softplus makes it positive.
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
    const wanted = weightOf({ weight, word, rank });
    if (wanted !== weight) own[rank] += inverseSoftplus(wanted) - raw;
  }
}

/** What a word's n-grams add to its weight: src/architectures/pearl-mini/encoder.ts. @param {any} model */
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
