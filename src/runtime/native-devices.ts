/** What ONNX Runtime's native library lacks here to use a GPU. */
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** CUDA's provider is a library next to the binding; only a CUDA install brings it. */
export function missingCuda(): string | undefined {
  const entry = createRequire(import.meta.url).resolve("onnxruntime-node/package.json");
  const folder = join(dirname(entry), "bin", "napi-v6", process.platform, process.arch);
  const library =
    process.platform === "win32" ? "onnxruntime_providers_cuda.dll" : "libonnxruntime_providers_cuda.so";
  return existsSync(join(folder, library)) ? undefined : "ONNX Runtime's CUDA libraries are not installed";
}

/** On Linux WebGPU needs the Vulkan loader and a GPU: a Vulkan driver on the CPU is slower than the CPU device. */
export function missingWebgpu(): string | undefined {
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
