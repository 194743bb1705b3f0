/** Where a graph runs: the CPU, or a GPU through WebGPU or CUDA. */
import { ArgumentError, DeviceError, messageOf, PearlError } from "../errors.js";

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

/** Devices that failed while they computed: this process does not choose them again. */
export const failedDevices = new Set<Device>();

/** False for errors that pearl raises about models, data and arguments: the CPU would meet them too. */
export const isDeviceFailure = (error: unknown): boolean =>
  error instanceof DeviceError || !(error instanceof PearlError);

/** The first line of ONNX Runtime's message, without the position in its source. */
export const failureReason = (error: unknown): string =>
  messageOf(error)
    .split("\n", 1)[0]
    .replace(/^\S+\.cc:\d+ .* was false\. /, "");
