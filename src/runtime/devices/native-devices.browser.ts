/** In a browser: pearl's models are fastest on the CPU, where ONNX Runtime's WebAssembly build computes. */
import type { Device } from "../device.js";

export const missingPart = (device: Device): string | undefined =>
  device === "cpu" ? undefined : "in a browser pearl computes on the CPU";
