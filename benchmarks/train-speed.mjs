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
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openEngine } from "../dist/training/engine.js";
import { e5Small, makeModelFolder } from "../scripts/make-e5-shape.mjs";
import { readOptions, root } from "../scripts/options.mjs";
import { openProgram, phraseSource } from "./gpu/settings.mjs";
import { machine, median, stopwatch, versions, wordsAndNames, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions(
  "rounds=3 threads=2 only cells spinning=off python=/usr/bin/python3 data= json=train-speed child",
);
const { spinning } = options;
const threads = Number(options.threads);
const round = (/** @type {number} */ x) => Number(x.toPrecision(3));

const shapes = {
  "192/3 layers": {
    ...e5Small,
    ...{ vocabulary: 20_000, hidden: 192, layers: 3, heads: 6, feedForward: 768, positions: 128 },
  },
  "E5-small's shape": e5Small,
};

/** @typedef {{ shape: typeof e5Small, folder: string, threads: number, batches: string[][], tokens: number[][][] }} Settings */

/** Four batches of phrases: of 8 tokens each, or of mixed length, half words and half names. */
const batchesOf = {
  "512 × 8 tokens": (/** @type {string} */ folder) =>
    [1, 2, 3, 4].map((seed) => phraseSource(folder).fixed(512, 8, seed)),
  "510 phrases of mixed length": () => [1, 2, 3, 4].map((seed) => wordsAndNames(options.data, 510, seed)),
};

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
  const { program, batch } = await openProgram(folder);
  const engine = await openEngine(program, { device: "cpu", threads, spinning });
  const all = [...(await engine.optimiser.weights()).values()];
  const cells = options.cells && Number(options.cells);
  const ready = [];
  for (const phrases of batches) {
    const [anchors, positives] = [phrases.slice(0, phrases.length / 2), phrases.slice(phrases.length / 2)];
    ready.push(await batch({ anchors, positives, types: [] }, { cells }));
  }
  const sizes = ready[0].chunks?.map(({ rows, feeds }) => `${rows.length}x${feeds.input_ids.dims[1]}`);
  const weights = all.reduce((sum, { data }) => sum + data.length, 0);
  console.log(JSON.stringify({ weights, chunks: sizes?.join(" ") ?? "one pass" }));
  for await (const line of createInterface({ input: process.stdin })) {
    const watch = stopwatch();
    const { losses } = await engine.step(ready[Number(line)], 1e-5);
    const { seconds, processorSeconds: processor } = watch();
    console.log(JSON.stringify({ seconds, processor, loss: losses.training_loss }));
  }
}

async function measure(/** @type {string} */ name, /** @type {Settings} */ settings) {
  const path = join(mkdtempSync(join(tmpdir(), "pearl-train-speed-")), "settings.json");
  writeFileSync(path, JSON.stringify(settings));
  const [own, torch] = ["train-speed.mjs", "train-speed-torch.py"].map((file) =>
    fileURLToPath(new URL(file, import.meta.url)),
  );
  const how = ["--spinning", spinning, ...(options.cells === undefined ? [] : ["--cells", options.cells])];
  const sides = [
    { name: "torch", ...startSide(options.python, [torch, path]) },
    { name: "pearl", ...startSide(process.execPath, [own, "--child", path, ...how]) },
  ];
  const starts = [];
  for (const side of sides) starts.push(await side.started());
  const answers = [[], []];
  for (let turn = 0; turn <= Number(options.rounds); turn++)
    for (const [s, side] of sides.entries())
      for (let step = 0; step < 2; step++) {
        const answer = await side.step((2 * turn + step) % settings.batches.length);
        // the first round is a warm-up
        if (turn > 0) answers[s].push(answer);
        console.error(`${name}, round ${turn}: ${side.name} ${JSON.stringify(answer)}`);
      }
  const [torchSide, pearlSide] = sides.map((side, s) => {
    const [seconds, processor] = ["seconds", "processor"].map((key) => answers[s].map((one) => one[key]));
    const peakMegabytes = Math.round(side.peakBytes() / 1e6);
    side.close();
    return {
      ...{ secondsMedian: round(median(seconds)), secondsLeast: round(Math.min(...seconds)) },
      ...{ processorMedian: round(median(processor)), processorLeast: round(Math.min(...processor)) },
      peakMegabytes,
    };
  });
  const lengths = settings.tokens.flat().map(({ length }) => length);
  const meanLength = lengths.reduce((a, b) => a + b, 0) / lengths.length;
  return {
    ...{ name, measured: new Date().toISOString().slice(0, 10), rounds: Number(options.rounds) },
    ...(spinning !== "off" && { spinning }),
    // both sides inherit it; glibc.malloc.hugetlb=1, for example, requests large pages
    ...(process.env.GLIBC_TUNABLES && { tunables: process.env.GLIBC_TUNABLES }),
    // load of the last five minutes, which shows other load on the machine
    loadAverage: round(loadavg()[1]),
    rows: settings.batches[0].length,
    tokensPerRow: { mean: round(meanLength), longest: Math.max(...lengths) },
    chunks: starts[1].chunks,
    weights: { torch: starts[0].weights, pearl: starts[1].weights },
    torch: { version: starts[0].version, ...torchSide },
    pearl: pearlSide,
    pearlToTorch: Object.fromEntries(
      Object.entries(pearlSide).map(([key, value]) => [key, round(value / torchSide[key])]),
    ),
  };
}

async function main() {
  const earlier = existsSync(options.json) ? JSON.parse(readFileSync(options.json, "utf8")).results : [];
  const results = new Map(earlier.map((result) => [result.name, result]));
  const note =
    "seconds of a step on a shared machine, by the clock and of processor: read the ratios beside loadAverage";
  for (const [kind, makeBatches] of Object.entries(batchesOf))
    for (const [of, shape] of Object.entries(shapes)) {
      const name = `${of}, ${kind}`;
      if (options.only !== undefined && !name.includes(options.only)) continue;
      const folder = `${root}.cache/${shape === e5Small ? "e5-shape" : "small-shape"}`;
      if (!existsSync(folder)) makeModelFolder(folder, shape);
      const batches = makeBatches(folder);
      const { tokens: tokensOf } = await openProgram(folder);
      const tokens = await Promise.all(batches.map(tokensOf));
      results.set(name, await measure(name, { shape, folder, threads, batches, tokens }));
      // after each case, since all of them take a quarter of an hour
      const facts = { threads, machine: machine(), versions: versions("onnxruntime-node"), note };
      writeRecord({ ...facts, results: [...results.values()] }, options.json);
    }
}

if (options.child === undefined) await main();
else await serve(JSON.parse(readFileSync(options.child, "utf8")));
