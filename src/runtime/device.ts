/** Where a graph runs: the CPU, or a GPU through WebGPU or CUDA. */
import { ArgumentError } from "../errors.js";
import { missingCuda, missingWebgpu } from "./native-devices.js";

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
