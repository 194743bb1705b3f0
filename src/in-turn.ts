/** Runs tasks one after the other, also if they are called at once. */

/** A queue: a task begins when the one before has ended, also where that failed. */
export function inTurn(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task);
    last = result.catch(() => undefined);
    return result;
  };
}
