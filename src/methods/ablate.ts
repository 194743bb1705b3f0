/** The paper's ablation (table 3) on a budget: the whole method, and the method without each of its parts. */
import { join } from "node:path";
import * as v from "valibot";
import { readManifest } from "../corpus/corpus-folder.js";
import { ArgumentError, TrainingError } from "../errors.js";
import { readJson } from "../files/json.js";
import { writeWholeJson } from "../files/whole-file.js";
import { scoreTasks } from "./benchmark-score.js";
import { type CorpusFinetuneOptions, finetuneOnCorpus } from "./corpus/corpus-finetune.js";
import { type RemovablePart, removableParts, without } from "./settings/choices.js";
import type { MethodSettings } from "./settings/method-settings.js";

/** Options of {@link ablate}: those of each training, the parts to leave out, and the tasks that score the models. */
export interface AblateOptions extends Omit<CorpusFinetuneOptions, "output" | "resume" | "evaluationData"> {
  /** Folder of models and results; runs that are finished there are not repeated. */
  readonly folder: string;
  /** Folder of the corpus of all runs. */
  readonly corpus: string;
  /** Parts to leave out, one run each; default: all that the settings have. */
  readonly parts?: readonly RemovablePart[];
  /** Folder of benchmark data. */
  readonly dataFolder: string;
  /** Tasks to score; default: all with data. */
  readonly tasks?: readonly string[];
  /** Called as each run begins; "known": an earlier call has finished it. */
  readonly onRun?: (name: string, state: "begins" | "known") => void;
}

const StoredRun = v.object({
  /** "whole", or the part that is left out. */
  name: v.string(),
  /** By task, fractions. */
  scores: v.record(v.string(), v.number()),
  mean: v.number(),
  steps: v.number(),
  loss: v.optional(v.number()),
  seconds: v.number(),
  /** Of everything that must be equal for a run to be known. */
  key: v.string(),
});
type StoredRun = v.InferOutput<typeof StoredRun>;

/** One model of an ablation; `cost` is the whole method's mean minus this one's. */
export type AblationRun = Readonly<Omit<StoredRun, "key">> & { readonly cost: number };

/**
 * What `pearl ablate --json FILE` writes; scores are fractions under the fair protocol.
 *
 *     { "corpus": { "fingerprint": "..." }, "seed": 0, "steps": 500, "settings": { ... },
 *       "runs": [{ "name": "whole", "scores": { "bird": 0.52 }, "mean": 0.52, "cost": 0, "steps": 500,
 *                  "loss": 3.1, "seconds": 410.2 }, { "name": "types", ... }] }
 */
export interface AblationReport {
  readonly corpus: { readonly fingerprint: string };
  readonly seed: number;
  readonly steps: number;
  readonly settings: MethodSettings;
  readonly runs: readonly AblationRun[];
}

/** The part of training.json that a run reports. */
const StoredResult = v.object({ result: v.object({ steps: v.number(), loss: v.optional(v.number()) }) });

/**
 * Trains and scores; all runs take the same number of steps. The same call continues an interrupted ablation.
 * @throws TrainingError if the folder holds results of other settings
 */
export async function ablate(options: AblateOptions): Promise<AblationReport> {
  const { settings, corpus, seed = 0, steps, minutes, pairs, tasks = ["all"] } = options;
  options.signal?.throwIfAborted();
  const parts = (options.parts ?? removableParts).filter((part) => changes(settings, part));
  const off = options.parts?.find((part) => !changes(settings, part));
  if (off !== undefined)
    throw new ArgumentError(
      `${off} is already off in these settings and cannot be left out. Name other --parts, or none to leave out each one.`,
    );
  const { fingerprint } = await readManifest(corpus);
  const key = JSON.stringify({ settings, seed, fingerprint, tasks, steps, minutes, pairs });
  const whole = await oneRun("whole", settings, { ...options, key });
  const runs = [whole];
  for (const part of parts) {
    const fixed = { ...options, key, minutes: undefined, steps: whole.steps };
    runs.push(await oneRun(part, without(settings, part), fixed));
  }
  return {
    ...{ corpus: { fingerprint }, seed, steps: whole.steps, settings },
    runs: runs.map(({ key: _, ...run }) => ({ ...run, cost: whole.mean - run.mean })),
  };
}

/** False for a part that the settings lack; averaging needs a pretrained base. */
function changes(settings: MethodSettings, part: RemovablePart): boolean {
  if (part === "averaging" && settings.base === "none") return false;
  return JSON.stringify(without(settings, part)) !== JSON.stringify(settings);
}

async function oneRun(
  name: string,
  settings: MethodSettings,
  { key, folder, onRun, dataFolder, tasks = ["all"], ...options }: AblateOptions & { key: string },
): Promise<StoredRun> {
  const path = join(folder, `${name}.json`);
  const trouble = { error: TrainingError, cure: "Remove the file, or name another folder." };
  const known = await readJson(path, StoredRun, trouble);
  if (known && known.key !== key)
    throw new TrainingError(
      `${path}: the results are for other settings, corpus or tasks. Name another folder, or remove the file.`,
    );
  onRun?.(name, known ? "known" : "begins");
  if (known) return known;
  const output = join(folder, name);
  const started = performance.now();
  // a model without its result was trained by a run that was stopped while it scored
  const record =
    (await readJson(join(output, "training.json"), StoredResult, trouble)) ??
    (await finetuneOnCorpus({ ...options, settings, output, resume: "continue" }));
  const seconds = (performance.now() - started) / 1000;
  const { scores, mean } = await scoreTasks(output, { tasks, dataFolder, signal: options.signal });
  const { steps, loss } = record.result;
  const run = { name, scores, mean, steps, loss, seconds, key };
  await writeWholeJson(path, run);
  return run;
}
