/** Ctrl-C and SIGTERM as an AbortSignal: the first asks the command to end cleanly, the second ends it at once. */
import { InterruptedError } from "../errors.js";

let controller: AbortController | undefined;

/**
 * The signal that a command hands to the library. Handlers are installed on the first call, so a command that
 * never asks keeps the system's behaviour: it ends at the first Ctrl-C.
 *
 * @returns an AbortSignal whose reason is an InterruptedError (exit code 130)
 */
export function interruptionSignal(): AbortSignal {
  if (controller) return controller.signal;
  const created = new AbortController();
  controller = created;
  const onSignal = (name: NodeJS.Signals): void => {
    if (created.signal.aborted) process.exit(130);
    created.abort(new InterruptedError(`interrupted by ${name}`));
    if (process.stderr.isTTY) process.stderr.write("\nending cleanly; press Ctrl-C again to end at once\n");
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return created.signal;
}

/** True once a signal has come: the command's ending counts as an interruption. */
export function wasInterrupted(): boolean {
  return controller?.signal.aborted ?? false;
}
