/**
 * Fits the gates, which set how much of an embedding is spelling, meaning and type. Gates from training
 * differ strongly between phrases, which favours candidates whose gates equal those of the query. The gate
 * layers are therefore refitted: one for phrases with a capital, one for single words, one for longer
 * phrases. Each group of phrases has target gates (spelling for names, meaning for phrases). A layer predicts
 * their logarithms from the states of the transformer by ridge regression, with a penalty for different gates
 * on the two sides of a pair.
 */
import { inverse, Matrix } from "ml-matrix";
import { readModelFolder } from "../../../dist/architectures/model-folder.js";
import { wordInputNames } from "../../../dist/architectures/pearl-mini/inputs.js";
import { openFeaturizers } from "../../../dist/architectures/registry.js";
import { encodeModel, readModel } from "../../../dist/onnx/io/file.js";
import { tensor } from "../../../dist/onnx/tensor.js";
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { createOrtSession } from "../../../dist/runtime/ort-session.js";
import { readRowsUnderHeader } from "../../training-tables.mjs";
import { remakeModel } from "./remake.mjs";

/**
 * Ridge, as a fraction of the mean variance of a state: far fewer directions matter than a state has numbers.
 */
const RIDGE = 0.01;
const BATCH = 256;

/** Changes of case, by the `letters` of a group. */
const recase = {
  small: (/** @type {string} */ text) => text,
  "made small": (/** @type {string} */ text) => text.toLowerCase(),
  "made capital": (/** @type {string} */ text) => text.replace(/\p{L}/u, (letter) => letter.toUpperCase()),
};

/**
 * @typedef {object} Selection which phrases of the pairs are used
 * @property {readonly string[]} [sources] sources in synonyms.tsv; default all
 * @property {"one" | "several"} [words] the number of words; default any
 * @property {"frequent" | "rare"} [known] "frequent": all words are frequent; "rare": some are not; default
 *   either
 * @property {keyof typeof recase} [letters] "small": only phrases without capitals; "made small": all
 *   phrases, in lower case; "made capital": all phrases, with a capital first letter; default all phrases
 *   unchanged
 *
 * @typedef {object} Gates fractions of a phrase's squared length
 * @property {number} characters
 * @property {number} meaning
 * @property {number} types
 *
 * @typedef {Selection & Gates & { weight?: number }} Group all groups count equally, however many phrases
 *   they have, multiplied by `weight` (default 1)
 */

/**
 * Samples distinct phrases of the synonym pairs for each group, up to the same number from each of its
 * sources.
 * @param {string} synonyms path of synonyms.tsv
 * @param {readonly Selection[]} groups
 * @param {{ phrases: number, seed: number, frequent?: Iterable<string> }} settings `phrases` is the maximum
 *   per source, or in total for a group without sources; `frequent` holds the frequent words, in lower case
 * @returns {string[][]} phrases of each group
 */
export function phrasesOfGroups(synonyms, groups, { phrases, seed, frequent = [] }) {
  const frequentWords = new Set(frequent);
  const isFrequent = (/** @type {string} */ text) =>
    text.split(" ").every((word) => frequentWords.has(word.toLowerCase()));
  /** @type {Map<string, Set<string>>[]} by source */
  const found = groups.map(() => new Map());
  for (const [phrase, synonym, source] of readRowsUnderHeader(synonyms))
    for (const [place, { sources, words, known, letters }] of groups.entries()) {
      if (!(sources?.includes(source) ?? true)) continue;
      const key = sources === undefined ? "" : source;
      const own = found[place].get(key) ?? new Set();
      found[place].set(key, own);
      for (const text of [phrase, synonym])
        if (
          (words === undefined || (words === "one") !== text.includes(" ")) &&
          (known === undefined || (known === "frequent") === isFrequent(text)) &&
          (letters !== "small" || text === text.toLowerCase())
        )
          own.add(letters === undefined ? text : recase[letters](text));
    }
  const random = createRandom(seed);
  return found.map((sources) => [
    ...new Set([...sources.values()].flatMap((all) => sampleWithout([...all], phrases, random))),
  ]);
}

/**
 * Samples synonym pairs of each source.
 * @param {string} synonyms path of synonyms.tsv
 * @param {readonly string[]} sources
 * @param {{ pairs: number, seed: number }} settings `pairs` is the maximum per source
 * @returns {[string, string][][]} pairs of each source
 */
export function pairsOfSources(synonyms, sources, { pairs, seed }) {
  /** @type {Map<string, [string, string][]>} */
  const found = new Map(sources.map((source) => [source, []]));
  for (const [phrase, synonym, source] of readRowsUnderHeader(synonyms))
    found.get(source)?.push([phrase, synonym]);
  const random = createRandom(seed);
  return [...found.values()].map((all) => sampleWithout(all, pairs, random));
}

