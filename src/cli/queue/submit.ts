/** `pearl submit`: gives a command to the workers of a queue, as shards and their merge. */
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { fileFingerprint } from "../../files/checksums/fingerprint.js";
import { isObjectAddress } from "../../files/place.js";
import type { QueuedRun } from "../../stores/queue/job.js";
import type { JobQueue, Printed } from "../../stores/queue/queue.js";
import { stemOf } from "../../table/format.js";
import type { AnyCommand, OptionsOf } from "../command.js";
import { counted } from "../format.js";
import { option, positiveInteger, required, wholeNumber } from "../options.js";
import { outputFor, type Session } from "../session.js";
import { checkShare, partHead } from "../shards/sharing.js";
import { checkQueue } from "./work.js";

const queueOptions = [
  option("-o, --output <file>", "the result (default: that of the command alone; a join has none)"),
  required(
    "--queue <address>",
    "the database: postgres://user@host/database, or postgres:// as for `pearl sync`",
  ),
  option("--shards <n>", "into how many shards the work is cut", positiveInteger, 16),
  option("--wait", "wait for the result, and show progress"),
  option("--parts <folder>", "where parts lie until the merge, also s3://... (default: the working folder)"),
  option("--expire <seconds>", "silence after which a worker is taken for dead", positiveInteger, 60),
  option("--retries <n>", "how often a job is done again after it failed or its worker died", wholeNumber, 3),
] as const;

/** Options that say how one process works, and the output, which is a file here. */
const notQueued = [
  ...["--output", "--shard", "--learn", "--learned", "--resume"],
  ...["--threads", "--device", "--memory", "--temp"],
];

const examples: Readonly<Record<QueuedRun["command"], readonly (readonly [string, string])[]>> = {
  encode: [["pearl submit encode big.parquet -o big.npy --queue postgres://me@db/shop", "return at once"]],
  join: [["pearl submit join a.csv b.csv -o joined.csv --queue postgres:// --wait", "wait for joined.csv"]],
  dedupe: [["pearl submit dedupe customers.csv --queue postgres:// --wait", "write customers.deduped.csv"]],
};

/** @param queued the commands that workers do */
export const submitCommand = (queued: readonly AnyCommand[]): AnyCommand => ({
  name: "submit",
  summary: "give encode, join or dedupe to the workers of a queue (`pearl work`)",
  examples: Object.values(examples).flat(),
  commands: queued.map((declared) => {
    const name = declared.name as QueuedRun["command"];
    return {
      ...declared,
      summary: `${declared.summary}, by the workers of a queue`,
      // Workers read files, and a dedupe reads one.
      arguments: declared.arguments
        ?.filter(([label]) => label.startsWith("<"))
        .map(([label, text]) => [label, text.replace(/; - reads .*$/, "")]),
      examples: examples[name],
      options: [
        ...(declared.options ?? []).filter(({ long }) => !notQueued.includes(long ?? "")),
        ...queueOptions,
      ],
      run: (given, options, session) => submit(name, given as string[], options as SubmitOptions, session),
    } satisfies AnyCommand;
  }),
});

type SubmitOptions = OptionsOf<typeof queueOptions> & {
  readonly json?: string;
  readonly format?: string;
  readonly model?: string;
  readonly labels?: readonly string[];
  readonly review?: string;
};

async function submit(
  name: QueuedRun["command"],
  given: readonly string[],
  options: SubmitOptions,
  session: Session,
): Promise<void> {
  const { queue: address, shards, wait, parts, expire, retries, json, ...rest } = options;
  const { output = defaultOutput(name, given[0], rest.format), ...own } = rest;
  checkQueue(address);
  if (output === undefined || output === "-")
    throw new UsageError("the result of a queue is a file: name it with -o FILE");
  const inputs = [...given, ...(own.labels ?? []), own.review];
  const stem = `${stemOf(given[given.length - 1])}.${name}`;
  const run = { command: name, arguments: given, options: own, inputs, stem };
  checkShare({ ...run, options: { ...own, shard: { index: 1, count: shards } } });
  const head = await partHead(run);
  for (const [path, found] of Object.entries(head.inputs))
    if (found === "missing") await fileFingerprint(path);
  const { learnedPart, queuedRun } = await import("../../stores/queue/job.js");
  const queued = queuedRun(
    {
      ...{ command: name, arguments: [...given], settings: head.settings },
      ...{ shards, folder: process.cwd(), output, json },
    },
    { ...head.inputs, ...(await modelFiles(own.model)) },
    (id) => placeFor(parts, `${stem}.${id}.parts`),
  );
  if (isObjectAddress(queued.parts)) {
    const { checkWritable } = await import("../../files/object-storage/write.js");
    await checkWritable(`${queued.parts}/${learnedPart}`);
  }
  const { JobQueue } = await import("../../stores/queue/queue.js");
  const { signal, say: onNote } = session;
  const queue = await JobQueue.open(address, { signal, onNote });
  session.atEnd(() => queue.close());
  const was = await queue.submit(queued, { expireInSeconds: expire, retryLimit: retries });
  const what = `${counted(shards, "shard")} of pearl ${name} ${given.join(" ")}`;
  const line = {
    new: `queued ${what}`,
    continued: `${what} are in the queue already`,
    done: `${what} were finished before; to do them again, remove ${output}`,
  }[was];
  if (wait) printMerged(await waited(queue, queued, line, session), session);
  else session.print(was === "done" ? line : `${line}; workers: pearl work ${queue.shown}`);
}

/** The output of the command alone, which tells whether a run is done. */
function defaultOutput(name: QueuedRun["command"], file: string, format?: string): string | undefined {
  if (name === "join") return undefined;
  return name === "dedupe"
    ? outputFor(file, "deduped", format)
    : `${stemOf(file)}.embeddings.${format ?? "parquet"}`;
}

/** Fingerprints of the files of a model that may be trained again under its name: those in folders and in object storage. */
async function modelFiles(model = ""): Promise<Record<string, string>> {
  if (isObjectAddress(model)) {
    const { listObjects } = await import("../../files/object-storage/folder.js");
    return Object.fromEntries((await listObjects(model)).map(({ name, etag }) => [`${model}/${name}`, etag]));
  }
  const entries = await readdir(model, { recursive: true, withFileTypes: true }).catch(() => []);
  const found: Record<string, string> = {};
  for (const path of entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort()) {
    const file = await stat(path).catch(() => undefined);
    if (file?.isFile()) found[path] = await fileFingerprint(path);
  }
  return found;
}

const placeFor = (parts: string | undefined, name: string): string =>
  parts !== undefined && isObjectAddress(parts)
    ? `${parts.replace(/\/+$/, "")}/${name}`
    : resolve(parts ?? ".", name);

async function waited(queue: JobQueue, queued: QueuedRun, line: string, session: Session): Promise<Printed> {
  const { waitForRun } = await import("../../stores/queue/wait.js");
  const { signal, say: onNote } = session;
  onNote(line);
  try {
    return await waitForRun(queue, queued, {
      ...{ signal, onNote },
      onProgress: (stage, done, total) => session.show(stage, done, total, "shards"),
    });
  } finally {
    if (signal.aborted) onNote("the workers continue; the same command waits for them again");
  }
}

/** What the command says and prints in one run. */
function printMerged({ printed, notes }: Printed, { say, print }: Session): void {
  if (notes !== "") say(notes.trimEnd());
  if (printed !== "") print(printed.trimEnd());
}
