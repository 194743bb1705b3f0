/** Collects what `pearl doctor` reports: versions, machine, devices, hub, data, models and optional parts. */
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { availableParallelism, cpus, freemem, totalmem } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultDataFolder } from "../../benchmark/data-folder.js";
import { packageVersion } from "../../files/version.js";
import { folderSize } from "../../files/whole-folder.js";
import { listModels } from "../../hub/inventory.js";
import { hubSettings } from "../../hub/settings.js";
import { candidates } from "../../runtime/device.js";
import { loadRuntime } from "../../runtime/onnx-runtime.js";
import { findPackage, optionalParts, pearlFolder } from "./parts.js";
import type { ProbeAnswer } from "./probe.js";

/** Everything that `pearl doctor --json` prints; `works` is true if the embedded model encodes. */
export type Diagnosis = Awaited<ReturnType<typeof diagnose>>;

const heavyPackages = [
  "onnxruntime-node",
  "onnxruntime-web",
  "onnxruntime-common",
  "@duckdb/node-api",
  "@huggingface/tokenizers",
];

export async function diagnose(signal: AbortSignal) {
  const devices = candidates("auto", loadRuntime().isNative);
  const parts = optionalParts();
  const answers = await probeAll(
    [
      ...["model", "duckdb"],
      ...devices.filter(({ missing }) => missing === undefined).map(({ device }) => device),
      ...parts.filter(({ version }) => version !== undefined).map(({ name }) => name),
    ],
    signal,
  );
  const answerOf = (name: string, otherwise: string): ProbeAnswer =>
    answers.get(name) ?? { works: false, detail: otherwise };
  const model = answerOf("model", "");
  const { endpoint, cacheFolder, offline, tokenSource } = hubSettings();
  const dataFolder = resolve(await defaultDataFolder());
  const sets = await readdir(dataFolder).catch(() => undefined);
  return {
    works: model.works,
    pearl: { version: packageVersion(), folder: pearlFolder },
    node: process.version,
    packages: Object.fromEntries(heavyPackages.map((name) => [name, findPackage(name)?.version ?? null])),
    machine: await readMachine(),
    devices: devices.map(({ device, missing = "" }) => ({ name: device, ...answerOf(device, missing) })),
    core: [
      { name: "embedded model", ...model },
      { name: "table engine", ...answerOf("duckdb", "") },
    ],
    // The source of the token, never the token.
    hub: {
      ...{ endpoint, cacheFolder, offline, tokenSource: tokenSource ?? null },
      cacheBytes: await folderSize(cacheFolder, "left out"),
    },
    data: {
      folder: dataFolder,
      exists: sets !== undefined,
      sets: (sets ?? []).filter((name) => !name.startsWith(".")).sort(),
    },
    models: (await listModels()).filter(({ problem }) => !problem).map(({ model: name }) => name),
    parts: parts.map((part) => ({ ...part, ...answerOf(part.name, "not installed") })),
  };
}

/** Runs two probes at a time: each loads a native library, and ten at once would slow each other to a timeout. */
async function probeAll(names: string[], signal: AbortSignal): Promise<Map<string, ProbeAnswer>> {
  const answers = new Map<string, ProbeAnswer>();
  const lane = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      answers.set(name, await runProbe(name, signal));
    }
  };
  await Promise.all([lane(), lane()]);
  return answers;
}

const probeSeconds = 30;

/** Runs one probe in a child process; a crash or a timeout is an answer too. */
async function runProbe(name: string, signal: AbortSignal): Promise<ProbeAnswer> {
  signal.throwIfAborted();
  const file = fileURLToPath(new URL("./probe.js", import.meta.url));
  const limits = { timeout: probeSeconds * 1000, killSignal: "SIGKILL", signal } as const;
  const answer = await new Promise<ProbeAnswer>((settle) => {
    execFile(process.execPath, [file, name], limits, (error, output) => {
      const line = output.split("\n").findLast((text) => text.startsWith('{"works":'));
      if (line) return settle(JSON.parse(line) as ProbeAnswer);
      const ending = error?.signal ? `crashed with ${error.signal}` : `ended with code ${error?.code ?? 0}`;
      settle({ works: false, detail: error?.killed ? `no answer within ${probeSeconds} s` : `it ${ending}` });
    });
  });
  signal.throwIfAborted();
  return answer;
}

/** Wide vectors, int8 dot products, bfloat16, matrix tiles; x86, then ARM. */
const fastInstructions =
  /^(?:sse4_2|fma|f16c|avx2?|avx512(?:f|bw|_vnni|_bf16)|avx_vnni|amx_\w+|asimd(?:dp)?|i8mm|bf16|sve)$/;

export function instructionsOf(cpuinfo: string): string[] {
  const present = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(cpuinfo)?.[1].split(/\s+/) ?? [];
  return present.filter((name) => fastInstructions.test(name));
}

async function readMachine() {
  const text = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
  const memoryLimit = process.constrainedMemory();
  // The control group's CPU quota and its period, both in µs; the quota may be "max".
  const [quota, period] = (await text("/sys/fs/cgroup/cpu.max")).split(" ").map(Number);
  return {
    platform: process.platform,
    architecture: process.arch,
    processor: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    coreLimit: quota > 0 ? quota / period : undefined,
    instructions: instructionsOf(await text("/proc/cpuinfo")),
    memoryBytes: totalmem(),
    availableBytes: freemem(),
    memoryLimitBytes: memoryLimit && memoryLimit < totalmem() ? memoryLimit : undefined,
  };
}
