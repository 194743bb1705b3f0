/** Ctrl-C and SIGTERM: the first asks a command to stop cleanly; the second, or one that no command awaits, stops at once. */
import { InterruptedError } from "../errors.js";

const controller = new AbortController();
let isAwaited = false;

const names = ["SIGINT", "SIGTERM"] as const;

/** Installs the handlers, so that an interruption ends in one line from the start. */
export function listenForInterruptions(): void {
  for (const name of names) if (!process.listeners(name).includes(onSignal)) process.on(name, onSignal);
}

/** The signal that a command hands to the library; its reason is an InterruptedError (exit code 130). */
export function interruptionSignal(): AbortSignal {
  listenForInterruptions();
  isAwaited = true;
  return controller.signal;
}

/** True once a signal has arrived: however the command ends, it was interrupted. */
export const wasInterrupted = (): boolean => controller.signal.aborted;

function onSignal(name: NodeJS.Signals): void {
  if (!isAwaited || wasInterrupted()) {
    process.stderr.write("pearl: interrupted\n");
    dieBy(name);
    return;
  }
  controller.abort(new InterruptedError(`interrupted by ${name}`));
  if (process.stderr.isTTY) process.stderr.write("\nstopping cleanly; press Ctrl-C again to stop at once\n");
}

/**
 * Ends the process as the signal does by default: code 130 (SIGINT) or 143 (SIGTERM) in a shell. process.exit would
 * unload Node while a thread is inside ONNX Runtime, which aborts with code 134.
 */
export function dieBy(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}
