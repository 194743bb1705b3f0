/** The paper's ablation (table 3) on a budget: the method whole, and without each of its parts in turn. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "../corpus/corpus-folder.js";
import { ArgumentError, TrainingError } from "../errors.js";
import { type RemovablePart, removableParts, without } from "../pearl/choices.js";
import type { MethodSettings } from "../pearl/method.js";
import { scoreTasks } from "./benchmark-score.js";
import { type CorpusFinetuneOptions, finetuneOnCorpus } from "./corpus/corpus-finetune.js";

export interface AblateOptions extends Omit<CorpusFinetuneOptions, "output" | "resume" | "evaluationData"> {
  /** Where models and results go; what an earlier run has finished there stays. */
  readonly folder: string;
  /** Folder of a corpus: every run takes the same. */
  readonly corpus: string;
  /** Parts to leave out, one run each; default all that the settings have. */
  readonly parts?: readonly RemovablePart[];
  /** Folder of benchmark data. */
  readonly dataFolder: string;
  /** Tasks to score; default all that have data. */
  readonly tasks?: readonly string[];
  /** Told of each run as it begins; `state` says whether it was finished before. */
  readonly onRun?: (name: string, state: "begins" | "known") => void;
}

/** One model of an ablation. */
export interface AblationRun {
  /** "whole", or the part that is left out. */
  readonly name: string;
  /** By task, fractions. */
  readonly scores: Readonly<Record<string, number>>;
  readonly mean: number;
  /** The whole method's mean less this one's: what leaving the part out costs. */
  readonly cost: number;
  readonly steps: number;
  readonly loss?: number;
  readonly seconds: number;
}

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

type StoredRun = Omit<AblationRun, "cost"> & { readonly key: string };

/**
 * Trains and scores; all runs take the same number of steps. An interrupted ablation goes on where it stopped.
 * @throws TrainingError where the folder holds results of other settings
 */
export async function ablate(options: AblateOptions): Promise<AblationReport> {
  const { settings, folder, corpus, seed = 0 } = options;
  const parts = (options.parts ?? removableParts).filter((part) => changes(settings, part));
  if (options.parts && parts.length < options.parts.length)
    throw new ArgumentError(
      `${options.parts.find((part) => !changes(settings, part))} is off already: there is nothing to leave out`,
    );
  mkdirSync(folder, { recursive: true });
  const { fingerprint } = await readManifest(corpus);
  const { steps, minutes, tasks = ["all"] } = options;
  const key = JSON.stringify({ settings, seed, fingerprint, tasks, steps, minutes, pairs: options.pairs });
  const whole = await oneRun("whole", settings, { ...options, key });
  const runs: StoredRun[] = [whole];
  for (const part of parts) {
    const fixed = { ...options, key, minutes: undefined, steps: whole.steps };
    runs.push(await oneRun(part, without(settings, part), fixed));
  }
  return {
    ...{ corpus: { fingerprint }, seed, steps: whole.steps, settings },
    runs: runs.map(({ key: _, ...run }) => ({ ...run, cost: whole.mean - run.mean })),
  };
}

/** Leaving out what is not there changes nothing; an average needs a base that was trained before. */
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
  if (existsSync(path)) {
    const known = JSON.parse(readFileSync(path, "utf8")) as StoredRun;
    if (known.key !== key)
      throw new TrainingError(
        `${path} is of an ablation with other settings, corpus or tasks: name another folder, or remove it.`,
      );
    onRun?.(name, "known");
    return known;
  }
  onRun?.(name, "begins");
  const output = join(folder, name);
  const started = performance.now();
  // a model without its result was trained by a run that was stopped while scoring
  const record = existsSync(join(output, "training.json"))
    ? (JSON.parse(readFileSync(join(output, "training.json"), "utf8")) as { result: StoredRun })
    : await finetuneOnCorpus({ ...options, settings, output, resume: "continue" });
  const seconds = (performance.now() - started) / 1000;
  const { scores, mean } = await scoreTasks(output, { tasks, dataFolder, signal: options.signal });
  const { steps, loss } = record.result;
  const run = { name, scores, mean, steps, loss, seconds, key };
  writeFileSync(`${path}.partial`, `${JSON.stringify(run, null, 2)}\n`);
  renameSync(`${path}.partial`, path);
  return run;
}
