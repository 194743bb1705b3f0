/**
 * Checkpoints: all that a run needs to go on bit for bit, in folders that appear under their name only when they
 * are whole and on the disk, so that a crash at any point leaves the last whole one.
 *
 *     checkpoints/step-000500/tensors.safetensors   weights, Adam's moments, the running average
 *     checkpoints/step-000500/checkpoint.json       step, settings, best score, version, checksum
 *
 * Batches are functions of seed and step: the step is the data's position and the state of all randomness.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, TrainingError } from "../errors.js";
import { readSafetensors, writeSafetensors } from "../onnx/io/safetensors.js";
import type { StepLoss } from "./metrics.js";
import type { EngineState } from "./optimiser/optimiser.js";

/** Settings that must be equal for a run to go on; values are compared as JSON. */
export type Settings = Readonly<Record<string, unknown>>;

/** What stands in checkpoint.json beside the checksum. */
export interface CheckpointRecord {
  /** Steps taken. */
  readonly step: number;
  /** Version of pearl. */
  readonly version: string;
  readonly settings: Settings;
  /** Best evaluation so far. */
  readonly best?: { readonly step: number; readonly score: number };
  /** Evaluations since then. */
  readonly evaluationsSinceBest: number;
  /** Of the last step taken: a run that goes on after it reports it as one that was never cut off. */
  readonly last?: StepLoss;
}

/** A checkpoint on disk. */
export interface CheckpointPlace {
  readonly step: number;
  readonly path: string;
}

const recordName = "checkpoint.json";
const tensorsName = "tensors.safetensors";
const nameOf = (step: number): string => `step-${String(step).padStart(6, "0")}`;

/** Whole checkpoints in a folder, oldest first. */
export function listCheckpoints(folder: string): CheckpointPlace[] {
  return entriesOf(folder)
    .flatMap((name) => {
      const match = /^step-(\d+)$/.exec(name);
      return match ? [{ step: Number(match[1]), path: join(folder, name) }] : [];
    })
    .sort((a, b) => a.step - b.step);
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Writes a checkpoint under `folder`.
 * @throws TrainingError where the disk is full or cannot be written; what was there before stays whole
 */
export function writeCheckpoint(folder: string, state: EngineState, record: CheckpointRecord): string {
  for (const [name, { data }] of state.tensors)
    if (!(data as Float32Array).every(Number.isFinite))
      throw new TrainingError(
        `step ${state.step}: ${name} holds NaN or infinity, so no checkpoint was written. ` +
          "Take a smaller learning rate or clip gradients.",
      );
  const path = join(folder, nameOf(state.step));
  const partial = `${path}.partial`;
  try {
    mkdirSync(folder, { recursive: true });
    for (const name of entriesOf(folder).filter((entry) => entry.endsWith(".partial")))
      rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(partial);
    const checksum = writeSafetensors(join(partial, tensorsName), state.tensors);
    writeFileSync(join(partial, recordName), `${JSON.stringify({ ...record, checksum }, null, 2)}\n`, {
      flush: true,
    });
    sync(partial);
    // a checkpoint of this step can only stand here from before a resume, and holds the same
    rmSync(path, { recursive: true, force: true });
    renameSync(partial, path);
    sync(folder);
    return path;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw writeTrouble(error, folder, state.step);
  }
}

/** Folders are synced where the system can (Windows cannot). */
function sync(folder: string): void {
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function writeTrouble(error: unknown, folder: string, step: number): TrainingError {
  const code = (error as NodeJS.ErrnoException).code;
  const full = code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
  const reason = full ? "there is no space left for it" : messageOf(error);
  const last = listCheckpoints(folder).at(-1);
  const rest = last ? `The one of step ${last.step} is whole: resume from it` : "Start again";
  return new TrainingError(
    `${folder}: the checkpoint of step ${step} cannot be written, since ${reason}. ${rest} when there is room.`,
    { cause: error },
  );
}

/** The record of a checkpoint, and the checksum of its tensors. @throws TrainingError where it is broken */
export function readRecord({ path }: CheckpointPlace): CheckpointRecord & { checksum: string } {
  try {
    const record = JSON.parse(readFileSync(join(path, recordName), "utf8"));
    if (Number.isInteger(record.step) && typeof record.checksum === "string" && record.settings)
      return record;
  } catch (error) {
    throw broken(path, messageOf(error));
  }
  throw broken(path, `${recordName} is not one of pearl's`);
}

const broken = (path: string, why: string): TrainingError =>
  new TrainingError(
    `${path}: the checkpoint is damaged (${why}). Delete this folder to go on from the one before.`,
  );

/**
 * Reads a checkpoint.
 * @param layout names and shapes of the tensors that must be in it
 * @throws TrainingError where it is damaged, or belongs to another model
 */
export function readCheckpoint(
  place: CheckpointPlace,
  layout: ReadonlyMap<string, readonly number[]>,
): { state: EngineState; record: CheckpointRecord } {
  const { checksum, ...record } = readRecord(place);
  const path = join(place.path, tensorsName);
  let tensors: EngineState["tensors"] | undefined;
  try {
    if (checksumOf(path) === checksum) tensors = readSafetensors(path);
  } catch (error) {
    throw broken(place.path, messageOf(error));
  }
  if (!tensors) throw broken(place.path, `${tensorsName} is not what was written: cut off, or changed`);
  for (const [name, dims] of layout) {
    const found = tensors.get(name)?.dims;
    if (String(found) !== String(dims))
      throw new TrainingError(
        `${place.path}: the checkpoint is of another model: ${name} is ${found ? `[${found}]` : "missing"}, not [${dims}]`,
      );
  }
  return { state: { step: record.step, tensors }, record };
}

/** SHA-256 of a file of any size, read piece by piece. */
function checksumOf(path: string): string {
  const hash = createHash("sha256");
  const piece = Buffer.alloc(2 ** 20);
  const file = openSync(path, "r");
  try {
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece))
      hash.update(piece.subarray(0, read));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/**
 * Checks that a checkpoint belongs to a run.
 * @throws TrainingError naming what differs
 */
export function checkSettings(
  place: CheckpointPlace,
  { version, settings }: CheckpointRecord,
  run: Pick<CheckpointRecord, "version" | "settings">,
): void {
  if (version !== run.version)
    throw new TrainingError(
      `${place.path}: the checkpoint was written by pearl ${version}, this is ${run.version}: ` +
        "finish with that version, or start over.",
    );
  const keys = new Set([...Object.keys(settings), ...Object.keys(run.settings)]);
  for (const key of keys) {
    const [then, now] = [settings[key], run.settings[key]].map((value) => JSON.stringify(value) ?? "nothing");
    if (then !== now)
      throw new TrainingError(
        `${place.path}: the checkpoint belongs to another run: ${key} was ${then} and is ${now} now. ` +
          "Give the same, or start over without resuming.",
      );
  }
}

/** Deletes all but the last `keep` checkpoints and the best one. */
export function pruneCheckpoints(folder: string, { keep, best }: { keep: number; best?: number }): void {
  const all = listCheckpoints(folder);
  for (const { step, path } of all.slice(0, Math.max(0, all.length - keep))) {
    if (step === best) continue;
    // renamed first: a crash while deleting leaves no half of a checkpoint under its name
    const partial = join(dirname(path), `${nameOf(step)}.partial`);
    renameSync(path, partial);
    rmSync(partial, { recursive: true, force: true });
  }
}
