/** Where a graph runs: the CPU, or a GPU through WebGPU or CUDA. */
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ArgumentError } from "../errors.js";

/** A device that sessions run on. */
export type Device = "cpu" | "webgpu" | "cuda";

/** A device, or "auto": the fastest one that works. */
export type DeviceChoice = Device | "auto";

const choices: readonly DeviceChoice[] = ["auto", "cpu", "webgpu", "cuda"];

/** Checks the name of a device. @throws ArgumentError for an unknown one */
export function parseDevice(name: string): DeviceChoice {
  if ((choices as readonly string[]).includes(name)) return name as DeviceChoice;
  throw new ArgumentError(`unknown device "${name}": choose ${choices.join(", ")}`);
}

/** A device that could be tried, or the reason why it cannot work here. */
export interface Candidate {
  readonly device: Device;
  readonly missing?: string;
}

/**
 * The devices to try for a choice, best first. What cannot work is marked, because the native libraries print warnings
 * of their own to stderr. The WebAssembly runtime (`isNative` false) has the CPU alone.
 */
export function candidates(choice: DeviceChoice, isNative: boolean): readonly Candidate[] {
  const devices: readonly Device[] = choice === "auto" ? ["cuda", "webgpu", "cpu"] : [choice];
  const missingOf = (device: Device): string | undefined => {
    if (device === "cpu") return undefined;
    if (!isNative) return "it needs onnxruntime-node, which is not installed";
    if (device === "cuda") return missingCuda();
    // a Vulkan loader may lie where the search below does not look, so WebGPU is tried when it is named
    return choice === "auto" ? missingWebgpu() : undefined;
  };
  return devices.map((device) => ({ device, missing: missingOf(device) }));
}

/** CUDA's provider is a library next to the binding; only a CUDA install brings it. */
function missingCuda(): string | undefined {
  const entry = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
  const folder = join(dirname(entry), "bin", "napi-v6", process.platform, process.arch);
  const library =
    process.platform === "win32" ? "onnxruntime_providers_cuda.dll" : "libonnxruntime_providers_cuda.so";
  return existsSync(join(folder, library)) ? undefined : "ONNX Runtime's CUDA libraries are not installed";
}

/** On Linux WebGPU needs the Vulkan loader and a GPU: a Vulkan driver on the CPU is slower than the CPU device. */
function missingWebgpu(): string | undefined {
  if (process.platform !== "linux") return undefined;
  if (!hasGraphicsDevice()) return "no GPU in /dev";
  const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  const folders = [
    ...(process.env.LD_LIBRARY_PATH ?? "").split(":").filter((folder) => folder !== ""),
    ...["/usr/lib", "/lib", "/usr/local/lib"].flatMap((root) => [join(root, triplet), `${root}64`, root]),
  ];
  return folders.some((folder) => existsSync(join(folder, "libvulkan.so.1")))
    ? undefined
    : "no Vulkan loader (libvulkan.so.1; Debian: apt-get install libvulkan1 and a driver)";
}

/** A render node, an NVIDIA card, or Windows' GPU seen from WSL. */
function hasGraphicsDevice(): boolean {
  if (existsSync("/dev/nvidia0") || existsSync("/dev/dxg")) return true;
  return existsSync("/dev/dri") && readdirSync("/dev/dri").some((name) => name.startsWith("renderD"));
}
