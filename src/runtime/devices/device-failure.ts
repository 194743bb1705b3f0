/** Failures of a device, which the CPU can make up for. */
import { DeviceError, messageOf, PearlError } from "../../errors.js";
import type { Device } from "../device.js";

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
