/** The folder of what is unfinished in a run: one run at a time, and only files of pearl's own are removed from it. */
import { readdir, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ModelError, messageOf } from "../errors.js";
import { acquireLock } from "../files/lock.js";
import { exists, isSystemError, makeFolder } from "../files/whole-file.js";
import { checkpointFolder } from "./checkpoint.js";

/** What a training writes. */
const ofTraining = [checkpointFolder, "metrics.jsonl", "steps.json", "evaluation", "failed-step-N.json"];
/** What methods prepare. */
const ofMethods = ["start", "scratch", "text"];

/** True for a name of the list, and for what a killed process left under a temporary one. */
function isOf(names: readonly string[], entry: string): boolean {
  const whole = entry.replace(/\.(?:[0-9a-f]{12}\.partial|(?<=\.jsonl?\.)\d+)$/, "");
  return names.includes(whole.replace(/^failed-step-\d+/, "failed-step-N"));
}

/** Makes or takes over a folder. @throws LockedError while another process of this machine trains in it */
export async function openWorkFolder(path: string) {
  const isNew = !(await exists(path));
  await makeFolder(path).catch((cause: unknown) => {
    throw isSystemError(cause)
      ? new ModelError(`${path} cannot be made: ${messageOf(cause)}. Name another folder for the output.`, {
          cause,
        })
      : cause;
  });
  // A run that was killed on another machine resumes here.
  const lock = await acquireLock(path, "are gone");
  return {
    /** False where an earlier run left it. */
    isNew,
    /** Lets another process use the folder; removes it where it is empty. */
    async release(): Promise<void> {
      await lock.release();
      // fails, as it should, where anything is left
      await rmdir(path).catch(() => {});
    },
  };
}

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Removes an earlier training's files, or also what methods prepare. Files that pearl does not write stay. */
export async function removeOwn(work: string, what: "training" | "everything"): Promise<void> {
  const names = what === "training" ? ofTraining : [...ofTraining, ...ofMethods];
  for (const entry of await entriesOf(work))
    if (isOf(names, entry)) await rm(join(work, entry), { recursive: true, force: true });
}

/** True if a run left steps to resume from, a failed one to look at, or what `prepare` keeps. */
export async function isWorthKeeping(work: string, kept: readonly string[]): Promise<boolean> {
  const names = await entriesOf(work);
  if (names.some((name) => kept.includes(name))) return true;
  const metrics = await stat(join(work, "metrics.jsonl")).catch(() => undefined);
  const isKept = (name: string) => name === checkpointFolder || name.startsWith("failed-step-");
  return names.some(isKept) || (metrics?.size ?? 0) > 0;
}
