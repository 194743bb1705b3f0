/** What ONNX Runtime's native library lacks here to use a GPU. */
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Device } from "../device.js";

/** The native package, found without loading it; undefined where WebAssembly takes its place. */
export function nativePackage(): { readonly folder: string; readonly version: string } | undefined {
  if (process.env.PEARL_RUNTIME === "web") return undefined;
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve("onnxruntime-node/package.json");
    return { folder: dirname(manifest), version: require(manifest).version };
  } catch {
    return undefined;
  }
}

/**
 * Why a device cannot work here, if that is known without trying: the native libraries print warnings of their own to
 * stderr. @param choice "named": a Vulkan loader may lie where pearl does not look, so WebGPU is tried
 */
export function missingPart(device: Device, choice: "auto" | "named"): string | undefined {
  if (device === "cpu") return undefined;
  const native = nativePackage();
  if (native === undefined) return "it needs onnxruntime-node, which is not installed";
  if (device === "cuda") return missingCuda(native.folder);
  return choice === "auto" ? missingWebgpu() : undefined;
}

/** CUDA's provider is a library next to the binding; only a CUDA install brings it. */
function missingCuda(packageFolder: string): string | undefined {
  const folder = join(packageFolder, "bin", "napi-v6", process.platform, process.arch);
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
