/** `pearl work`: does jobs of a queue until it is told to end. */
import { fork } from "node:child_process";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UsageError } from "../../errors.js";
import { makeTemporaryFolder } from "../../files/object-storage/temporary-folder.js";
import { isPostgresAddress } from "../../files/place.js";
import { checkFolder } from "../../match/memory/memory-plan.js";
import type { Job } from "../../stores/queue/job.js";
import type { Printed } from "../../stores/queue/queue.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { expectInterruption } from "../interruption.js";
import { option, shared } from "../options.js";
import type { JobOrder } from "./job-process.js";

export default command({
  name: "work",
  summary: "do jobs that `pearl submit` put into a queue; start as many workers as you like, on any machine",
  arguments: [
    ["<queue>", "the database, as postgres://user@host/database, or postgres:// as for `pearl sync`"],
  ],
  options: [
    option("--until-empty", "end when no job is waiting or being done"),
    ...shared.bounded,
    ...shared.run,
  ],
  examples: [
    ["pearl work postgres://me@db/shop", "work until Ctrl-C or SIGTERM, which gives the job back"],
    ["pearl work postgres:// --threads 2 --until-empty", "the queue in $DATABASE_URL, until all is done"],
  ],
  run: async ([address], { untilEmpty, device, threads, memory, temp }, session) => {
    checkQueue(address);
    if (temp !== undefined) await checkFolder(temp);
    // Jobs run in the folder of their submit.
    const own = { device, threads, memory, temp: temp && resolve(temp) };
    const [{ JobQueue }, { work }] = await Promise.all([
      import("../../stores/queue/queue.js"),
      import("../../stores/queue/work.js"),
    ]);
    const { signal, say: onNote } = session;
    const queue = await JobQueue.open(address, { signal, onNote });
    session.atEnd(() => queue.close());
    onNote(`taking jobs from ${queue.shown}`);
    const models = new Map<string, string>();
    const modelOf = async (job: Job, stop: AbortSignal): Promise<string> => {
      const model = models.get(job.run) ?? (await inProcess({ job, own }, stop)).printed.trim();
      models.set(job.run, model);
      return model;
    };
    const finished = await work(queue, (job, files, stop) => inProcess({ job, files, own }, stop), {
      modelOf,
      until: untilEmpty ? "empty" : "aborted",
      signal,
      onNote,
    });
    expectInterruption(); // which has ended it in order
    session.print(`finished ${counted(finished, "job")}`);
  },
});

/** @throws UsageError for what is no address */
export function checkQueue(address: string): void {
  if (!isPostgresAddress(address))
    throw new UsageError(
      `${address} is no queue: write the address of its database, postgres://user@host/database`,
    );
}

const jobProcess = fileURLToPath(new URL("./job-process.js", import.meta.url));

/** Does a job in a process of its own, whose temporary files end with it. @throws Error with the message that it printed last, UsageError for exit code 2 */
export async function inProcess(order: JobOrder, stop: AbortSignal): Promise<Printed> {
  stop.throwIfAborted();
  const temp = await makeTemporaryFolder(order.own.temp ?? tmpdir(), "job");
  try {
    // It may have come meanwhile, and nobody would hear of it.
    stop.throwIfAborted();
    return await inChild({ ...order, own: { ...order.own, temp } }, stop);
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

async function inChild(order: JobOrder, stop: AbortSignal): Promise<Printed> {
  const child = fork(jobProcess, { cwd: order.job.folder, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  const kill = (): void => void child.kill("SIGKILL");
  stop.addEventListener("abort", kill);
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (...ending) => resolve(ending));
      child.send(order, () => {});
    });
    if (code === 0) return { printed: texts.stdout, notes: texts.stderr };
    const last = texts.stderr.trimEnd().split("\n").at(-1) ?? "";
    const killed = `its process was ended by ${signal ?? `code ${code}`}; is there enough memory?`;
    const Trouble = code === 2 ? UsageError : Error;
    throw new Trouble(last.startsWith("pearl: ") ? last.slice("pearl: ".length) : killed);
  } finally {
    stop.removeEventListener("abort", kill);
  }
}
