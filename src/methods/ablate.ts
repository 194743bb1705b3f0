/**
 * Comparisons of trainings on a budget: the whole method and the method without each of its parts (the paper's table 3),
 * at the points of a grid (its figure 5), or from several bases (its table 4).
 */

import { join } from "node:path";
import * as v from "valibot";
import { locateTasks } from "../benchmark/runner.js";
import { groupBy } from "../by-key.js";
import { readManifest } from "../corpus/corpus-folder.js";
import { ArgumentError, TrainingError } from "../errors.js";
import { readJson } from "../files/json.js";
import { exists, writeWholeJson } from "../files/whole-file.js";
import { lineChart } from "../plot/line-chart.js";
import { deviation, mean } from "../statistics.js";
import { scoreTasks } from "./benchmark-score.js";
import { type CorpusFinetuneOptions, finetuneOnCorpus } from "./corpus/corpus-finetune.js";
import type { GridPoint, RemovablePart, Variant } from "./settings/choices.js";
import {
  baseVariants,
  gridVariants,
  removableParts,
  withAvailableCharacters,
  without,
} from "./settings/choices.js";
import type { MethodSettings } from "./settings/method-settings.js";
import { contentOf, withContents } from "./settings/schema.js";

/** Options of {@link ablate}: those of each training, what to compare, and the tasks that score the models. */
export interface AblateOptions extends Omit<CorpusFinetuneOptions, "output" | "resume" | "evaluationData"> {
  /** Folder of models and results; runs that are finished there are not repeated. */
  readonly folder: string;
  /** Folder of the corpus of all runs. */
  readonly corpus: string;
  /** Parts to leave out, one run each; default: all that the settings have, unless a grid or bases are given. */
  readonly parts?: readonly RemovablePart[];
  /** Settings to change, one run each. */
  readonly grid?: readonly GridPoint[];
  /** Bases to score as they are and trained, instead of parts and a grid. */
  readonly bases?: readonly string[];
  /** Trainings of each run, from the seeds `seed`, `seed` + 1 and so on. Default 1. */
  readonly seeds?: number;
  /** Folder of benchmark data. */
  readonly dataFolder: string;
  /** Tasks to score; default: all with data. */
  readonly tasks?: readonly string[];
  /** Called as each training begins; "known": an earlier call has finished it. */
  readonly onRun?: (name: string, state: "begins" | "known") => void;
}

