/** `--shard` of the long commands: a run does one shard and writes a part, or merges parts, or does all. */
import { stat } from "node:fs/promises";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { ShardError, UsageError } from "../../errors.js";
import { isObjectAddress, isPostgresAddress, tablePlace } from "../../files/place.js";
import type { Part, PartHead, PartManifest } from "../../files/shards/part-file.js";
import type { Kept, KeptReader, Shard, Sharing } from "../../files/shards/shard.js";
import { option, shardOf } from "../options.js";
import { boundedSettings, type Session } from "../session.js";

export const shardOption = option(
  "--shard <i/n>",
  "do only shard i of n, and write a part (-o NAME.part) for `pearl merge`",
  shardOf,
);

/** The first pass of shards that would otherwise embed whole tables, and search them for candidates, each. */
export const learnOptions = [
  option("--learn <file>", "first pass: do what all shards need once, into a file that ends in .part"),
  option("--learned <file>", "with --shard: take what that file holds"),
] as const;

/** `-o` of a command that has no other output to name. */
export const partOption = option("-o, --output <file>", "the part of --shard (default: NAME.I-of-N.part)");

/** @throws UsageError for `-o` without `--shard` where a command only names its part by it */
export function checkPartOption({ shard, output }: ShareOptions): void {
  if (output === undefined || shard !== undefined) return;
  throw new UsageError(
    "-o names the part of --shard here: this command's results have their place. Leave -o out.",
  );
}

/** What a command hands on from its options; `parts` comes from `pearl merge`. */
export interface ShareOptions {
  readonly shard?: Shard;
  readonly parts?: readonly Part[];
  readonly output?: string;
  readonly learn?: string;
  readonly learned?: string;
}

/** What a command reads and is asked for. */
export interface SharedRun {
  readonly command: string;
  readonly arguments: readonly unknown[];
  readonly options: ShareOptions & object;
  /** Files that are read; those left out are undefined. */
  readonly inputs: readonly (string | undefined)[];
  /** Beginning of the default name of a part, such as "names.embeddings". */
  readonly stem: string;
}

/** Options that say nothing on the result, or are given anew to the merge. */
const unsettled = new Set([
  ...["shard", "parts", "learn", "output", "resume", "json", "quiet"],
  ...["threads", "device", "memory", "temp"],
]);

/** The name of the part. @throws UsageError for the name of a whole */
export function partPath({ options: { shard, output, learn }, stem }: SharedRun): string {
  const path = learn ?? output ?? `${stem}.${shard?.index}-of-${shard?.count}.part`;
  if (path.endsWith(".part")) return path;
  if (learn !== undefined) throw new UsageError(`--learn ${learn}: end the file's name in .part`);
  throw new UsageError(
    `--shard writes a part, not ${path}. End its name in .part, then merge all parts: pearl merge PART... -o ${path}`,
  );
}

/** Refuses what a shard cannot do, before a model is loaded. @throws UsageError */
export function checkShare(run: SharedRun): void {
  const { shard, learn, learned } = run.options;
  if (learn !== undefined && (shard ?? learned) !== undefined)
    throw new UsageError("--learn is a pass of its own, before the shards. Leave out --shard and --learned.");
  if (learned !== undefined && shard === undefined && run.options.parts === undefined)
    throw new UsageError("--learned is for shards. Add --shard i/n.");
  if ((shard ?? learn) === undefined) return;
  partPath(run);
  for (const path of run.inputs) checkFile(path);
}

/** @throws UsageError for standard input, and for a table in PostgreSQL, which may change until the merge reads it */
function checkFile(path: string | undefined): void {
  if (path === "-" || (path !== undefined && isPostgresAddress(path)))
    throw new UsageError("--shard reads the table again for the merge. Save it to a file first.");
}

/** What a first pass has in place of a shard. */
const noShard: Shard = { index: 0, count: 0 };

/** What the part belongs to, before a model is loaded. */
export async function partHead(run: SharedRun): Promise<PartHead> {
  const { packageVersion } = await import("../../files/package.js");
  const settings = Object.entries(run.options).filter(
    ([name, value]) => value !== undefined && !unsettled.has(name),
  );
  return {
    ...{ pearl: packageVersion(), command: run.command, shard: run.options.shard ?? noShard },
    arguments: [...run.arguments],
    settings: JSON.parse(JSON.stringify(Object.fromEntries(settings))),
    inputs: await fingerprints(run.inputs.filter((path) => path !== undefined)),
  };
}

async function fingerprints(paths: readonly string[]): Promise<Record<string, string>> {
  const { databaseFingerprint } = await import("../../files/checksums/fingerprint.js");
  const found: Record<string, string> = {};
  for (const path of paths) {
    checkFile(path);
    if (isObjectAddress(path)) {
      const { findObject } = await import("../../files/object-storage/read.js");
      found[path] = (await findObject(path))?.etag ?? "missing";
      continue;
    }
    const { file } = tablePlace(path);
    const status = await stat(file).catch(() => undefined);
    // What is missing now must be missing at the merge, such as the store that a first link makes.
    if (!status?.isDirectory()) found[path] = (await databaseFingerprint(file)) || "missing";
  }
  return found;
}

