/** Where a graph runs: the CPU, or a GPU through WebGPU or CUDA. */
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

/** The device that a choice led to. */
export interface Place {
  readonly device: Device;
  /** Why others were passed over, one line each. */
  readonly notes: readonly string[];
}
