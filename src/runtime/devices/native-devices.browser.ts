/** In a browser: CUDA is Node's alone; whether there is WebGPU, src/web/device.ts asks the browser. */
import type { Device } from "../device.js";

export const missingPart = (device: Device): string | undefined =>
  device === "cuda" ? "a browser has no CUDA" : undefined;
