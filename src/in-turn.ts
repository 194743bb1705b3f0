/** Takes turns: tasks that run one after the other, and long loops that let other work run. */

/** A queue: a task begins when the one before has ended, also where that failed. */
export function inTurn(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}

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