/**
 * @typedef {object} Layer
 * @property {readonly Group[]} groups
 * @property {readonly (readonly string[])[]} phrases phrases of each group
 * @property {{ weight: number, pairs: readonly (readonly [string, string][])[] }} [agree] pairs, by source,
 *   whose two sides should get equal gates; the mean square of their difference is added to the loss,
 *   multiplied by `weight`
 */

/**
 * Sets the gate layers in a model folder, in place. The encoder decides which phrases use a layer; the groups
 * decide which phrases it is fitted on, so a group without `letters` may hold phrases that use another layer.
 * @param {string} folder a word encoder, tables as float32
 * @param {{ capitals: Layer, word: Layer, words: Layer }} layers for phrases with a capital, single words
 *   without and longer phrases without
 */
export async function fitGates(folder, { capitals, word, words }) {
  const fitted = [];
  for (const layer of [capitals, word, words]) fitted.push(await fittedLayer(folder, layer));
  const outputs = fitted.length * 3;
  const values = (/** @type {Matrix[]} */ all) => Float32Array.from(all.flatMap((own) => own.to1DArray()));
  const weight = values(fitted.map((own) => own.weight));
  const changed = new Map([
    ["share.weight", tensor("float32", [outputs, weight.length / outputs], weight)],
    ["share.bias", tensor("float32", [outputs], values(fitted.map((own) => own.bias)))],
  ]);
  remakeModel(folder, { sharesByWriting: true }, changed);
}

/** Fits one layer: weights [3, states] and bias [1, 3]. @param {string} folder @param {Layer} layer */
async function fittedLayer(folder, { groups, phrases, agree }) {
  for (const [place, own] of phrases.entries())
    if (own.length === 0)
      throw new Error(`gates: no phrase of the pairs matches the group ${JSON.stringify(groups[place])}`);
  const states = await pooledStates(folder, phrases.flat());
  const targets = new Matrix(phrases.flatMap((own, place) => own.map(() => logits(groups[place]))));
  const weights = groups.map(({ weight = 1 }) => weight);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const counts = new Matrix(
    phrases.flatMap((own, place) => own.map(() => [weights[place] / (own.length * total)])),
  );
  const mean = counts.transpose().mmul(states);
  const meanTargets = counts.transpose().mmul(targets);
  const centred = states.subRowVector(mean.to1DArray());
  const weighted = centred.clone().mulColumnVector(counts.to1DArray()).transpose();
  const squares = weighted.mmul(centred);
  const ridge = Matrix.eye(squares.rows).mul((RIDGE * squares.trace()) / squares.rows);
  for (const own of agree?.pairs ?? []) {
    const sides = [0, 1].map((side) => own.map((pair) => pair[side]));
    const [left, right] = [await pooledStates(folder, sides[0]), await pooledStates(folder, sides[1])];
    const apart = left.sub(right);
    ridge.add(
      apart
        .transpose()
        .mmul(apart)
        .mul(agree.weight / (own.length * agree.pairs.length)),
    );
  }
  const weight = inverse(squares.add(ridge)).mmul(
    weighted.mmul(targets.subRowVector(meanTargets.to1DArray())),
  );
  return { weight: weight.transpose(), bias: meanTargets.sub(mean.mmul(weight)) };
}

/** Logarithms of the gates, centred. @param {Group} group */
function logits({ characters, meaning, types }) {
  const logs = [characters, meaning, types].map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return logs.map((log) => log - mean);
}

/** Inputs of the gate layers: [phrases, states]. @param {string} path @param {readonly string[]} phrases */
async function pooledStates(path, phrases) {
  const folder = await readModelFolder(path);
  const model = readModel(folder.graph);
  const layer = model.graph.nodes.find(({ inputs }) => inputs.includes("share.weight"));
  if (layer === undefined) throw new Error(`${path}: the model has no gate layer (share.weight)`);
  const [name] = layer.inputs;
  model.graph.outputs = [{ name, type: "float32", dims: ["phrases", "states"] }];
  const session = await createOrtSession(encodeModel(model));
  const [featurizer] = await openFeaturizers(folder, Object.values(wordInputNames));
  const { rows } = featurizer.read(phrases);
  const states = [];
  for (let start = 0; start < phrases.length; start += BATCH) {
    const batch = Int32Array.from({ length: Math.min(BATCH, phrases.length - start) }, (_, i) => start + i);
    /** @type {Record<string, any>} */
    const feeds = {};
    featurizer.fill(rows, batch, 0, feeds);
    const { data, dims } = (await session.run(feeds, [name]))[name];
    for (let row = 0; row < dims[0]; row++)
      states.push(Array.from(data.subarray(row * dims[1], (row + 1) * dims[1])));
  }
  await session.release();
  return new Matrix(states);
}
