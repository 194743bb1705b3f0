/**
 * One phase of the GPU benchmark, which run.sh runs as a process of its own so that a driver that crashes or hangs
 * ends only this phase. Each result is a line of JSON in WORK/results.jsonl.
 *
 *     node benchmarks/gpu/measure.mjs make|probe|encode|train|parity DEVICE --work FOLDER --seconds N [--tiny]
 */
import { spawn } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../../dist/encoder/phrase-encoder.js";
import { train } from "../../dist/training/trainer.js";
import { makeModelFolder } from "../../scripts/make-e5-shape.mjs";
import { compareWithCpu, writeReference } from "./parity.mjs";
import { expectDevice, openProgram, phraseSource, sizes, threads, trainingRows } from "./settings.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    work: { type: "string", default: "." },
    seconds: { type: "string", default: "60" },
    tiny: { type: "boolean", default: false },
  },
});
const [phase, device = "cpu"] = positionals;
const size = options.tiny ? sizes.tiny : sizes.full;
const shapeNames = Object.keys(size.shapes);
const folderOf = (/** @type {string} */ shape) => join(options.work, shape);

/** Nothing new starts when this share of the phase's time is over: run.sh kills the phase at its end. */
const usableShare = 0.8;
const secondsSince = (/** @type {number} */ start) => (performance.now() - start) / 1000;
const hasTime = () => performance.now() / 1000 < usableShare * Number(options.seconds);

function record(/** @type {string} */ kind, /** @type {object} */ row) {
  appendFileSync(join(options.work, "results.jsonl"), `${JSON.stringify({ kind, device, ...row })}\n`);
  console.error(`${phase} ${device}: ${JSON.stringify(row)}`);
}

/** Runs one measurement; a failure, or a lack of time, is a result too. */
async function attempt(kind, facts, run) {
  if (!hasTime()) return record(kind, { ...facts, skipped: "out of time" });
  try {
    await run();
  } catch (error) {
    record(kind, { ...facts, failed: String(error.message).split("\n", 1)[0] });
  }
}

const median = (/** @type {number[]} */ numbers) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** E5-small's models, the token ids that PyTorch gets, and then the larger models, whose weights take the time. */
async function make() {
  const [first, ...others] = shapeNames;
  makeModels(first);
  const source = phraseSource(folderOf(first));
  const { tokens } = await openProgram(folderOf(first));
  const { phrases, fixed } = size.encode;
  const lengths = {
    mixed: await tokens(source.mixed(phrases)),
    fixed: await tokens(source.fixed(phrases, fixed)),
  };
  const trainings = { fixed: [], real: [], pearl: [], cache: [] };
  for (const [kind, batches] of Object.entries(trainings))
    for (let i = 1; i <= size.train.batches; i++) {
      const { anchors, positives, types } = trainingRows(kind, source, size.train, i);
      batches.push({ rows: await tokens([...anchors, ...positives]), types });
    }
  writeFileSync(join(options.work, "torch-task.json"), JSON.stringify({ ...size, lengths, trainings }));
  others.forEach(makeModels);
}

const makeModels = (/** @type {string} */ shape) => makeModelFolder(folderOf(shape), size.shapes[shape]);

/** Whether the device computes right: similarities by the embedded model, as `pearl doctor` checks them. */
async function probe() {
  await attempt("device", { works: false }, async () => {
    const encoder = await PhraseEncoder.load(undefined, { device });
    const [[near, far]] = await encoder.similarity(["New York Times"], ["new york time", "photosynthesis"]);
    expectDevice(device, encoder.device);
    await encoder.dispose();
    if (!(near > far && near <= 1.0001)) throw new Error(`its similarities are wrong: ${near} and ${far}`);
    record("device", { works: true, seconds: performance.now() / 1000 });
  });
}

async function encode() {
  const onCpu = device === "cpu";
  const shapes = onCpu && !options.tiny ? shapeNames.slice(0, 1) : shapeNames;
  for (const shape of shapes)
    for (const precision of onCpu ? ["fp32"] : ["fp32", "fp16"])
      await attempt("encode", { shape, precision }, () => encodeAll(shape, precision));
}

async function encodeAll(/** @type {string} */ shape, /** @type {"fp32" | "fp16"} */ precision) {
  const count = device === "cpu" ? size.encode.onCpu : size.encode.phrases;
  const batches = device === "cpu" ? size.encode.batches.slice(0, 2) : size.encode.batches;
  const source = phraseSource(folderOf(shape));
  const half = precision === "fp16" ? "half" : "full";
  const encoder = await PhraseEncoder.load(folderOf(shape), { device, precision: half });
  const kinds = { mixed: source.mixed(count), fixed: source.fixed(count, size.encode.fixed) };
  // one call as users of a GPU make it; PEARL-small's authors give 42 ms for 512 phrases
  const calls = batches.map((batch) => ({ batch, phrases: count }));
  if (batches[0] < count) calls.unshift({ batch: batches[0], phrases: batches[0] });
  for (const [lengths, all] of Object.entries(kinds))
    for (const { batch, phrases } of calls) {
      const facts = { shape, precision, lengths, batch, phrases };
      await attempt("encode", facts, async () => {
        const times = await repeated(() => encoder.encodeMatrix(all.slice(0, phrases), { batchSize: batch }));
        expectDevice(device, encoder.device);
        record("encode", { ...facts, ...times });
      });
    }
  await encoder.dispose();
}

