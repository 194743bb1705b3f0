/**
 * Ctrl-C and SIGTERM as an AbortSignal: the first asks the command to stop cleanly, the second stops it at once. Importing
 * this file installs the handlers, so main.ts imports it first.
 */
import { InterruptedError } from "../errors.js";

const controller = new AbortController();
let isWatched = false;

function interrupt(name: NodeJS.Signals): void {
  if (controller.signal.aborted) process.exit(130);
  controller.abort(new InterruptedError(`interrupted by ${name}`));
  if (!isWatched) {
    process.stderr.write(`pearl: interrupted by ${name}\n`);
    process.exit(130);
  }
  if (process.stderr.isTTY) process.stderr.write("\nstopping cleanly; press Ctrl-C again to stop at once\n");
}
process.on("SIGINT", interrupt).on("SIGTERM", interrupt);

/**
 * The signal that a command passes to the library; its reason is an InterruptedError (exit code 130). Without a call, the
 * process ends at the first Ctrl-C.
 */
export function interruptionSignal(): AbortSignal {
  isWatched = true;
  return controller.signal;
}

/** True once a signal has arrived: no matter how the command ends, it was interrupted. */
export const wasInterrupted = (): boolean => controller.signal.aborted;
