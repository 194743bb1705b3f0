/** Ctrl-C and SIGTERM as an AbortSignal: the first asks the command to stop cleanly, the second stops it at once. */
import { InterruptedError } from "../errors.js";

let controller: AbortController | undefined;

/**
 * The signal that a command hands to the library. Handlers are installed on the first call, so a command that
 * never calls it ends at the first Ctrl-C, as the system does by default.
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
    if (process.stderr.isTTY)
      process.stderr.write("\nstopping cleanly; press Ctrl-C again to stop at once\n");
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return created.signal;
}

/** True once a signal has arrived: however the command ends, it was interrupted. */
export function wasInterrupted(): boolean {
  return controller?.signal.aborted ?? false;
}
