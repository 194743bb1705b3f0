/** Jobs of a queue: a command's first pass, its shards, and their merge. Each holds all that a worker needs. */
import { resolve } from "node:path";
import * as v from "valibot";
import { StoreError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { parseJson } from "../../files/json.js";
import { packageVersion } from "../../files/package.js";
import { isObjectAddress, isPostgresAddress } from "../../files/place.js";
import { stateOf } from "../../table/write/output-names.js";

/** The commands that workers run: no other, whatever a queue holds. */
const queuedCommands = ["encode", "join", "dedupe"] as const;

const runSchema = v.object({
  /** Identifies the run: the same command on the same tables, with the same model and version of pearl, has the same. */
  run: v.string(),
  command: v.picklist(queuedCommands),
  arguments: v.array(v.string()),
  settings: v.record(v.string(), v.unknown()),
  shards: v.number(),
  /** The working folder of the command, and the folder of its parts, which may be an address in object storage: the same on all machines. */
  folder: v.string(),
  parts: v.string(),
  /** As -o and --json of the command. */
  output: v.optional(v.string()),
  json: v.optional(v.string()),
});

/** A command that a queue runs. */
export type QueuedRun = v.InferOutput<typeof runSchema>;

const jobSchema = v.object({
  ...runSchema.entries,
  step: v.picklist(["learn", "shard", "merge"]),
  /** Of a shard, from 1. */
  index: v.number(),
});

export type Job = v.InferOutput<typeof jobSchema>;
type Step = Pick<Job, "step" | "index" | "shards">;

/** @param inputs fingerprints of the tables, and of the model's files where these may change */
export function queuedRun(
  command: Omit<QueuedRun, "run" | "parts">,
  inputs: Readonly<Record<string, string>>,
  partsOfRun: (run: string) => string,
): QueuedRun {
  // Parts of another version cannot be merged.
  const run = fingerprint(JSON.stringify({ pearl: packageVersion(), ...command, inputs }));
  return { ...command, run, parts: partsOfRun(run) };
}

/** The jobs that a run begins with. */
export function firstJobs(run: QueuedRun): Job[] {
  const first: Job = { ...run, step: "learn", index: 0 };
  return hasFirstPass(run) ? [first] : shardJobs(first);
}

/** Whether the command has a first pass, which does what all shards need. */
export const hasFirstPass = ({ command }: Pick<QueuedRun, "command">): boolean => command !== "encode";

/** The jobs that follow a finished one. @param left shards of the run that are not finished */
export function nextJobs(job: Job, left: number): Job[] {
  if (job.step === "learn") return shardJobs(job);
  return job.step === "shard" && left === 0 ? [{ ...job, step: "merge", index: 0 }] : [];
}

const shardJobs = (job: Job): Job[] =>
  Array.from({ length: job.shards }, (_, place) => ({ ...job, step: "shard", index: place + 1 }));

/** As people read it. */
export function nameOf({ step, index, shards }: Step): string {
  if (step === "shard") return `shard ${index}/${shards}`;
  return step === "learn" ? "the first pass" : "the merge";
}

export const learnedPart = "learned.part";

/** The name of the part that a first pass or a shard writes. */
export const partOf = ({ step, index, shards }: Step): string =>
  step === "learn" ? learnedPart : `${index}-of-${shards}.part`;

/** The parts that a merge reads. */
export const partsOf = (job: Job): string[] => shardJobs(job).map(partOf);

/** @throws StoreError for what another program put into the queue */
export const checkJob = (data: unknown): Job =>
  parseJson(JSON.stringify(data), "a job of the queue", jobSchema, {
    error: StoreError,
    cure: "Submit its command again.",
  });

/** A text that differs after each change; undefined where there is no output. @throws ObjectStorageError, TableError */
export async function outputState({
  folder,
  output,
}: Pick<QueuedRun, "folder" | "output">): Promise<string | undefined> {
  if (output === undefined) return undefined;
  const isAddress = isPostgresAddress(output) || isObjectAddress(output);
  return stateOf(isAddress ? output : resolve(folder, output));
}
