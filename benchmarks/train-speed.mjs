/**
 * Compares time and memory of a training step (forward, backward, Adam) with PyTorch's, in one run.
 *
 *     npm run build && node scripts/make-e5-shape.mjs && node benchmarks/train-speed.mjs [--rounds 3]
 *
 * PyTorch is Debian's python3-torch. The two sides run in separate processes and alternate after each step,
 * so that other load affects both. They use the same number of threads and get the same token ids: 512 rows
 * of 8 tokens, and PEARL's batch of 510 phrases of mixed length (../shared/data), which PyTorch pads to the
 * longest as PEARL's code does. OpenMP's threads sleep between operators, OpenBLAS's threads spin for some
 * milliseconds; pearl's threads sleep at once, or spin for 0.1 ms with --spinning brief.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assembleModel } from "../dist/architectures/compose.js";
import { readModelFolder } from "../dist/architectures/model-folder.js";
import { openFeaturizers } from "../dist/architectures/registry.js";
import { readModel } from "../dist/onnx/io/file.js";
import { openReader, readPhrases, samplePhrases } from "../dist/pearl/contrastive-batch.js";
import { pairProgram, prepareForTraining } from "../dist/pearl/loss/program.js";
import { openEngine } from "../dist/training/engine.js";
import { planChunks } from "../dist/training/gradients/chunks.js";
import { e5Small, makeModelFolder } from "../scripts/make-e5-shape.mjs";
import { randomNumbers } from "./gpu/settings.mjs";
import { median, readOptions, root, stopwatch, wordsAndNames } from "./measuring.mjs";

const { values: options } = readOptions(
  "rounds=3 threads=2 only cells spinning=off python=/usr/bin/python3 data= json=train-speed child",
);
const threads = Number(options.threads);
const small = {
  ...e5Small,
  vocabulary: 20_000,
  hidden: 192,
  layers: 3,
  heads: 6,
  feedForward: 768,
  positions: 128,
};

const spinning = /** @type {"on" | "brief" | "off"} */ (options.spinning);

/**
 * @typedef {typeof e5Small} Shape
 * @typedef {{ shape: Shape, folder: string, threads: number, batches: number[][][] }} Settings
 */

const evenBatches = (/** @type {Shape} */ shape) => {
  const next = randomNumbers(7);
  const row = () => Array.from({ length: 8 }, () => 1 + next(shape.vocabulary - 1));
  return Array.from({ length: 4 }, () => Array.from({ length: 512 }, row));
};

/** Token ids of batches of 510 phrases, half words and half names. */
async function mixedBatches(/** @type {string} */ folder) {
  const model = await readModelFolder(folder);
  const [featurizer] = await openFeaturizers(model, ["input_ids", "attention_mask", "token_type_ids"]);
  const { words, names } = wordsAndNames(options.data);
  const next = randomNumbers(11);
  return Array.from({ length: 4 }, () => {
    const phrases = Array.from({ length: 510 }, (_, i) =>
      i % 2 ? words[next(words.length)] : names[next(names.length)],
    );
    const { rows } = featurizer.read(phrases);
    return phrases.map((_, i) => Array.from(rows.ids.subarray(rows.starts[i], rows.starts[i + 1])));
  });
}

/** Starts a process that answers each input line with one line of JSON. */
function startSide(/** @type {string} */ command, /** @type {string[]} */ parameters) {
  const child = spawn(command, parameters, {
    env: { ...process.env, OMP_WAIT_POLICY: "PASSIVE", OMP_NUM_THREADS: String(threads) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value } = await lines.next();
    if (value !== undefined) return JSON.parse(value);
    throw new Error(
      `${command} has ended (above: why). PyTorch is Debian's python3-torch; name its Python with --python.`,
    );
  };
  return {
    started: answer,
    step: (/** @type {number} */ batch) => {
      child.stdin.write(`${batch}\n`);
      return answer();
    },
    peakBytes: () =>
      1024 *
      Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? Number.NaN),
    close: () => child.stdin.end(),
  };
}

