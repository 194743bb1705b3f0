/** `--shard` of the long commands: a run does one shard and writes a part, or merges parts, or does all. */
import { stat } from "node:fs/promises";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ShardError, UsageError } from "../errors.js";
import type { PartHead, PartManifest } from "../files/shards/part-file.js";
import type { Part } from "../files/shards/parts.js";
import type { Shard, Sharing } from "../files/shards/shard.js";
import { option, shardOf } from "./options.js";
import type { Session } from "./session.js";

export const shardOption = option(
  "--shard <i/n>",
  "do only shard i of n, and write a part (-o NAME.part) for `pearl merge`",
  shardOf,
);

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
const unsettled = new Set(["shard", "parts", "output", "resume", "json", "quiet", "threads", "device"]);

/** The name of the part. @throws UsageError for the name of a whole */
export function partPath({ options: { shard, output }, stem }: SharedRun): string {
  const path = output ?? `${stem}.${shard?.index}-of-${shard?.count}.part`;
  if (path.endsWith(".part")) return path;
  throw new UsageError(
    `--shard writes a part, not ${path}. End its name in .part, then merge all parts: pearl merge PART... -o ${path}`,
  );
}

/** Refuses what a shard cannot do, before a model is loaded. @throws UsageError */
export function checkShare(run: SharedRun): void {
  if (run.options.shard === undefined) return;
  partPath(run);
  if (run.inputs.includes("-"))
    throw new UsageError("--shard reads the table again for the merge. Save standard input to a file first.");
}

/** What the part belongs to, before a model is loaded. */
export async function partHead(
  run: SharedRun & { readonly options: { readonly shard: Shard } },
): Promise<PartHead> {
  const { packageVersion } = await import("../files/package.js");
  const settings = Object.entries(run.options).filter(
    ([name, value]) => value !== undefined && !unsettled.has(name),
  );
  return {
    ...{ pearl: packageVersion(), command: run.command, shard: run.options.shard },
    arguments: [...run.arguments],
    settings: JSON.parse(JSON.stringify(Object.fromEntries(settings))),
    inputs: await fingerprints(run.inputs.filter((path) => path !== undefined)),
  };
}

async function fingerprints(paths: readonly string[]): Promise<Record<string, string>> {
  const { fileFingerprint } = await import("../files/fingerprint.js");
  const found: Record<string, string> = {};
  for (const path of paths) {
    if (path === "-")
      throw new UsageError(
        "--shard reads the table again for the merge. Save standard input to a file first.",
      );
    const status = await stat(path).catch(() => undefined);
    // What is missing now must be missing at the merge, such as the store that a first link makes.
    if (!status?.isDirectory()) found[path] = status === undefined ? "missing" : await fileFingerprint(path);
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

async function identityOf(encoder: PhraseEncoder | "none" | undefined): Promise<string | undefined> {
  if (typeof encoder !== "object") return encoder;
  return (await import("../encoder/model-identity.js")).modelIdentity(encoder);
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
  const { shard, parts } = run.options;
  if (parts !== undefined) {
    const { mergeOf } = await import("../files/shards/parts.js");
    const { manifest } = parts[0];
    const model = await identityOf(encoder);
    if (manifest.model !== model)
      throw new ShardError(
        `the parts were made with model ${manifest.model}, and this is ${model}. Merge with the same model and --device.`,
      );
    return work(mergeOf(parts));
  }
  if (shard === undefined) return work();
  const { sharingOf, ShardDone } = await import("../files/shards/shard.js");
  const { writePart } = await import("../files/shards/part-file.js");
  const { replaceFile } = await import("../files/whole-file.js");
  const path = partPath(run);
  const head = await partHead({ ...run, options: { ...run.options, shard } });
  try {
    await work(sharingOf(shard));
  } catch (error) {
    if (!(error instanceof ShardDone)) throw error;
    const model = await identityOf(encoder);
    await replaceFile(path, (temporary) => writePart(temporary, { ...head, model }, error.kept));
    session.wrote(path, `shard ${shard.index} of ${shard.count}`);
    return undefined;
  }
  throw new Error(`pearl ${run.command} did not end with its shard`);
}
