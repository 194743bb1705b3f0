/** Facts about the machine that decide how fast pearl runs: cores, vector instructions, memory, limits. */
import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, freemem, totalmem } from "node:os";

/** Processor and memory as this process may use them. */
export interface Machine {
  readonly platform: string;
  readonly architecture: string;
  readonly processor: string;
  /** Logical cores that this process may run on. */
  readonly cores: number;
  /** Cores' worth of time that the container allows, where it limits it. */
  readonly coreLimit?: number;
  /** Instruction sets that the kernels make use of, e.g. `avx2`, `avx512_vnni`; empty where the system does not tell. */
  readonly instructions: readonly string[];
  readonly memoryBytes: number;
  readonly availableBytes: number;
  /** What the container allows, where it limits it. */
  readonly memoryLimitBytes?: number;
}

/** Names of /proc/cpuinfo: wide vectors, their int8 dot products (VNNI), bfloat16, matrix tiles (AMX), ARM's likes. */
const telling = [
  ...["sse4_2", "fma", "f16c", "avx", "avx2", "avx512f", "avx512bw", "avx512_vnni", "avx_vnni"],
  ...["avx512_bf16", "amx_tile", "amx_int8", "amx_bf16", "asimd", "asimddp", "i8mm", "bf16", "sve"],
];

/** Reads the facts; what the system does not tell is left out. */
export async function readMachine(): Promise<Machine> {
  const { memory, cores } = await containerLimits();
  return {
    platform: process.platform,
    architecture: process.arch,
    processor: cpus()[0]?.model.trim() || "unknown",
    cores: availableParallelism(),
    ...(cores !== undefined && { coreLimit: cores }),
    instructions: instructionsOf(await readText("/proc/cpuinfo")),
    memoryBytes: totalmem(),
    availableBytes: freemem(),
    ...(memory !== undefined && memory < totalmem() && { memoryLimitBytes: memory }),
  };
}

/** The instruction sets of /proc/cpuinfo that matter here, in a fixed order. */
export function instructionsOf(cpuinfo: string): string[] {
  const line = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(cpuinfo)?.[1] ?? "";
  const present = new Set(line.split(/\s+/));
  return telling.filter((name) => present.has(name));
}

/** Limits of the control group: version 2 first, then version 1; processes in containers see their own as root. */
async function containerLimits(): Promise<{ memory?: number; cores?: number }> {
  const root = "/sys/fs/cgroup";
  const own = /^0::(\/.*)$/m.exec(await readText("/proc/self/cgroup"))?.[1] ?? "/";
  const folders = [...new Set([`${root}${own}`.replace(/\/$/, ""), root])];
  let memory: number | undefined;
  let cores: number | undefined;
  for (const folder of folders) {
    memory ??= positive(await readText(`${folder}/memory.max`));
    const [quota, period] = (await readText(`${folder}/cpu.max`)).split(" ");
    cores ??= ratio(positive(quota), positive(period));
  }
  memory ??= positive(await readText(`${root}/memory/memory.limit_in_bytes`));
  cores ??= ratio(
    positive(await readText(`${root}/cpu/cpu.cfs_quota_us`)),
    positive(await readText(`${root}/cpu/cpu.cfs_period_us`)),
  );
  return { memory, cores };
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function ratio(quota: number | undefined, period: number | undefined): number | undefined {
  return quota && period ? quota / period : undefined;
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}
