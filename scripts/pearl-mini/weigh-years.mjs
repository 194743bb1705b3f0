/**
 * Lets years count for more in the spelling of a phrase, without training. "2005 Ashes series" and "2009 Ashes series"
 * differ in the year alone; texts, where the weights of words are learned, have few such neighbours.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isYear } from "../../dist/join/phrase.js";
import { NGRAM_LENGTH } from "../../dist/nn/words/index.js";
import { readModel, writeModel } from "../../dist/onnx/index.js";
import { WordVocabulary } from "../../dist/text/word-vocabulary.js";

/** Mark of a word without capitals, brackets and commas before it, which a year mostly has: src/text/marked-words.ts. */
const PLAIN = 1;

/**
 * Multiplies the weights of the years in the vocabulary, in place. Exact where a year has no brackets about it and no
 * comma before it: marks add to a weight before Softplus makes it positive.
 * @param {string} folder a word encoder, tables as float32
 * @param {number} factor
 */
export function weighYears(folder, factor) {
  const path = join(folder, "onnx/model.onnx");
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  const words = readFileSync(join(folder, "words.txt"), "utf8").trimEnd().split("\n");
  const vocabulary = new WordVocabulary(words, config.pearl.features[0]);
  const model = readModel(path);
  const own = dataOf(model, "char_weight.weight");
  const marks = dataOf(model, "char_flag.weight");
  const readRaw = rawWeight(model);
  for (const word of words.filter(isYear)) {
    const { id, ngrams } = vocabulary.entry(word);
    const raw = own[id] + readRaw(ngrams) + marks[PLAIN];
    own[id] += inverseSoftplus(factor * softplus(raw)) - raw;
  }
  writeModel(model, path);
}

/** What a word's n-grams add to its weight: src/nn/words/encoder.ts. @param {any} model */
function rawWeight(model) {
  const table = dataOf(model, "ngrams.weight");
  const layer = dataOf(model, "char_weight_rare.weight");
  const [bias] = dataOf(model, "char_weight_rare.bias");
  return (/** @type {Int32Array} */ ngrams) => {
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
