/**
 * Checkpoints: everything that a run needs to continue bit for bit, in folders that appear under their name only when
 * they are whole and on the disk: a crash at any point leaves the last whole one.
 *
 *     checkpoints/step-000500/tensors.safetensors   weights, Adam's moments
 *     checkpoints/step-000500/checkpoint.json       step, settings, evaluations, version, checksum
 *
 * Batches are functions of seed and step: the step is the data's position and the state of all randomness.
 */
import { existsSync, fsyncSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { isDiskFull, messageOf, TrainingError } from "../errors.js";
import { fileFingerprint, fingerprint } from "../files/checksums/fingerprint.js";
import { readJson } from "../files/json.js";
import { withFile } from "../onnx/io/file.js";
import { readSafetensors, writeSafetensors } from "../onnx/io/safetensors.js";
import { bytesOf } from "../onnx/tensor.js";
import { adamSettings } from "./optimiser/adam.js";
import type { EngineState } from "./optimiser/optimiser.js";
import type { TrainingProgram } from "./program.js";
import type { TrainingData, TrainOptions } from "./trainer.js";

const Evaluated = v.object({
  step: v.number(),
  score: v.number(),
  /** Weight of the trained weights in an average with those of the start; absent where none was chosen. */
  share: v.optional(v.number()),
  figures: v.optional(v.record(v.string(), v.number())),
});

/** The weights of a step, evaluated: the score that chooses the best ones, and what else was measured, by name. */
export type Evaluated = Readonly<v.InferOutput<typeof Evaluated>>;

/**
 * Of the evaluations that score no less than the start, the first with the highest score less a tenth of its figure `loss`,
 * if it has one: on a few hundred held-out pairs, ranks alone are too noisy to choose by.
 */
export function bestOf(evaluations: readonly Evaluated[]): Evaluated | undefined {
  const quality = ({ score, figures }: Evaluated) => score - (figures?.loss ?? 0) / 10;
  const candidates = evaluations.filter(({ score }) => score >= evaluations[0].score);
  return candidates.sort((a, b) => quality(b) - quality(a)).at(0);
}

const StoredRecord = v.object({
  step: v.number(),
  version: v.string(),
  /** Settings that must be equal to resume; values are compared as JSON. */
  settings: v.record(v.string(), v.unknown()),
  /** What may differ when it resumes: the run's length, and how it is evaluated. Earlier checkpoints have none. */
  limits: v.optional(v.record(v.string(), v.number())),
  /** Of the last step taken: a resumed run without further steps reports it. */
  last: v.optional(v.object({ loss: v.number(), parts: v.record(v.string(), v.number()) })),
  /** All so far: one that was interrupted is missing here, and the resumed run makes it. */
  evaluations: v.array(Evaluated),
  checksum: v.string(),
});

type StoredRecord = v.InferOutput<typeof StoredRecord>;
export type CheckpointRecord = Omit<StoredRecord, "checksum">;
export type Settings = Readonly<CheckpointRecord["settings"]>;

export interface Checkpoint {
  readonly path: string;
  readonly record: StoredRecord;
}

/** Where a run keeps its checkpoints, in its own folder. */
export const checkpointFolder = "checkpoints";

const recordName = "checkpoint.json";
const tensorsName = "tensors.safetensors";
const cure = "The checkpoint is damaged: delete its folder to continue from the one before.";

/** Whole checkpoints in a folder, oldest first. */
export function listCheckpoints(folder: string): { step: number; path: string }[] {
  return entriesOf(folder)
    .flatMap((name) => {
      const match = /^step-(\d+)$/.exec(name);
      return match ? [{ step: Number(match[1]), path: join(folder, name) }] : [];
    })
    .sort((a, b) => a.step - b.step);
}

const entriesOf = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);

/**
 * Writes a checkpoint under `folder`.
 * @throws TrainingError if the disk is full or cannot be written; earlier checkpoints stay whole
 */
export function writeCheckpoint(
  folder: string,
  { step, tensors }: EngineState,
  record: CheckpointRecord,
): void {
  for (const [name, { data }] of tensors)
    if (!(data as Float32Array).every(Number.isFinite))
      throw new TrainingError(
        `step ${step}: ${name} holds NaN or infinity, so no checkpoint was written. ` +
          "Use a smaller learning rate or clip gradients.",
      );
  const path = join(folder, `step-${String(step).padStart(6, "0")}`);
  const partial = `${path}.partial`;
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of entriesOf(folder).filter((entry) => entry.endsWith(".partial")))
      rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(partial);
    const checksum = writeSafetensors(join(partial, tensorsName), tensors);
    const json = `${JSON.stringify({ ...record, checksum }, null, 2)}\n`;
    writeFileSync(join(partial, recordName), json, { flush: true });
    sync(partial);
    // a checkpoint of this step can only be from before a resume, and holds the same
    rmSync(path, { recursive: true, force: true });
    renameSync(partial, path);
    sync(folder);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw writeTrouble(error, folder, step);
  }
}

