/** The process of one job, started by a worker: a crash ends this process alone. It ends with its worker. */
import { keepTemporaryFilesIn } from "../../files/object-storage/temporary-folder.js";
import type { DeviceChoice } from "../../runtime/device.js";
import type { Job } from "../../stores/queue/job.js";
import type { JobFiles } from "../../stores/queue/work.js";
import { type AnyCommand, hasOption } from "../command.js";
import { loadCommands } from "../commands.js";
import { endWith } from "../interruption.js";
import { report } from "../program.js";
import { loadEncoderOrNone, openSession } from "../session.js";
import { identityOf } from "../shards/sharing.js";

/** What a worker sends to the process. */
export interface JobOrder {
  readonly job: Job;
  /** Absent to print the model of the job with its device. */
  readonly files?: JobFiles;
  readonly own: WorkerOptions;
}

/** How a worker does its jobs, whatever they are. */
interface WorkerOptions {
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly memory?: number;
  readonly temp?: string;
}

const perform = ({ job, files, own }: JobOrder): Promise<void> =>
  files === undefined ? printModel(job, own) : doJob(job, files, own);

async function printModel({ settings }: Job, { device, threads }: WorkerOptions): Promise<void> {
  const session = openSession({});
  try {
    const encoder = await loadEncoderOrNone({ ...settings, device, threads }, session);
    session.print((await identityOf(encoder)) ?? "");
  } finally {
    await session.close();
  }
}

async function doJob(job: Job, files: JobFiles, { memory, temp, ...own }: WorkerOptions): Promise<void> {
  const { step, index, shards, output, json } = job;
  const isMerge = step === "merge";
  const [queued]: AnyCommand[] = await loadCommands(job.command);
  const [declared] = isMerge ? await loadCommands("merge") : [queued];
  keepTemporaryFilesIn(temp);
  const bounds = hasOption(queued, "--memory") ? { memory, temp } : {};
  const options = {
    learn: { ...job.settings, learn: files.output },
    shard: { ...job.settings, shard: { index, count: shards }, learned: files.learned, output: files.output },
    merge: { output, json },
  }[step];
  const session = openSession({ json: isMerge ? json : undefined });
  // Notes go into the queue, where progress is of no use.
  const withoutProgress = { show: () => {}, onReading: () => {}, onDownload: () => {} };
  try {
    const given = isMerge ? [files.parts] : job.arguments;
    await declared.run?.(given, { ...options, ...own, ...bounds } as object, {
      ...session,
      ...withoutProgress,
    });
  } finally {
    await session.close();
  }
}

const endWithWorker = (): void => process.exit(1);
process.on("disconnect", endWithWorker);
process.once("message", async (order: JobOrder) => {
  const failed = await perform(order).then(() => 0, report);
  process.off("disconnect", endWithWorker);
  process.disconnect();
  endWith(failed);
});
