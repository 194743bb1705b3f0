/** Failures of a device, which the CPU can make up for. */
import { DeviceError, messageOf, PearlError } from "../errors.js";

/** False for errors that pearl raises about models, data and arguments: the CPU would meet them too. */
export const isDeviceFailure = (error: unknown): boolean =>
  error instanceof DeviceError || !(error instanceof PearlError);

/** The first line of ONNX Runtime's message, without the position in its source. */
export const failureReason = (error: unknown): string =>
  messageOf(error)
    .split("\n", 1)[0]
    .replace(/^\S+\.cc:\d+ .* was false\. /, "");
