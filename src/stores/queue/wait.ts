/** Waits until the workers of a queue have finished a run. */
import { setTimeout as sleep } from "node:timers/promises";
import { ShardError } from "../../errors.js";
import { hasFirstPass, nameOf, type QueuedRun } from "./job.js";
import type { DeadJob, JobQueue, Printed } from "./queue.js";

interface WaitOptions {
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
  /** Called with the parts that are finished. */
  readonly onProgress: (stage: "first pass" | "shards" | "merging", done: number, total: number) => void;
}

const pollMs = 1000;
/** Milliseconds without a job at work after which it says so. */
const idleMs = 30_000;
/** Jobs that an error names. */
const namedMost = 5;

/** @returns what the merge printed @throws ShardError that names the jobs that failed, once no other one is open */
export async function waitForRun(
  queue: JobQueue,
  run: QueuedRun,
  { signal, onNote, onProgress }: WaitOptions,
): Promise<Printed> {
  const reported = new Set<string>();
  let idleFrom = performance.now();
  let shown = "";
  for (;;) {
    await queue.expire();
    const { open, active, learned, shards, merged, dead } = await queue.state(run.run);
    if (merged !== null) return merged;
    if (open === 0) throw failure(run, dead);
    for (const { job, message } of dead) {
      if (reported.has(nameOf(job))) continue;
      reported.add(nameOf(job));
      onNote(`${nameOf(job)} failed: ${message}`);
    }
    const now = performance.now();
    if (active > 0) idleFrom = now;
    else if (now - idleFrom > idleMs) {
      idleFrom = Infinity;
      onNote(`no worker is at work; start one: pearl work ${queue.shown}`);
    }
    const state = [learned, shards].join();
    // Time left follows from the moments at which a count changes.
    if (state !== shown) {
      if (hasFirstPass(run) && learned === 0) onProgress("first pass", 0, 1);
      else if (shards < run.shards) onProgress("shards", shards, run.shards);
      else onProgress("merging", 0, 1);
    }
    shown = state;
    await sleep(pollMs, undefined, { signal });
  }
}

function failure(run: QueuedRun, dead: readonly DeadJob[]): ShardError {
  const command = `pearl ${run.command} ${run.arguments.join(" ")}`;
  const [first] = dead;
  if (first === undefined)
    return new ShardError(`${command}: its jobs were removed from the queue. Submit the command again.`);
  const names = dead.slice(0, namedMost).map(({ job }) => nameOf(job));
  const more = dead.length > namedMost ? ` and ${dead.length - namedMost} more` : "";
  const failed = `${names.join(", ")}${more} failed${dead.length > 1 ? "; the first one" : ""}`;
  return new ShardError(
    `${command}: ${failed}: ${first.message} Correct this and submit the same command again: finished shards are kept.`,
  );
}
