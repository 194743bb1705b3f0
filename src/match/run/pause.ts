/** Lets other work run during long loops, so that a signal can stop them. */

/**
 * Returns a function to call in every round of a loop: now and then it waits for other work.
 * @param onPause receives the rounds so far
 */
export function pauses(
  signal: AbortSignal | undefined,
  every = 4096,
  onPause?: (rounds: number) => void,
): () => Promise<void> | undefined {
  let rounds = 0;
  return () => {
    if (++rounds % every !== 0) return undefined;
    signal?.throwIfAborted();
    onPause?.(rounds);
    return new Promise((resolve) => setImmediate(resolve));
  };
}
