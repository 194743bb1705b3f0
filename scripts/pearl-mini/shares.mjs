/**
 * Fits what decides how much of an embedding is spelling, meaning and type. The shares that the trainings learn differ
 * much from phrase to phrase, and a candidate is then preferred because its shares are the question's. So the layer is
 * set anew: groups of phrases are given shares (in names spelling counts, in phrases meaning), and the layer learns
 * to tell from the transformer's states which a phrase is like: ridge regression of the logarithms of the shares, in which
 * the two sides of a pair should get equal ones.
 */
import { join } from "node:path";
import { inverse, Matrix } from "ml-matrix";
import { openFeaturizers } from "../../dist/encoder/features.js";
import { readModelFolder } from "../../dist/encoder/model-folder.js";
import { wordInputNames } from "../../dist/nn/words/inputs.js";
import { encodeModel, readModel, tensor, writeModel } from "../../dist/onnx/index.js";
import { createRandom, sampleWithout } from "../../dist/random.js";
import { createOrtSession } from "../../dist/runtime/ort-session.js";
import { readRowsUnderHeader } from "../training-tables.mjs";

/** Of the mean variance of a state, added to each: far fewer directions than numbers matter. */
const RIDGE = 0.01;
const BATCH = 256;

/**
 * @typedef {object} Chosen which phrases of the pairs
 * @property {readonly string[]} [sources] of synonyms.tsv; default all
 * @property {"one" | "several"} [words] how many a phrase has; default any
 * @property {"frequent" | "rare"} [known] whether all its words are frequent ones; default either
 *
 * @typedef {object} Shares of a phrase's squared length
 * @property {number} characters
 * @property {number} meaning
 * @property {number} types
 *
 * @typedef {Chosen & Shares} Group
 */

/**
 * Phrases of the pairs of synonyms, each once, drawn by the seed, of each source of a group as many.
 * @param {string} synonyms path of synonyms.tsv
 * @param {readonly Chosen[]} groups
 * @param {{ phrases: number, seed: number, frequent?: Iterable<string> }} settings so many phrases of a source at most,
 *   or of all where none is named; the frequent words, in small letters
 * @returns {string[][]} of each group
 */
export function phrasesOfGroups(synonyms, groups, { phrases, seed, frequent = [] }) {
  const frequentWords = new Set(frequent);
  const isFrequent = (/** @type {string} */ text) =>
    text.split(" ").every((word) => frequentWords.has(word.toLowerCase()));
  /** @type {Map<string, Set<string>>[]} by source */
  const found = groups.map(() => new Map());
  for (const [phrase, synonym, source] of readRowsUnderHeader(synonyms))
    for (const [place, { sources, words, known }] of groups.entries()) {
      if (!(sources?.includes(source) ?? true)) continue;
      const key = sources === undefined ? "" : source;
      const own = found[place].get(key) ?? new Set();
      found[place].set(key, own);
      for (const text of [phrase, synonym])
        if (
          (words === undefined || (words === "one") !== text.includes(" ")) &&
          (known === undefined || (known === "frequent") === isFrequent(text))
        )
          own.add(text);
    }
  const random = createRandom(seed);
  return found.map((sources) => [
    ...new Set([...sources.values()].flatMap((all) => sampleWithout([...all], phrases, random))),
  ]);
}

/**
 * Pairs of synonyms, drawn by the seed, of each source as many.
 * @param {string} synonyms path of synonyms.tsv
 * @param {readonly string[]} sources
 * @param {{ pairs: number, seed: number }} settings so many of a source at most
 * @returns {[string, string][][]} of each source
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
 * Sets the layer of the shares in a model folder, in place.
 * @param {string} folder a word encoder, tables as float32
 * @param {readonly Group[]} groups
 * @param {readonly (readonly string[])[]} phrases of each group
 * @param {{ weight: number, pairs: readonly (readonly [string, string][])[] }} [agree] of some sources, pairs whose two
 *   sides should get equal shares, and how much the mean square of their difference counts beside the groups' error
 */
export async function fitShares(folder, groups, phrases, agree) {
  const path = join(folder, "onnx/model.onnx");
  const states = await pooledStates(folder, phrases.flat());
  const wanted = new Matrix(phrases.flatMap((own, place) => own.map(() => logits(groups[place]))));
  // each group counts as much as another, however many phrases it has
  const counts = new Matrix(phrases.flatMap((own) => own.map(() => [1 / (own.length * groups.length)])));
  const mean = counts.transpose().mmul(states);
  const meanWanted = counts.transpose().mmul(wanted);
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
  const weight = inverse(squares.add(ridge)).mmul(weighted.mmul(wanted.subRowVector(meanWanted.to1DArray())));
  const bias = meanWanted.sub(mean.mmul(weight));
  const model = readModel(path);
  set(model, "share.weight", weight.transpose());
  set(model, "share.bias", bias);
  writeModel(model, path);
}

/** @param {any} model @param {string} name @param {Matrix} values */
function set({ graph }, name, values) {
  const { dims } = graph.initializers.get(name);
  graph.initializers.set(name, tensor("float32", dims, Float32Array.from(values.to1DArray())));
}

/** Logarithms of the shares, their mean taken away. @param {Group} group */
function logits({ characters, meaning, types }) {
  const logs = [characters, meaning, types].map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return logs.map((log) => log - mean);
}

/** What the layer of the shares reads: [phrases, numbers]. @param {string} path @param {readonly string[]} phrases */
async function pooledStates(path, phrases) {
  const folder = await readModelFolder(path);
  const model = readModel(folder.graph);
  const layer = model.graph.nodes.find(({ inputs }) => inputs.includes("share.weight"));
  if (layer === undefined) throw new Error(`${path}: there is no layer of shares`);
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
