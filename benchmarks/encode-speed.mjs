/**
 * Compares the speed of pearl and transformers.js on one model, in one run, with the same number of threads.
 *
 *     npm run build && node scripts/make-e5-shape.mjs && node benchmarks/encode-speed.mjs [--phrases 20000]
 *
 * The model has E5-small's shape (12 layers, width 384) and random weights; the phrases are words and names
 * of mixed length from ../shared/data. The implementations take turns on parts of the phrases, so that other
 * load on the machine affects all equally:
 *   (a) the feature-extraction pipeline of @huggingface/transformers, batches of 32 in input order, mean
 *       pooling; with threads that spin between operators (ONNX Runtime's default, faster on an idle
 *       machine), and without (faster on a busy machine, and what pearl does). The faster of the two is
 *       compared with pearl.
 *   (b) pearl's PhraseEncoder
 *   (c) pearl's PhraseEncoder with weights quantised to int8 while loading
 *
 * Measurements that determined how pearl runs a graph (2 cores of an AMD EPYC Milan: AVX2, no VNNI):
 *   - Phrases have 7 tokens on average, but batches of 32 in input order are padded to 21: batches of phrases
 *     with the same length are 2.9 × faster, by far the largest gain.
 *   - Two workers with a one-thread session each are 1.3 × faster than one session with two threads.
 *   - From 200 to 2,000 tokens per batch, the time per token is the same within 5 %.
 *   - Matrix products take 87 % of the time, at 88 GFLOP/s per core, near the peak of this core. ONNX Runtime
 *     fuses LayerNorm, bias + GELU and scaled products by itself. When pearl writes fused operators into the
 *     graph, MultiHeadAttention, Attention (Q, K and V in one product), a graph without mask, and packed rows
 *     are all within 2 % of the exported graph; SkipLayerNormalization is 10 % slower.
 *   - int8: ONNX Runtime fuses the standard operators (DynamicQuantizeLinear, MatMulInteger, Cast, Mul) to
 *     DynamicQuantizeMatMul. They are as fast as explicit com.microsoft operators, QAttention included:
 *     1.75 × without VNNI, before or after the rewrites above. Without VNNI, unsigned weights are 1.2 × slower
 *     than signed ones, and MatMulNBits (8 bits, a scale per block of a row, independent of the batch) is
 *     1.5 × slower than float32.
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { readOptions, root } from "../scripts/options.mjs";
import {
  machine,
  stopwatch,
  transformersPipeline,
  versions,
  wordsAndNames,
  writeRecord,
} from "./measuring.mjs";

const { values: options } = readOptions("phrases=20000 rounds=4 data= json=encode-speed", {
  threads: String(availableParallelism()),
  model: `${root}.cache/e5-shape`,
});
const threads = Number(options.threads);

/** What encodes phrases to unit vectors, in one list of numbers. */
async function openTransformers(/** @type {"0" | "1"} */ spinning) {
  const extract = await transformersPipeline(options.model, threads, spinning);
  return {
    async encode(/** @type {string[]} */ phrases) {
      const vectors = [];
      for (let start = 0; start < phrases.length; start += 32) {
        const batch = phrases.slice(start, start + 32);
        const { data } = await extract(batch, { pooling: "mean", normalize: true });
        for (const x of /** @type {Float32Array} */ (data)) vectors.push(x);
      }
      return vectors;
    },
    close: () => extract.dispose(),
  };
}

async function openPearl(/** @type {"full" | "int8"} */ precision) {
  const encoder = await PhraseEncoder.load(options.model, { device: "cpu", threads, precision });
  return {
    encode: async (/** @type {string[]} */ phrases) =>
      (await encoder.encodeMatrix(phrases, { normalize: true })).data,
    close: () => encoder.dispose(),
  };
}

/** The largest absolute difference of two sets of unit vectors, and the sum of their cosines. */
function compare(a, b) {
  let largestDifference = a.length === b.length ? 0 : Number.POSITIVE_INFINITY;
  let cosines = 0;
  for (let i = 0; i < a.length; i++) {
    largestDifference = Math.max(largestDifference, Math.abs(a[i] - b[i]));
    cosines += a[i] * b[i];
  }
  return { largestDifference, cosines };
}

/** Instruction sets of the processor, if the system lists them. */
function processorFlags() {
  if (!existsSync("/proc/cpuinfo")) return [];
  return /^flags\s*:(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1].trim().split(/\s+/) ?? [];
}

const phrases = wordsAndNames(options.data, Number(options.phrases), 7);
const rounds = Number(options.rounds);
const opened = [
  ["transformers.js", await openTransformers("1")],
  ["transformers.js, no spinning", await openTransformers("0")],
  ["pearl", await openPearl("full")],
  ["pearl int8", await openPearl("int8")],
];
/** Each is compared with the one before. */
const ways = opened.map(([name, way]) => ({
  ...{ name, ...way, vectors: [], seconds: 0, processorSeconds: 0, largestDifference: 0, cosines: 0 },
}));
// warm-up, which also starts every worker
for (const { encode } of ways) await encode(phrases.slice(0, 1024));
for (let round = 0; round < rounds; round++) {
  const part = phrases.filter((_, i) => i % rounds === round);
  for (const [i, way] of ways.entries()) {
    const watch = stopwatch();
    way.vectors = await way.encode(part);
    const spent = watch();
    way.seconds += spent.seconds;
    way.processorSeconds += spent.processorSeconds;
    const { largestDifference, cosines } = compare(way.vectors, ways[Math.max(0, i - 1)].vectors);
    way.largestDifference = Math.max(way.largestDifference, largestDifference);
    way.cosines += cosines;
    console.error(`round ${round + 1}: ${way.name} ${Math.round(part.length / spent.seconds)}/s`);
  }
}
for (const { close } of ways) await close();

const round = (/** @type {number} */ x, digits = 3) => Number(x.toPrecision(digits));
const [spinning, still, pearl, int8] = ways;
const peer = spinning.seconds < still.seconds ? spinning : still;
const ratios = (slow, fast) => ({
  speed: round(slow.seconds / fast.seconds),
  processorTime: round(slow.processorSeconds / fast.processorSeconds),
});
const record = {
  ...{ phrases: phrases.length, threads, machine: machine() },
  vnni: processorFlags().some((flag) => /^avx(512)?_vnni$/.test(flag)),
  versions: versions("onnxruntime-node", "@huggingface/transformers"),
  ways: ways.map(({ name, seconds, processorSeconds }) => ({
    name,
    phrasesPerSecond: round(phrases.length / seconds),
    processorMillisecondsPerPhrase: round((1000 * processorSeconds) / phrases.length),
  })),
  pearlToTransformers: { ...ratios(peer, pearl), largestDifference: round(pearl.largestDifference, 2) },
  int8ToPearl: { ...ratios(pearl, int8), meanCosine: round(int8.cosines / phrases.length, 5) },
};
writeRecord(record, options.json);