/** The first run, which compiles, and the median and least of the next ones: a second, two runs at least. */
async function repeated(/** @type {() => Promise<unknown>} */ run) {
  const start = performance.now();
  await run();
  const firstSeconds = secondsSince(start);
  const times = [];
  const begin = performance.now();
  while (times.length < 2 || (times.length < 20 && secondsSince(begin) < 1)) {
    const each = performance.now();
    await run();
    times.push(secondsSince(each));
  }
  return { seconds: median(times), leastSeconds: Math.min(...times), firstSeconds, runs: times.length };
}

/** Training steps by the trainer of `pearl finetune`. */
async function trainAll() {
  const everything = Number.POSITIVE_INFINITY;
  const whole = { cells: everything, overhead: everything };
  const cases = [
    ["e5-small", "fixed", {}, "as pearl finetune cuts it"],
    ["e5-small", "real", {}, "as pearl finetune cuts it"],
    ["e5-small", "pearl", {}, "as pearl finetune cuts it"],
    ["e5-small", "real", whole, "one pass"],
    ["e5-small", "cache", { cells: size.train.cells }, "gradient cache"],
    ["e5-small", "cache", whole, "one pass"],
    ["bert-base", "fixed", {}, "as pearl finetune cuts it"],
    ["bert-base", "pearl", {}, "as pearl finetune cuts it"],
  ];
  // a tiny batch is not cut unless it must be: "one pass" would repeat it
  const inTiny = cases.filter(({ 3: way }) => way !== "one pass");
  const inFull = device === "cpu" ? cases.slice(0, 3) : cases;
  for (const [shape, batch, chunks, way] of options.tiny ? inTiny : inFull)
    await attempt("train", { shape, batch, way }, async () =>
      record("train", { shape, batch, way, ...(await steps(shape, batch, chunks)) }),
    );
}

/** The time of steps after the first round over the batches, in which shaders are compiled. */
async function steps(shape, kind, chunks) {
  const types = kind === "pearl" ? size.train.types : 0;
  const { program, batch } = await openProgram(folderOf(shape), types, device);
  const source = phraseSource(folderOf(shape));
  const { batches: count, rounds } = size.train;
  const batches = await Promise.all(
    Array.from({ length: count }, (_, i) => batch(trainingRows(kind, source, size.train, i + 1), chunks)),
  );
  const enough = new AbortController();
  const [times, losses] = [[], []];
  /** What went wrong without ending the training. */
  const notes = [];
  const started = performance.now();
  let opened;
  const data = { fingerprint: kind, batch: (/** @type {number} */ i) => batches[i % count] };
  await train(program, data, {
    ...{ device, threads, steps: count * rounds, learningRate: 1e-5, signal: enough.signal },
    onOpen: ({ device: used }) => {
      expectDevice(device, used);
      opened = secondsSince(started);
    },
    onNote: (/** @type {string} */ note) => notes.push(note),
    onStep: ({ seconds, loss }) => {
      times.push(seconds);
      losses.push(loss);
      if (times.length > 1 && (secondsSince(started) > 8 || !hasTime())) enough.abort();
    },
  }).catch((error) => {
    if (!enough.signal.aborted) throw error;
  });
  if (notes.length > 0) throw new Error(notes.join("; "));
  const later = times.slice(times.length > count ? count : 1);
  const rows = batches[0].phrases;
  const parts = batches[0].chunks?.length ?? 1;
  return {
    ...{ rows, chunks: parts, seconds: median(later), leastSeconds: Math.min(...later) },
    ...{ firstSeconds: times[0], openSeconds: opened, steps: times.length, firstLoss: losses[0] },
  };
}

/** Vectors, gradients and a loss curve: the CPU writes them, other devices are compared with them. */
async function parity() {
  const common = { work: options.work, hasTime };
  const setting = { folder: folderOf("e5-small"), sizes: size.parity, types: size.train.types, ...common };
  const all = device === "cpu" ? writeReference(setting) : compareWithCpu(setting, device);
  for (const { what, compare } of all)
    await attempt("parity", { what }, async () => record("parity", { what, ...(await compare()) }));
}

/** Samples the memory in use on NVIDIA's GPUs. @returns what ends it, and gives the memory in megabytes */
function watchMemory() {
  const samples = [];
  const query = ["--query-gpu=memory.used", "--format=csv,noheader,nounits", "--loop-ms=200", "--id=0"];
  const watcher = spawn("nvidia-smi", query, { stdio: ["ignore", "pipe", "ignore"] });
  watcher.on("error", () => {});
  watcher.stdout.on("data", (lines) => samples.push(...String(lines).trim().split("\n").map(Number)));
  return () => {
    watcher.kill();
    const known = samples.filter(Number.isFinite);
    return {
      processMegabytes: Math.round(process.resourceUsage().maxRSS / 1000),
      ...(known.length > 0 && { gpuMegabytesBefore: known[0], gpuMegabytesPeak: Math.max(...known) }),
    };
  };
}

const phases = { make, probe, encode, train: trainAll, parity };
if (!Object.hasOwn(phases, phase)) throw new Error(`unknown phase "${phase}"`);
const memory = watchMemory();
await phases[phase]();
record("memory", { phase, ...memory() });
// some drivers crash during shutdown, after the results
process.exit(0);