/** pearl's side: the training engine of `pearl finetune`. */
async function serve(/** @type {Settings} */ { folder, threads, batches }) {
  const base = await readModelFolder(folder);
  const assembled = assembleModel({
    base: { folder: base, model: readModel(base.graph) },
    types: [],
    seed: 0,
  });
  const reader = await openReader(base, assembled);
  const [{ featurizer }] = reader.features;
  const program = pairProgram(prepareForTraining(assembled.model), {
    ...{ sample: await readPhrases(samplePhrases, reader), width: assembled.width },
    ...{ temperature: 0.07, types: 0, negatives: "none", seed: 0 },
  });
  const engine = await openEngine(program, { device: "cpu", threads, spinning });
  const weights = [...(await engine.optimiser.weights()).values()].reduce(
    (sum, { data }) => sum + data.length,
    0,
  );
  const ready = batches.map((rows) => batchOf(rows, featurizer));
  console.log(
    JSON.stringify({
      weights,
      chunks: ready.map(
        ({ chunks }) =>
          chunks?.map(({ rows, feeds }) => `${rows.length}x${feeds.input_ids.dims[1]}`).join(" ") ??
          "one pass",
      ),
    }),
  );
  for await (const line of createInterface({ input: process.stdin })) {
    const watch = stopwatch();
    const { losses } = await engine.step(ready[Number(line)], 1e-5);
    const { seconds, processorSeconds: processor } = watch();
    console.log(JSON.stringify({ seconds, processor, loss: losses.training_loss }));
  }
}