const StoredRun = v.object({
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

/** One model of an ablation; scores are means over the seeds. */
export interface AblationRun extends Readonly<Omit<StoredRun, "key">> {
  /** "whole", the part that is left out, a point such as "temperature=0.2", or a base. */
  readonly name: string;
  /** The mean of the run that it is compared with minus its own. */
  readonly cost: number;
  /** Name of that run. */
  readonly against?: string;
  readonly point?: GridPoint;
  /** With several seeds: the standard deviation of the mean, and of each task's score. */
  readonly deviation?: number;
  readonly deviations?: Readonly<Record<string, number>>;
}

/**
 * What `pearl ablate --json FILE` writes; scores are fractions under the fair protocol.
 *
 *     { "corpus": { "fingerprint": "..." }, "seed": 0, "seeds": 1, "steps": 500, "settings": { ... },
 *       "runs": [{ "name": "whole", "scores": { "bird": 0.52 }, "mean": 0.52, "cost": 0, "steps": 500,
 *                  "loss": 3.1, "seconds": 410.2 }, { "name": "types", "against": "whole", ... }] }
 */
export type AblationReport = Awaited<ReturnType<typeof ablate>>;

/**
 * Trains and scores; all runs take the same number of steps. The same call continues an interrupted ablation.
 * @throws TrainingError if the folder holds results or models of other settings; before any training, UsageError for an
 *   unknown task and MissingDataError for tasks without data
 */
export async function ablate(options: AblateOptions) {
  const { corpus, seed = 0, seeds = 1, minutes, pairs, types, tasks = ["all"] } = options;
  options.signal?.throwIfAborted();
  await locateTasks({ tasks, dataFolder: options.dataFolder });
  const settings = await withAvailableCharacters(options.settings, options);
  const variants = variantsOf(settings, options);
  const { fingerprint } = await readManifest(corpus);
  const tables = { pairs: await contentOf(pairs), types: await contentOf(types) };
  const runs: AblationRun[] = [];
  let { steps } = options;
  const stored = new Map<string, StoredRun>();
  for (const variant of variants) {
    const found: StoredRun[] = [];
    // without hard negatives, which the first training may mine
    const contents = await withContents(variant.settings);
    for (let own = seed; own < seed + (variant.untrained ? 1 : seeds); own++) {
      const keyOf = (tasks?: readonly string[]) =>
        JSON.stringify({
          ...{ settings: contents, seed: own, fingerprint, tasks, ...tables },
          ...(variant.untrained ? { untrained: true } : { steps: options.steps, minutes }),
        });
      const keys = { run: keyOf(tasks), training: keyOf() };
      // a point of a grid may be the whole method again
      const run = stored.get(keys.run) ?? (await oneRun(variant, keys, { ...options, seed: own, steps }));
      stored.set(keys.run, run);
      found.push(run);
      if (!variant.untrained) steps ??= run.steps;
    }
    runs.push(summary(variant, found, runs));
  }
  return { corpus: { fingerprint }, ...{ seed, seeds, steps: steps ?? 0, settings, runs } };
}

/** @throws ArgumentError for parts that are off already */
function variantsOf(settings: MethodSettings, { parts, grid = [], bases = [] }: AblateOptions): Variant[] {
  if (bases.length > 0) return baseVariants(settings, bases);
  const off = parts?.find((part) => !changes(settings, part));
  if (off !== undefined)
    throw new ArgumentError(
      `${off} is already off in these settings and cannot be left out. Name other --parts, or none to leave out each one.`,
    );
  const wanted = parts ?? (grid.length > 0 ? [] : removableParts);
  const kept = wanted.filter((part) => changes(settings, part));
  return [
    { name: "whole", settings },
    ...kept.map((part) => ({ name: part, settings: without(settings, part), against: "whole" })),
    ...gridVariants(settings, grid),
  ];
}

/** False for a part that the settings lack; averaging needs a pretrained base. */
function changes(settings: MethodSettings, part: RemovablePart): boolean {
  if (part === "averaging" && settings.base === "none") return false;
  return JSON.stringify(without(settings, part)) !== JSON.stringify(settings);
}

/** The means over seeds, compared with an earlier run. */
function summary({ name, against, point }: Variant, found: StoredRun[], earlier: AblationRun[]): AblationRun {
  const [{ key: _, ...first }] = found;
  const means = found.map((run) => run.mean);
  const average = mean(means);
  const each = (statistic: (values: readonly number[]) => number) =>
    Object.fromEntries(
      Object.keys(first.scores).map((task) => [task, statistic(found.map(({ scores }) => scores[task]))]),
    );
  const reference = earlier.find((run) => run.name === against);
  return {
    ...{ name, ...first, scores: each(mean), mean: average },
    seconds: found.reduce((sum, { seconds }) => sum + seconds, 0),
    cost: reference ? reference.mean - average : 0,
    ...(against && { against }),
    ...(point && { point }),
    ...(found.length > 1 && { deviation: deviation(means), deviations: each(deviation) }),
  };
}

const trouble = { error: TrainingError, cure: "Remove the file, or name another folder." };

async function oneRun(
  { name: variant, settings, untrained }: Variant,
  keys: { readonly run: string; readonly training: string },
  { folder, onRun, dataFolder, tasks = ["all"], ...options }: AblateOptions,
): Promise<StoredRun> {
  const { seed = 0, signal } = options;
  const name = seed === 0 ? variant : `${variant}-seed-${seed}`;
  const path = join(folder, `${name}.json`);
  const known = await readJson(path, StoredRun, trouble);
  if (known && known.key !== keys.run)
    throw new TrainingError(
      `${path}: the results are for other settings, corpus or tasks. Name another folder, or remove the file.`,
    );
  onRun?.(name, known ? "known" : "begins");
  if (known) return known;
  const output = join(folder, name);
  const started = performance.now();
  const { steps, loss } = untrained
    ? { steps: 0, loss: undefined }
    : await trainedModel(output, keys.training, { ...options, settings });
  const seconds = (performance.now() - started) / 1000;
  const scored = await scoreTasks(untrained ? settings.base : output, { tasks, dataFolder, seed, signal });
  const run = { ...scored, steps, loss, seconds, key: keys.run };
  await writeWholeJson(path, run);
  return run;
}

/**
 * Trains a model, unless an earlier run that was stopped while it scored has trained it.
 * @throws TrainingError for a model of another training
 */
async function trainedModel(output: string, key: string, options: Omit<CorpusFinetuneOptions, "output">) {
  const keyPath = `${output}.key.json`;
  const stored = await readJson(keyPath, v.object({ key: v.string() }), trouble);
  if (stored?.key !== key && (await exists(output)))
    throw new TrainingError(
      `${output}: the model was trained with other settings or on another corpus. Name another folder, or remove this one.`,
    );
  // before the training: a kill after it leaves a model that is known
  await writeWholeJson(keyPath, { key });
  const minutes = options.steps === undefined ? options.minutes : undefined;
  const { result } = await finetuneOnCorpus({
    ...options,
    output,
    minutes,
    resume: "continue",
    continuedBy: "the same command",
  });
  return result;
}

/**
 * Draws the grid of an ablation as the paper's figure 5: a panel per setting, the mean score at each of its values. A dashed
 * line shows the whole method; bars show the standard deviation over seeds.
 */
export function gridChart({ runs, steps, seeds }: AblationReport): string {
  const points = runs.flatMap((run) => (run.point ? [{ ...run, ...run.point }] : []));
  const whole = runs.filter(({ name }) => name === "whole");
  const ends = [...points, ...whole].flatMap(({ mean, deviation = 0 }) =>
    [-1, 1].map((sign) => 100 * (mean + sign * deviation)),
  );
  const low = Math.floor(Math.min(...ends));
  const range = [low, Math.max(Math.ceil(Math.max(...ends)), low + 1)] as const;
  const trainings =
    seeds > 1
      ? `${seeds} trainings each; bars: standard deviation`
      : "one training each: small differences may be chance";
  const notes = [`Mean score × 100 after ${steps} steps, ${trainings}. Dashed: the whole method.`];
  const panels = [...groupBy(points, ({ setting }) => setting)].map(([title, own]) => ({
    ...{ title, range, references: whole.map(({ mean }) => 100 * mean) },
    points: own
      .toSorted((a, b) => a.value - b.value)
      .map(({ value, mean, deviation = 0 }) => ({
        ...{ label: `${value}`, value: 100 * mean, deviation: 100 * deviation },
      })),
  }));
  return lineChart("Settings of the method", notes, panels);
}
