/** Compares a device with the CPU: vectors, gradients, and the loss over some steps. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { PhraseEncoder } from "../../dist/encoder/phrase-encoder.js";
import { GradientSum, openGradients } from "../../dist/training/gradients/gradients.js";
import { train } from "../../dist/training/trainer.js";
import { expectDevice, openProgram, phraseSource, threads, trainingRows } from "./settings.mjs";

/**
 * @typedef {object} Setting
 * @property {string} folder of the model
 * @property {import("./settings.mjs").Sizes["parity"]} sizes
 * @property {number} types of phrases
 * @property {string} work where the reference is kept
 * @property {() => boolean} hasTime whether the phase may take another step
 *
 * @typedef {import("../../dist/runtime/device.js").Device} Device
 * @typedef {Map<string, import("../../dist/training/gradients/gradients.js").Gradient>} Gradients
 */

/** Largest difference that counts as equal: of a coordinate; of a gradient and of a loss, relative. */
const limits = { vectors: 1e-4, gradients: 1e-3, losses: 1e-2 };
/** Mean cosine of 16-bit vectors with the CPU's. */
const leastCosine = 0.999;

/** What is compared, and how to compute it on a device. */
const parts = { vectors: vectorsOn, gradients: gradientsOn, losses: lossesOn };

const referencePath = (/** @type {Setting} */ { work }, /** @type {string} */ part) =>
  join(work, `reference-${part}.bin`);

/** Computes each part on the CPU and keeps it in a file of its own. */
export function writeReference(/** @type {Setting} */ setting) {
  return Object.entries(parts).map(([part, compute]) => ({
    what: `${part}, the reference`,
    async compare() {
      const found = await compute("cpu", setting);
      writeFileSync(referencePath(setting, part), serialize(found));
      return { computed: true };
    },
  }));
}

/** The comparisons of a device with the reference. */
export function compareWithCpu(/** @type {Setting} */ setting, /** @type {Device} */ device) {
  const reference = (/** @type {string} */ part) => {
    const path = referencePath(setting, part);
    if (!existsSync(path)) throw new Error("the CPU had no time to compute its side");
    return deserialize(readFileSync(path));
  };
  return [
    {
      what: "vectors",
      compare: async () =>
        held(largest(reference("vectors"), await vectorsOn(device, setting)), limits.vectors),
    },
    {
      what: "gradients",
      async compare() {
        const expected = reference("gradients");
        const { worst, weight } = worstGradient(expected, await gradientsOn(device, setting));
        return { ...held(worst, limits.gradients), weight, weights: expected.size };
      },
    },
    {
      what: "losses",
      async compare() {
        const cpu = reference("losses");
        const losses = await lossesOn(device, setting);
        const steps = Math.min(cpu.length, losses.length);
        const differences = cpu.slice(0, steps).map((loss, step) => Math.abs(losses[step] - loss) / loss);
        return { ...held(Math.max(...differences), limits.losses), steps, cpu, losses };
      },
    },
    {
      what: "vectors in fp16",
      async compare() {
        const expected = reference("vectors");
        const vectors = await vectorsOn(device, setting, "half");
        const products = vectors.reduce((sum, x, i) => sum + x * expected[i], 0);
        const cosine = products / setting.sizes.phrases;
        return { cosine, limit: leastCosine, held: cosine >= leastCosine };
      },
    },
  ];
}

/** NaN is never within a limit. */
const held = (/** @type {number} */ difference, /** @type {number} */ limit) => ({
  ...{ difference, limit, held: difference <= limit },
});

const largest = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) =>
  a.length === b.length ? a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0) : Number.NaN;

async function vectorsOn(device, /** @type {Setting} */ { sizes, folder }, precision = "full") {
  const encoder = await PhraseEncoder.load(folder, { device, precision });
  const { data } = await encoder.encodeMatrix(phraseSource(folder).mixed(sizes.phrases));
  expectDevice(device, encoder.device);
  await encoder.dispose();
  return data;
}

/** PEARL's batches, small: with hard negatives and the type head. */
async function smallTraining(/** @type {Setting} */ { folder, sizes, types }) {
  const { program, batch } = await openProgram(folder, types);
  const source = phraseSource(folder);
  const phrases = Math.ceil(sizes.rows / 6);
  const settings = { rows: 0, cached: 0, cells: 0, phrases, types, batches: 0, rounds: 0 };
  const batches = await Promise.all(
    [1, 2, 3, 4].map((seed) => batch(trainingRows("pearl", source, settings, seed))),
  );
  return { program, batches };
}

/** @returns {Promise<Gradients>} */
async function gradientsOn(/** @type {Device} */ device, /** @type {Setting} */ setting) {
  const { program, batches } = await smallTraining(setting);
  const runner = await openGradients(program, { device, threads });
  const { initializers } = program.model.graph;
  const weights = Object.fromEntries(runner.weights.map((name) => [name, initializers.get(name)]));
  const sum = new GradientSum();
  await runner.run(batches[0], weights, sum);
  const gradients = sum.gradients();
  await runner.release();
  return gradients;
}

/** The largest relative difference (2-norms) of a weight's gradient. */
function worstGradient(/** @type {Gradients} */ expected, /** @type {Gradients} */ found) {
  let [worst, weight] = [0, ""];
  for (const [name, gradient] of expected) {
    // a bias on keys shifts all scores of a row equally: its gradient is rounding noise
    if (name.endsWith("key.bias")) continue;
    const [a, b] = [gradient, found.get(name)].map(rowsInOrder);
    let [difference, norm] = [0, 0];
    for (let i = 0; i < a.length; i++) {
      difference += (a[i] - b[i]) ** 2;
      norm += a[i] ** 2;
    }
    const relative = a.length === b.length ? Math.sqrt(difference / norm) : Number.NaN;
    // NaN must win
    if (!(relative <= worst)) [worst, weight] = [relative, name];
    if (Number.isNaN(worst)) break;
  }
  return { worst, weight };
}

/** The values of a gradient; those of a table by rising row. */
function rowsInOrder(gradient) {
  if (gradient === undefined || gradient.kind === "dense") return gradient?.values ?? new Float32Array(0);
  const { width, slots, values } = gradient;
  const rows = [...slots].sort(([a], [b]) => a - b);
  const ordered = new Float32Array(rows.length * width);
  rows.forEach(([, slot], i) => {
    ordered.set(values.subarray(slot * width, (slot + 1) * width), i * width);
  });
  return ordered;
}

/** The losses of the steps that there is time for, one at least. */
async function lossesOn(/** @type {Device} */ device, /** @type {Setting} */ setting) {
  const { program, batches } = await smallTraining(setting);
  const { steps, rate } = setting.sizes;
  const losses = [];
  /** What went wrong without ending the training. */
  const notes = [];
  const late = new AbortController();
  const data = { fingerprint: "parity", batch: (/** @type {number} */ i) => batches[i % batches.length] };
  await train(program, data, {
    ...{ device, threads, steps, learningRate: rate, signal: late.signal },
    onOpen: ({ device: used }) => expectDevice(device, used),
    onNote: (/** @type {string} */ note) => notes.push(note),
    onStep: ({ loss }) => {
      losses.push(loss);
      if (!setting.hasTime()) late.abort();
    },
  }).catch((error) => {
    if (!late.signal.aborted) throw error;
  });
  if (notes.length > 0) throw new Error(notes.join("; "));
  return losses;
}
