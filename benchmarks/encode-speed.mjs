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
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { dirname, resolve } from "node:path";
import { env, pipeline } from "@huggingface/transformers";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { readOptions, root, stopwatch, wordsAndNames } from "./measuring.mjs";

const { values: options } = readOptions("phrases=20000 rounds=4 data= json=encode-speed", {
  threads: String(availableParallelism()),
  model: `${root}.cache/e5-shape`,
});
const threads = Number(options.threads);

/** A seeded sample of distinct phrases, half words, half names. */
function samplePhrases(/** @type {number} */ count) {
  const { words, names } = wordsAndNames(options.data);
  const chosen = new Set();
  for (let state = 7; chosen.size < count; ) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    const source = state < 2 ** 31 ? words : names;
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    chosen.add(source[Math.floor((state / 2 ** 32) * source.length)]);
  }
  return [...chosen];
}

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {(phrases: string[]) => Promise<ArrayLike<number>>} encode
 * @property {() => unknown} close
 */

/** @returns {Promise<Contender>} */
async function openTransformers(/** @type {string} */ name, /** @type {"0" | "1"} */ spinning) {
  env.allowRemoteModels = false;
  env.localModelPath = dirname(resolve(options.model));
  const folder = resolve(options.model).slice(env.localModelPath.length + 1);
  const extract = await pipeline("feature-extraction", folder, {
    dtype: "fp32",
    device: "cpu",
    session_options: {
      intraOpNumThreads: threads,
      extra: { session: { intra_op: { allow_spinning: spinning } } },
    },
  });
  return {
    name,
    async encode(phrases) {
      /** @type {number[]} */
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

/** @returns {Promise<Contender>} */
async function openPearl(/** @type {string} */ name, /** @type {"full" | "int8"} */ precision) {
  const encoder = await PhraseEncoder.load(options.model, { device: "cpu", threads, precision });
  return {
    name,
    encode: async (phrases) => (await encoder.encodeMatrix(phrases, { normalize: true })).data,
    close: () => encoder.dispose(),
  };
}

/** The largest absolute difference of two sets of unit vectors, and their mean cosine. */
function compare(
  /** @type {ArrayLike<number>} */ a,
  /** @type {ArrayLike<number>} */ b,
  /** @type {number} */ rows,
) {
  let largestDifference = a.length === b.length ? 0 : Number.POSITIVE_INFINITY;
  let products = 0;
  for (let i = 0; i < a.length; i++) {
    largestDifference = Math.max(largestDifference, Math.abs(a[i] - b[i]));
    products += a[i] * b[i];
  }
  return { largestDifference, cosine: products / rows };
}

async function main() {
  const phrases = samplePhrases(Number(options.phrases));
  const rounds = Number(options.rounds);
  const contenders = [
    await openTransformers("transformers.js", "1"),
    await openTransformers("transformers.js, no spinning", "0"),
    await openPearl("pearl", "full"),
    await openPearl("pearl int8", "int8"),
  ];
  const seconds = contenders.map(() => 0);
  const processorSeconds = contenders.map(() => 0);
  const checks = contenders.map(() => ({ largestDifference: 0, cosine: 0 }));
  // warm-up, which also starts every worker
  for (const { encode } of contenders) await encode(phrases.slice(0, 1024));
  for (let round = 0; round < rounds; round++) {
    const part = phrases.filter((_, i) => i % rounds === round);
    /** @type {ArrayLike<number>[]} */
    const vectors = [];
    for (const [i, { name, encode }] of contenders.entries()) {
      const watch = stopwatch();
      vectors.push(await encode(part));
      const spent = watch();
      seconds[i] += spent.seconds;
      processorSeconds[i] += spent.processorSeconds;
      const { largestDifference, cosine } = compare(vectors[i], vectors[Math.max(0, i - 1)], part.length);
      checks[i].largestDifference = Math.max(checks[i].largestDifference, largestDifference);
      checks[i].cosine += (cosine * part.length) / phrases.length;
      console.error(`round ${round + 1}: ${name} ${Math.round(part.length / spent.seconds)}/s`);
    }
  }
  for (const { close } of contenders) await close();
  report(phrases.length, contenders, seconds, processorSeconds, checks);
}

function report(
  /** @type {number} */ count,
  /** @type {Contender[]} */ contenders,
  /** @type {number[]} */ seconds,
  /** @type {number[]} */ processorSeconds,
  /** @type {{ largestDifference: number, cosine: number }[]} */ checks,
) {
  const [peer] = [0, 1].sort((i, j) => seconds[i] - seconds[j]);
  const [pearl, int8] = [2, 3];
  const round = (/** @type {number} */ x, digits = 3) => Number(x.toPrecision(digits));
  const version = (/** @type {string} */ name) =>
    JSON.parse(readFileSync(`${root}node_modules/${name}/package.json`, "utf8")).version;
  const result = {
    phrases: count,
    threads,
    processor: cpus()[0].model,
    vnni: processorFlags().some((flag) => /^avx(512)?_vnni$/.test(flag)),
    versions: {
      node: process.versions.node,
      ...Object.fromEntries(["onnxruntime-node", "@huggingface/transformers"].map((n) => [n, version(n)])),
    },
    ways: contenders.map(({ name }, i) => ({
      name,
      phrasesPerSecond: round(count / seconds[i]),
      processorMillisecondsPerPhrase: round((1000 * processorSeconds[i]) / count),
    })),
    pearlToTransformers: {
      speed: round(seconds[peer] / seconds[pearl]),
      processorTime: round(processorSeconds[peer] / processorSeconds[pearl]),
      largestDifference: round(checks[pearl].largestDifference, 2),
    },
    int8ToPearl: {
      speed: round(seconds[pearl] / seconds[int8]),
      processorTime: round(processorSeconds[pearl] / processorSeconds[int8]),
      meanCosine: round(checks[int8].cosine, 5),
    },
  };
  console.log(JSON.stringify(result, null, 2));
  mkdirSync(dirname(options.json), { recursive: true });
  writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
}

/** Instruction sets of the processor, if the system lists them. */
function processorFlags() {
  if (!existsSync("/proc/cpuinfo")) return [];
  return /^flags\s*:(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1].trim().split(/\s+/) ?? [];
}

await main();
