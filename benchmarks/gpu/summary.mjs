/**
 * Writes gpu.json and summary.txt from the results of the GPU benchmark's phases.
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
writeFileSync(join(output, "summary.txt"), `${summary().join("\n")}\n`);

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
  const worst = (/** @type {Row[]} */ measured) =>
    measured
      .filter(({ device, pearlToTorch }) => device !== "cpu" && pearlToTorch !== undefined)
      .reduce(
        (most, { pearlToTorch }) => Math.max(most ?? 0, pearlToTorch),
        /** @type {number | undefined} */ (undefined),
      );
  const calls = encode.filter(
    ({ device, shape, precision, lengths, phrases, seconds }) =>
      /^(webgpu|cuda)$/.test(device) &&
      shape === "e5-small" &&
      precision === "fp32" &&
      lengths === "mixed" &&
      phrases === 512 &&
      seconds,
  );
  const goal = (
    /** @type {string} */ what,
    /** @type {number} */ limit,
    /** @type {number | undefined} */ value,
  ) => ({
    ...{ what, limit, value: value ?? null },
    reached: value === undefined ? "not measured" : value <= limit ? "yes" : "no",
  });
  return [
    goal("encoding, the worst ratio of pearl's time to PyTorch's", goals.encode, worst(encode)),
    goal("training, the worst ratio of pearl's time to PyTorch's", goals.train, worst(train)),
    goal(
      "seconds for 512 phrases",
      goals.phrases512,
      calls.map(({ seconds }) => seconds).sort((a, b) => a - b)[0],
    ),
  ];
}

function summary() {
  const { machine: at, devices, notes, parity, torch, memory, phases } = result;
  const lines = [`pearl ${at.pearl} on a GPU, ${result.measured}, ${result.size}`];
  lines.push(`${at.processor}, ${at.cores} cores, ${at.memoryGigabytes} GB; GPU: ${at.nvidia}`, "");
  for (const { device, works, failed, skipped } of devices)
    lines.push(`${device}: ${works ? "works" : `does not work: ${failed ?? skipped}`}`);
  lines.push(...notes.map((text) => `note: ${text}`));
  const [found] = torch;
  lines.push(found?.version ? `PyTorch ${found.version} on ${found.name}` : "PyTorch: not measured");
  lines.push("", "Parity with the CPU");
  for (const row of parity) {
    const value = row.difference ?? row.cosine;
    if (row.computed) continue;
    const outcome = row.held ? "held" : (row.failed ?? row.skipped ?? "NOT HELD");
    lines.push(
      `  ${row.device} ${row.what}${row.steps ? ` over ${row.steps} steps` : ""}: ${value === undefined ? "" : `${value.toPrecision(2)}, limit ${row.limit}: `}${outcome}`,
    );
  }
  lines.push(...table("Encoding", encode, ["device", "shape", "precision", "lengths", "batch", "phrases"]));
  lines.push(...table("Training steps", train, ["device", "shape", "batch", "precision", "way", "rows"]));
  lines.push("", "Memory at its peak, in MB");
  for (const {
    device,
    phase,
    processMegabytes,
    gpuMegabytesBefore: before,
    gpuMegabytesPeak: peak,
  } of memory) {
    const gpu = peak === undefined ? "" : `, GPU ${before === undefined ? "" : `${before} before, `}${peak}`;
    lines.push(`  ${phase} ${device}: process ${processMegabytes ?? "?"}${gpu}`);
  }
  lines.push("", "Goals");
  for (const { what, limit, value, reached } of result.goals)
    lines.push(`  ${what}: at most ${limit}; ${value === null ? "" : `${value.toPrecision(3)}: `}${reached}`);
  const ended = phases.filter(({ code }) => code !== 0);
  lines.push(
    ...ended.map(({ name, code, seconds }) => `phase ${name} ended with code ${code} after ${seconds} s`),
  );
  return lines;
}

/** Rows by their facts, each with pearl's time, or the reason why there is none. */
function table(/** @type {string} */ title, /** @type {Row[]} */ measured, /** @type {string[]} */ keys) {
  const own = measured.filter(({ device }) => !device.startsWith("torch "));
  const lines = own.map((row) => `  ${keys.flatMap((key) => row[key] ?? []).join(", ")}: ${timeOf(row)}`);
  return ["", title, ...lines];
}

function timeOf(/** @type {Row} */ { seconds, firstSeconds, pearlToTorch, torchPrecision, ...row }) {
  if (seconds === undefined) return row.failed ?? row.skipped;
  const milliseconds = (/** @type {number} */ time) => `${(1000 * time).toFixed(time < 0.1 ? 2 : 0)} ms`;
  const first = firstSeconds === undefined ? "" : `, the first ${milliseconds(firstSeconds)}`;
  const ratio = pearlToTorch ? `, ${pearlToTorch.toFixed(2)} × torch ${torchPrecision}` : "";
  return `${milliseconds(seconds)}, ${Math.round((row.phrases ?? row.rows) / seconds)} rows/s${first}${ratio}`;
}