/** @throws ShardError where a merge finds other inputs than the shards did */
export async function checkInputs({ inputs }: PartManifest): Promise<void> {
  for (const [path, before] of Object.entries(inputs)) {
    if ((await fingerprints([path]))[path] === before) continue;
    throw new ShardError(
      `${path} has changed since the parts were made, or is gone. Restore it, or run all shards again with it as it is.`,
    );
  }
}

/** The model with its device, as a part names them. */
export async function identityOf(encoder: PhraseEncoder | "none" | undefined): Promise<string | undefined> {
  if (typeof encoder !== "object") return encoder;
  return (await import("../../encoder/model-identity.js")).modelIdentity(encoder);
}

/** The manifest of what `--learn` wrote. @throws ShardError */
export async function readLearned(path: string): Promise<PartManifest> {
  const { readManifest } = await import("../../files/shards/part-file.js");
  return readManifest(path, `make it with --learn ${path}`);
}

/** What the first pass kept. @throws ShardError for a file that is damaged, or of another run */
async function openLearned(path: string, manifest: PartManifest, head: PartHead): Promise<KeptReader> {
  const { checkContent, differenceBetween, partReader } = await import("../../files/shards/part-file.js");
  const { learned: _, ...settings } = head.settings;
  const difference = differenceBetween({ ...head, settings, shard: noShard }, manifest);
  if (difference !== undefined)
    throw new ShardError(
      `${path} was learned by another run: ${difference}. Make it again with --learn ${path} and these options.`,
    );
  await checkContent(path, manifest);
  return partReader(path, manifest);
}

/** Writes what a shard or a first pass kept, and says so. */
async function writeShard(run: SharedRun, head: PartHead, kept: Kept, session: Session): Promise<void> {
  const { writePart } = await import("../../files/shards/part-file.js");
  const { isSystemError, replaceFile } = await import("../../files/whole-file.js");
  const { writeTrouble } = await import("../../table/trouble.js");
  const path = partPath(run);
  await replaceFile(path, (temporary) => writePart(temporary, head, kept)).catch((failure: unknown) => {
    throw isSystemError(failure) ? writeTrouble(failure, path) : failure;
  });
  const { index, count } = head.shard;
  session.wrote(path, count > 0 ? `shard ${index} of ${count}` : "what all shards need");
}

/**
 * Runs a command's work as the options ask.
 * @returns undefined where a part was written, which it reports
 */
export async function shareWork<Report>(
  run: SharedRun,
  encoder: PhraseEncoder | "none" | undefined,
  session: Session,
  work: (sharing?: Sharing) => Promise<Report>,
): Promise<Report | undefined> {
  const { shard, parts, learn, learned: path } = run.options;
  if (parts === undefined && shard === undefined && learn === undefined) return work();
  const model = await identityOf(encoder);
  if (parts !== undefined && parts[0].manifest.model !== model)
    throw new ShardError(
      `the parts were made with model ${parts[0].manifest.model}, and this is ${model}. Merge with the same model and --device.`,
    );
  const head = parts === undefined ? { ...(await partHead(run)), model } : parts[0].manifest;
  const learned = path === undefined ? undefined : await openLearned(path, await readLearned(path), head);
  if (parts !== undefined) {
    const { mergeOf } = await import("../../files/shards/part-file.js");
    return work({ ...mergeOf(parts), learned });
  }
  const { firstPass, ShardDone, sharingOf } = await import("../../files/shards/shard.js");
  try {
    await work(shard === undefined ? firstPass : { ...sharingOf(shard), learned });
  } catch (error) {
    if (!(error instanceof ShardDone)) throw error;
    await writeShard(run, head, error.kept, session);
    return undefined;
  }
  throw new Error(`pearl ${run.command} did not end with its shard`);
}

type Options = Parameters<typeof boundedSettings>[0] & { readonly threads?: number };

/** @returns whether this was such a shard, which is then written */
export async function compareLearned(run: SharedRun, options: Options, session: Session): Promise<boolean> {
  const { shard, learned: path } = run.options;
  if (shard === undefined || path === undefined) return false;
  const { partReader } = await import("../../files/shards/part-file.js");
  const { compareShard } = await import("../../match/shards/compare-shard.js");
  const { isComparison } = await import("../../match/shards/kept-comparison.js");
  const manifest = await readLearned(path);
  if (!isComparison(partReader(path, manifest))) return false;
  const head = { ...(await partHead(run)), model: manifest.model };
  const learned = await openLearned(path, manifest, head);
  const { memory, signal, onNote } = boundedSettings(options, session);
  const onProgress = (done: number, total: number): void => session.show("comparing", done, total);
  const { threads } = options;
  const kept = await compareShard(learned, shard, { threads, memory, signal, onNote, onProgress });
  await writeShard(run, head, kept, session);
  return true;
}
