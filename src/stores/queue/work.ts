/** A worker: it takes job after job from a queue, tells the queue that it is alive, and puts each part in its place. */
import { setTimeout as sleep } from "node:timers/promises";
import { MissingDataError, messageOf, UsageError } from "../../errors.js";
import { exists } from "../../files/disk.js";
import { packageVersion } from "../../files/package.js";
import { placeOfParts } from "../../files/shards/part-file.js";
import { hasFirstPass, type Job, learnedPart, nameOf, outputState, partOf, partsOf } from "./job.js";
import type { HeldJob, JobQueue, Printed } from "./queue.js";

/** The files of a job: paths on this machine, or addresses in object storage. */
export interface JobFiles {
  /** The part that a first pass or a shard writes. */
  readonly output?: string;
  /** What the first pass wrote, for a shard. */
  readonly learned?: string;
  /** What a merge reads. */
  readonly parts?: readonly string[];
}

/** Does a job in a process of its own, which `signal` kills. Rejects with the command's message. */
export type RunJob = (job: Job, files: JobFiles, signal: AbortSignal) => Promise<Printed>;

export interface WorkOptions {
  /** The model of a job with the device that runs it here, as a part names them. */
  readonly modelOf: (job: Job, signal: AbortSignal) => Promise<string | undefined>;
  /** "empty" ends when no job is waiting or being done. */
  readonly until: "empty" | "aborted";
  /** Ends the work: a job that is being done goes back to the queue. */
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
}

/** Milliseconds between two looks into an empty queue, and between two looks for silent workers. */
const pollMs = 1000;
const expiryMs = 3000;

/** @returns how many jobs it finished @throws MissingDataError where this machine does not see the folder of a job */
export async function work(queue: JobQueue, run: RunJob, options: WorkOptions): Promise<number> {
  const { until, signal } = options;
  let finished = 0;
  let expiredAt = 0;
  try {
    while (!signal.aborted) {
      const held = await queue.take();
      if (held !== undefined) {
        if (await doJob(queue, held, run, options)) finished++;
        continue;
      }
      if (until === "empty" && (await queue.isEmpty())) return finished;
      if (performance.now() - expiredAt > expiryMs) {
        await queue.expire();
        expiredAt = performance.now();
      } else await pause(pollMs, signal);
    }
  } catch (error) {
    // A job that cannot be given back is given to others when its time is over.
    if (!signal.aborted) throw error;
  }
  return finished;
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);

/** @returns whether it was finished */
async function doJob(
  queue: JobQueue,
  held: HeldJob,
  run: RunJob,
  { modelOf, signal, onNote }: WorkOptions,
): Promise<boolean> {
  const { job } = held;
  const name = `${nameOf(job)} of ${job.command} ${job.arguments.join(" ")}`;
  if (!(await exists(job.folder))) {
    await queue.release(held);
    throw new MissingDataError(
      `${name} belongs to the folder ${job.folder}, which is not on this machine. ` +
        "Make it available there under the same name, and start the worker again.",
    );
  }
  const started = performance.now();
  const stop = new AbortController();
  const ended = new AbortController();
  const outcome = perform(job, run, modelOf, stop.signal)
    .then(
      (printed) => ({ printed }),
      (error: unknown) => ({ error }),
    )
    .finally(() => ended.abort());
  const over = AbortSignal.any([signal, ended.signal]);
  try {
    while (!over.aborted) {
      await pause((held.expireInSeconds * 1000) / 3, over);
      if (over.aborted || (await queue.touch(held))) continue;
      onNote(`${name}: another worker has it now`);
      return false;
    }
  } finally {
    stop.abort();
    await outcome;
  }
  const result = await outcome;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if ("error" in result) {
    const message = messageOf(result.error);
    if (signal.aborted) await queue.release(held);
    // Wrong usage stays wrong.
    else await queue.fail(held, message, result.error instanceof UsageError ? "for good" : "this time");
    onNote(`${name}: ${signal.aborted ? "given back" : `failed: ${message}`}`);
    return false;
  }
  if (!(await queue.complete(held, result.printed))) return false;
  if (job.step === "merge") await placeOfParts(job.parts).remove();
  onNote(`${name}: ${seconds} s`);
  return true;
}

const nothing: Printed = { printed: "", notes: "" };

async function perform(
  job: Job,
  run: RunJob,
  modelOf: WorkOptions["modelOf"],
  signal: AbortSignal,
): Promise<Printed> {
  const place = placeOfParts(job.parts);
  if (job.step === "merge") {
    const printed = await run(job, { parts: partsOf(job).map(place.get) }, signal);
    return { ...printed, output: await outputState(job) };
  }
  const name = partOf(job);
  const found = await place.find(name);
  // Another worker finished it, and died or was taken for dead. What it made on another device cannot be merged.
  if (found?.pearl === packageVersion() && found.model === (await modelOf(job, signal))) return nothing;
  const learned = job.step === "shard" && hasFirstPass(job) ? place.get(learnedPart) : undefined;
  await place.put(name, async (output) => {
    await run(job, { output, learned }, signal);
  });
  return nothing;
}