function batchOf(
  /** @type {number[][]} */ rows,
  /** @type {import("../dist/architectures/architecture.js").Featurizer} */ featurizer,
) {
  const starts = Int32Array.from([0, ...rows.map(({ length }) => length)]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  const all = { ids: Int32Array.from(rows.flat()), starts };
  const inputs = (/** @type {Int32Array} */ part) => {
    /** @type {import("../dist/runtime/tensor.js").Feeds} */
    const feeds = {};
    featurizer.fill(all, part, Math.max(...Array.from(part, (row) => rows[row].length)), feeds);
    return feeds;
  };
  const half = BigInt(rows.length / 2);
  /** @type {import("../dist/runtime/tensor.js").Feeds} */
  const feeds = {
    sizes: { type: "int64", dims: [2], data: BigInt64Array.of(half, half) },
    groups: { type: "int32", dims: [rows.length], data: Int32Array.from(rows.keys()) },
  };
  const cells = options.cells === undefined ? undefined : Number(options.cells);
  const plan = planChunks(
    rows.map(({ length }) => length),
    { cells },
  );
  if (!plan) return { feeds: { ...feeds, ...inputs(Int32Array.from(rows.keys())) }, phrases: rows.length };
  return { feeds, chunks: plan.map((part) => ({ rows: part, feeds: inputs(part) })), phrases: rows.length };
}

async function measure(/** @type {string} */ name, /** @type {Settings} */ settings) {
  const path = join(mkdtempSync(join(tmpdir(), "pearl-train-speed-")), "settings.json");
  writeFileSync(path, JSON.stringify(settings));
  const own = fileURLToPath(import.meta.url);
  const cells = options.cells === undefined ? [] : ["--cells", options.cells];
  const waiting = ["--spinning", spinning];
  const sides = [
    { name: "torch", ...startSide(options.python, [join(dirname(own), "train-speed-torch.py"), path]) },
    { name: "pearl", ...startSide(process.execPath, [own, "--child", path, ...waiting, ...cells]) },
  ];
  const starts = [];
  for (const side of sides) starts.push(await side.started());
  /** @type {number[][]} */
  const seconds = [[], []];
  /** @type {number[][]} */
  const processor = [[], []];
  for (let round = 0; round <= Number(options.rounds); round++)
    for (const [s, side] of sides.entries())
      for (let step = 0; step < 2; step++) {
        const answer = await side.step((2 * round + step) % settings.batches.length);
        // the first round is a warm-up
        if (round > 0) {
          seconds[s].push(answer.seconds);
          processor[s].push(answer.processor);
        }
        console.error(
          `${name}, round ${round}: ${side.name} ${answer.seconds.toFixed(3)} s (${answer.processor.toFixed(3)} s of processor time), loss ${answer.loss.toFixed(3)}`,
        );
      }
  const peaks = sides.map((side) => side.peakBytes());
  for (const side of sides) side.close();
  const round = (/** @type {number} */ x) => Number(x.toPrecision(3));
  const [torch, pearl] = seconds.map((times, s) => ({
    secondsMedian: round(median(times)),
    secondsLeast: round(Math.min(...times)),
    processorMedian: round(median(processor[s])),
    processorLeast: round(Math.min(...processor[s])),
    peakMegabytes: Math.round(peaks[s] / 1e6),
  }));
  const tokens = settings.batches.flat().map(({ length }) => length);
  return {
    name,
    measured: new Date().toISOString().slice(0, 10),
    rounds: Number(options.rounds),
    ...(spinning !== "off" && { spinning }),
    // both sides inherit it; glibc.malloc.hugetlb=1, for example, requests large pages
    ...(process.env.GLIBC_TUNABLES && { tunables: process.env.GLIBC_TUNABLES }),
    // load of the last five minutes, which shows other load on the machine
    loadAverage: round(loadavg()[1]),
    rows: settings.batches[0].length,
    tokensPerRow: {
      mean: round(tokens.reduce((a, b) => a + b, 0) / tokens.length),
      longest: Math.max(...tokens),
    },
    chunks: starts[1].chunks[0],
    weights: { torch: starts[0].weights, pearl: starts[1].weights },
    torch: { version: starts[0].version, ...torch },
    pearl,
    pearlToTorch: {
      secondsMedian: round(pearl.secondsMedian / torch.secondsMedian),
      secondsLeast: round(pearl.secondsLeast / torch.secondsLeast),
      processorMedian: round(pearl.processorMedian / torch.processorMedian),
      processorLeast: round(pearl.processorLeast / torch.processorLeast),
      peakMemory: round(pearl.peakMegabytes / torch.peakMegabytes),
    },
  };
}

async function main() {
  const e5 = `${root}.cache/e5-shape`;
  const tiny = `${root}.cache/small-shape`;
  if (!existsSync(e5)) makeModelFolder(e5);
  if (!existsSync(tiny)) makeModelFolder(tiny, small);
  const even = (/** @type {Shape} */ shape, /** @type {string} */ folder) => ({
    shape,
    folder,
    threads,
    batches: evenBatches(shape),
  });
  /** @type {[string, () => Promise<Settings> | Settings][]} */
  const cases = [
    ["192/3 layers, 512 × 8 tokens", () => even(small, tiny)],
    ["E5-small's shape, 512 × 8 tokens", () => even(e5Small, e5)],
    [
      "192/3 layers, 510 phrases of mixed length",
      async () => ({ ...even(small, tiny), batches: await mixedBatches(tiny) }),
    ],
    [
      "E5-small's shape, 510 phrases of mixed length",
      async () => ({ ...even(e5Small, e5), batches: await mixedBatches(e5) }),
    ],
  ];
  const version = JSON.parse(
    readFileSync(`${root}node_modules/onnxruntime-node/package.json`, "utf8"),
  ).version;
  const record = {
    ...{ threads, processor: cpus()[0].model, node: process.versions.node, onnxruntime: version },
    note: "seconds of a step on a shared machine, by the clock and of processor: read the ratios beside loadAverage",
    /** @type {Awaited<ReturnType<typeof measure>>[]} */
    results: [],
  };
  mkdirSync(dirname(options.json), { recursive: true });
  if (existsSync(options.json)) record.results = JSON.parse(readFileSync(options.json, "utf8")).results;
  for (const [name, settings] of cases) {
    if (options.only !== undefined && !name.includes(options.only)) continue;
    const found = await measure(name, await settings());
    record.results = cases.flatMap(([each]) =>
      each === name ? [found] : record.results.filter((result) => result.name === each),
    );
    // write after each case, since all of them take a quarter of an hour
    writeFileSync(options.json, `${JSON.stringify(record, null, 2)}\n`);
  }
  console.log(JSON.stringify(record, null, 2));
}

if (options.child === undefined) await main();
else await serve(JSON.parse(readFileSync(options.child, "utf8")));
