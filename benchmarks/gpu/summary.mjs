/**
 * Writes gpu.json from the results of the GPU benchmark's phases, and summary.txt, which has each of its rows on a line.
 *
 *     node benchmarks/gpu/summary.mjs WORK OUTPUT [--tiny]
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";

/** @typedef {Record<string, any>} Row a line of results.jsonl */

/** Times of PyTorch's, and PEARL-small's published seconds for 512 phrases. */
const goals = { encode: 1.5, train: 2, phrases512: 0.042 };

const [work, output, mode] = process.argv.slice(2);
/** @type {Row[]} */
const rows = readFileSync(join(work, "results.jsonl"), "utf8")
  .split("\n")
  // a killed phase may leave half a line
  .filter((line) => line.startsWith("{") && line.endsWith("}"))
  .map((line) => JSON.parse(line));
const of = (/** @type {string} */ kind) =>
  rows.filter((row) => row.kind === kind).map(({ kind: _, ...row }) => row);

const encode = compared("encode", ["shape", "lengths", "batch", "phrases"]);
const train = compared("train", ["shape", "batch"]);
const result = {
  measured: new Date().toISOString(),
  size: mode === "--tiny" ? "tiny: the times mean nothing" : "full",
  machine: machine(),
  devices: of("device"),
  notes: [...of("note").map(({ text }) => text), ...otherDriver()],
  parity: of("parity"),
  encode,
  train,
  torch: of("torch"),
  memory: of("memory"),
  goals: goalsReached(),
  phases: of("phase"),
  errors: of("error"),
};
writeFileSync(join(output, "gpu.json"), `${JSON.stringify(result, null, 1)}\n`);
const parts = Object.entries(result).flatMap(([part, rows]) => [
  part,
  ...[rows].flat().map((row) => `  ${JSON.stringify(row)}`),
]);
writeFileSync(join(output, "summary.txt"), `${parts.join("\n")}\n`);

function machine() {
  const root = new URL("../../", import.meta.url);
  const version = (/** @type {string} */ path) =>
    JSON.parse(readFileSync(new URL(path, root), "utf8")).version;
  const query = ["--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"];
  const nvidia = spawnSync("nvidia-smi", query, { timeout: 3000, encoding: "utf8" });
  return {
    ...{ processor: cpus()[0].model, cores: cpus().length, memoryGigabytes: Math.round(totalmem() / 1e9) },
    nvidia: nvidia.status === 0 ? nvidia.stdout.trim() : "no nvidia-smi",
    ...{ kernel: release(), node: process.versions.node, pearl: version("package.json") },
    onnxruntime: version("node_modules/onnxruntime-node/package.json"),
  };
}

/** A warning where WebGPU took no memory of NVIDIA's GPU: then the loader found another Vulkan driver. */
function otherDriver() {
  const used = of("memory").find(({ phase, device }) => phase === "encode" && device === "webgpu");
  if (used?.gpuMegabytesPeak === undefined || used.gpuMegabytesPeak - used.gpuMegabytesBefore > 100)
    return [];
  return ["WebGPU used no memory of NVIDIA's GPU: its figures are of another Vulkan driver"];
}

/**
 * Rows of pearl, each with PyTorch's time for the same work at equal precision where it was measured on the same kind
 * of device; and rows of PyTorch.
 */
function compared(/** @type {string} */ kind, /** @type {string[]} */ keys) {
  const all = of(kind);
  const torch = all.filter(({ device }) => device.startsWith("torch "));
  return all.map((row) => {
    if (row.device.startsWith("torch ") || row.seconds === undefined) return row;
    const place = row.device === "cpu" ? "torch cpu" : "torch cuda";
    // CUDA's provider computes fp32 as TF32
    const precision = row.precision ?? "fp32";
    const precisions = row.device === "cuda" && precision === "fp32" ? ["tf32", "fp32"] : [precision];
    const ways = row.way === "gradient cache" ? ["gradient cache"] : ["one pass", undefined];
    const same = (/** @type {string} */ wanted) =>
      torch.find(
        (peer) =>
          peer.device === place &&
          peer.precision === wanted &&
          ways.includes(peer.way) &&
          keys.every((key) => peer[key] === row[key]),
      );
    const peer = precisions.map(same).find((found) => found !== undefined);
    if (peer === undefined) return row;
    const ratio = row.seconds / peer.seconds;
    return { ...row, torchSeconds: peer.seconds, torchPrecision: peer.precision, pearlToTorch: ratio };
  });
}

/** Each goal for the GPUs: the worst ratio of the rows that it names. */
function goalsReached() {
  const worst = (/** @type {Row[]} */ measured) => {
    const ratios = measured.flatMap(({ device, pearlToTorch }) =>
      device === "cpu" ? [] : (pearlToTorch ?? []),
    );
    return ratios.length === 0 ? undefined : Math.max(...ratios);
  };
  const wanted = { shape: "e5-small", precision: "fp32", lengths: "mixed", phrases: 512 };
  const calls = encode.filter(
    (row) =>
      /^(webgpu|cuda)$/.test(row.device) &&
      row.seconds &&
      Object.entries(wanted).every(([key, value]) => row[key] === value),
  );
  const goal = (/** @type {string} */ what, /** @type {number} */ limit, /** @type {any} */ value) => ({
    ...{ what, limit, value: value ?? null },
    reached: value === undefined ? "not measured" : value <= limit ? "yes" : "no",
  });
  const [fastest] = calls.map(({ seconds }) => seconds).sort((a, b) => a - b);
  return [
    goal("encoding, the worst ratio of pearl's time to PyTorch's", goals.encode, worst(encode)),
    goal("training, the worst ratio of pearl's time to PyTorch's", goals.train, worst(train)),
    goal("seconds for 512 phrases", goals.phrases512, fastest),
  ];
}
