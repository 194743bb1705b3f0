/**
 * Ctrl-C and SIGTERM as an AbortSignal: the first asks the command to stop cleanly, the second stops it at once.
 * Importing this file installs the handlers, so main.ts imports it first.
 */
import { once } from "node:events";

const controller = new AbortController();
let isWatched = false;
let isExpected = false;

process.on("SIGINT", interrupt).on("SIGTERM", interrupt);

function interrupt(name: NodeJS.Signals): void {
  const isSecond = controller.signal.aborted;
  controller.abort(new DOMException(`interrupted by ${name}`, "AbortError"));
  if (isWatched && !isSecond) {
    if (process.stderr.isTTY)
      process.stderr.write("\nstopping cleanly; press Ctrl-C again to stop at once\n");
    return;
  }
  process.stderr.write(`pearl: interrupted by ${name}\n`);
  if (isSecond) dieBy(name);
  else process.exit(130);
}

/**
 * The signal that a command passes to the library, which rejects with its reason, an AbortError. Without a call, the
 * process ends at the first Ctrl-C.
 */
export function interruptionSignal(): AbortSignal {
  isWatched = true;
  return controller.signal;
}

/** Waits for the abort of a signal. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

/** The reason of the abort once a signal has arrived: no matter how the command ends, it was interrupted. */
export const interruption = (): Error | undefined =>
  controller.signal.aborted && !isExpected ? controller.signal.reason : undefined;

/** For a command that only ends by a signal: once it has ended in order, it was not interrupted. */
export function expectInterruption(): void {
  isExpected = true;
}

/**
 * Ends the process as the signal does by default: code 130 (SIGINT) or 143 (SIGTERM) in a shell. process.exit would
 * unload Node while a thread is inside ONNX Runtime, which aborts with code 134.
 */
function dieBy(name: NodeJS.Signals): void {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}

/** Exits once the streams are flushed, even if a library keeps a thread or a timer alive. */
export function endWith(exitCode: number): void {
  process.exitCode = exitCode;
  setTimeout(() => (interruption() ? dieBy("SIGINT") : process.exit()), 2_000).unref();
}