/** Flushes a folder to disk, on systems that can (Windows cannot). */
function sync(folder: string): void {
  if (process.platform !== "win32") withFile(folder, "r", fsyncSync);
}

function writeTrouble(error: unknown, folder: string, step: number): TrainingError {
  const reason = isDiskFull(error) ? "the disk is full" : messageOf(error);
  const last = listCheckpoints(folder).at(-1);
  const rest = last ? `resume from the checkpoint of step ${last.step}` : "start again";
  return new TrainingError(
    `${folder}: the checkpoint of step ${step} cannot be written: ${reason}. Fix that, then ${rest}.`,
    { cause: error },
  );
}

/** Reads the record of a checkpoint. @throws TrainingError for a damaged one */
export async function readCheckpoint({ path }: Pick<Checkpoint, "path">): Promise<Checkpoint> {
  const record = await readJson(join(path, recordName), StoredRecord, { error: TrainingError, cure });
  if (record === undefined) throw new TrainingError(`${path}: ${recordName} is missing. ${cure}`);
  return { path, record };
}

/**
 * Reads the tensors of a checkpoint.
 * @param layout names and shapes of the tensors that must be in it
 * @throws TrainingError for a damaged checkpoint, or one of another model
 */
export async function readTensors(
  { path, record }: Checkpoint,
  layout: ReadonlyMap<string, readonly number[]>,
): Promise<EngineState["tensors"]> {
  const file = join(path, tensorsName);
  const found = await fileFingerprint(file).catch(messageOf);
  if (!record.checksum.startsWith(found))
    throw new TrainingError(`${file}: the file was cut off or changed since it was written. ${cure}`);
  const tensors = readSafetensors(file);
  for (const [name, dims] of layout) {
    const shape = tensors.get(name)?.dims;
    if (String(shape) !== String(dims))
      throw new TrainingError(
        `${path}: the checkpoint is of another model: ${name} is ${shape ? `[${shape}]` : "missing"}, not [${dims}]`,
      );
  }
  return tensors;
}

/** Everything that decides the weights at a step, except the number of steps. */
export function settingsOf(program: TrainingProgram, data: TrainingData, options: TrainOptions): Settings {
  const { learningRate, schedule = { kind: "constant" }, clipNorm } = options;
  const { model, loss, cut } = program;
  const { nodes, initializers } = model.graph;
  const weights = [...initializers].flatMap(([name, tensor]) => [
    JSON.stringify([name, tensor.type, tensor.dims]),
    ...(tensor.type === "string" ? [] : [bytesOf(tensor)]),
  ]);
  return {
    ...options.settings,
    ...{ learningRate, schedule, clipNorm },
    isEvaluated: options.evaluation !== undefined,
    optimiser: adamSettings(options.optimiser),
    data: data.fingerprint,
    model: fingerprint(JSON.stringify([nodes, loss, cut], plainNumbers), ...weights),
  };
}

/** For JSON.stringify: bigints and typed arrays as numbers. */
export function plainNumbers(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  return ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value;
}

/** @throws TrainingError that names what differs between a checkpoint and the run that resumes it */
export function checkSettings(
  { path, record: { version, settings, step } }: Checkpoint,
  run: Pick<CheckpointRecord, "version" | "settings"> & Pick<TrainOptions, "steps">,
): void {
  if (version !== run.version)
    throw new TrainingError(
      `${path}: the checkpoint was written by pearl ${version}, this is ${run.version}. ` +
        "Finish with that version, or start over.",
    );
  const changed = changesOf(settings, run.settings);
  // settings change these fingerprints, which then say nothing more
  const named = changed.filter((line) => !/^(data|model) /.test(line));
  if (changed.length > 0)
    throw new TrainingError(
      `${path}: the checkpoint belongs to another run: ${(named.length > 0 ? named : changed).join(", ")}. ` +
        `Use the same value${named.length > 1 ? "s" : ""}, or start over without resuming.`,
    );
  if (step > run.steps)
    throw new TrainingError(
      `${path}: the checkpoint is of step ${step}, and this run ends at step ${run.steps}. ` +
        "Take at least as many steps as the checkpoint has, or start over without resuming.",
    );
}

/** What differs between settings, in the order of the later ones: "batchSize was 32 and is 64 now". */
export function changesOf(before: Settings, after: Settings): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].flatMap((key) => {
    const [then, now] = [before[key], after[key]].map((value) => JSON.stringify(value) ?? "nothing");
    return then === now ? [] : [`${key} was ${then} and is ${now} now`];
  });
}

export function pruneCheckpoints(folder: string, { keep, best }: { keep: number; best?: number }): void {
  const all = listCheckpoints(folder);
  for (const { step, path } of all.slice(0, Math.max(0, all.length - keep))) {
    if (step === best) continue;
    // renamed first: a crash while deleting leaves no half of a checkpoint under its name
    renameSync(path, `${path}.partial`);
    rmSync(`${path}.partial`, { recursive: true, force: true });
  }
}
