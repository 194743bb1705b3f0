/** Runs tasks on models and collects the scores with what is needed to repeat them. */
import { MissingDataError, PearlError, UsageError } from "../errors.js";
import { packageVersion } from "../files/version.js";
import { checkDataFolder } from "./data-folder.js";
import type { PhraseModel } from "./model.js";
import { checkModelName, type ResolveOptions, resolveModel } from "./models.js";
import type { Miss, Protocol, Score, Task, TaskOutcome, TaskProgress } from "./task.js";
import { selectTasks } from "./tasks/index.js";

/** What to run. */
export interface BenchmarkRequest extends ResolveOptions {
  /** Names of tasks; `all` means every task with data in the data folder. */
  readonly tasks: readonly string[];
  /**
   * Names (baselines, embedded models, folders, hub ids; undefined is the embedded default), loaded one after the
   * other and disposed of afterwards, or models, which stay the caller's.
   */
  readonly models: readonly (string | undefined | PhraseModel)[];
  readonly dataFolder: string;
  /** Default `fair`. */
  readonly protocol?: Protocol;
  /** One set of a task that has several (AutoFJ). Default all. */
  readonly dataset?: string;
  /** Default 0. */
  readonly seed?: number;
  /** Called several times a second while a task runs. */
  readonly onProgress?: (progress: RunProgress) => void;
  /** Called for each model and task as it begins. */
  readonly onTask?: (model: string, task: string) => void;
}

interface RunProgress extends TaskProgress {
  readonly model: string;
  readonly task: string;
}

/** One number of a report. */
export interface BenchmarkResult extends Score {
  readonly task: string;
}

/**
 * The scores of one model: what `pearl bench --json FILE` writes, one for each model.
 *
 *     { "pearl": "0.1.0", "model": "tfidf", "fingerprint": "...", "protocol": "fair", "seed": 0,
 *       "results": [{ "task": "autofj", "dataset": "macro mean of 30 sets", "metric": "accuracy",
 *                     "score": 0.735, "n": 9694, "seconds": 4.1, "details": { ... } }],
 *       "skipped": [{ "task": "conll", "reason": "..." }], "notes": ["..."],
 *       "misses": [{ "task": "autofj", "dataset": "Drug", "query": "...", "expected": "...", "chosen": "...",
 *                    "expectedScore": 0.41, "chosenScore": 0.78 }] }
 *
 * `score` is a fraction from 0 to 1 (correlations: from -1 to 1), never NaN; `n` counts rows; `seconds` is
 * wall-clock time of embedding and scoring without reading files; `details` depends on the task and always
 * names the file used, except for AutoFJ, whose sets are folders.
 */
export interface ModelReport {
  /** Version of pearl. */
  readonly pearl: string;
  readonly model: string;
  readonly fingerprint: string;
  readonly protocol: Protocol;
  readonly seed: number;
  readonly results: readonly BenchmarkResult[];
  /** Tasks without a score, each with the reason. */
  readonly skipped: readonly SkippedTask[];
  /** Notes that readers of the scores need. */
  readonly notes: readonly string[];
  /** The worst misses of each set, for tasks that choose among candidates. */
  readonly misses: readonly BenchmarkMiss[];
  /** True if the runner added the model as the floor for AutoFJ. */
  readonly floor?: true;
}

/** A wrong answer of a report. */
export interface BenchmarkMiss extends Miss {
  readonly task: string;
}

/** A task that gave no score. */
interface SkippedTask {
  readonly task: string;
  readonly reason: string;
}

/** The untrained method shown beside scores on AutoFJ. */
const floorModel = "tfidf";

/**
 * Runs every task on every model.
 *
 * Names and files are checked before the first task runs. If AutoFJ is among the tasks, the floor `tfidf` is run on it
 * too, unless it is among the models.
 *
 * @returns one report per model, in order; the floor's last
 * @throws UsageError, MissingDataError (of `all`: only where no task has its data), ModelError
 */
export async function runBenchmark(request: BenchmarkRequest): Promise<ModelReport[]> {
  const { models } = request;
  const selected = selectTasks(request.tasks);
  if (request.dataset !== undefined && !selected.some((task) => task.name === "autofj")) {
    throw new UsageError("--dataset names a set of AutoFJ, but autofj is not among the tasks");
  }
  if (models.length === 0) throw new UsageError("name at least one model");
  for (const model of models) if (typeof model === "string") await checkModelName(model);
  await checkDataFolder(request.dataFolder);
  const { tasks, skipped } = await withData(selected, request);
  const reports: ModelReport[] = [];
  for (const model of models) reports.push(await reportOf(model, tasks, skipped, request));
  const floorTasks = tasks.filter((task) => task.name === "autofj");
  if (floorTasks.length > 0 && !reports.some((report) => report.model === floorModel)) {
    reports.push({ ...(await reportOf(floorModel, floorTasks, [], request)), floor: true });
  }
  return reports;
}

/** The tasks with data. With `all` the others are skipped; otherwise the first missing file is an error. */
async function withData(
  selected: readonly Task[],
  request: BenchmarkRequest,
): Promise<{ tasks: Task[]; skipped: SkippedTask[] }> {
  const tasks: Task[] = [];
  const skipped: SkippedTask[] = [];
  for (const task of selected) {
    try {
      await task.locate(request);
      tasks.push(task);
    } catch (error) {
      if (!(error instanceof MissingDataError) || !request.tasks.includes("all")) throw error;
      skipped.push({ task: task.name, reason: error.message });
    }
  }
  if (tasks.length > 0) return { tasks, skipped };
  throw new MissingDataError(
    `no task's data is in ${request.dataFolder}:\n${skipped.map(({ reason }) => reason).join("\n")}`,
  );
}

async function reportOf(
  named: string | undefined | PhraseModel,
  tasks: readonly Task[],
  missing: readonly SkippedTask[],
  request: BenchmarkRequest,
): Promise<ModelReport> {
  const { protocol = "fair", seed = 0, signal, dataFolder, dataset } = request;
  const model = typeof named === "object" ? named : await resolveModel(named, request);
  const results: BenchmarkResult[] = [];
  const skipped: SkippedTask[] = [...missing];
  const notes: string[] = [];
  const misses: BenchmarkMiss[] = [];
  try {
    for (const task of tasks) {
      signal?.throwIfAborted();
      request.onTask?.(model.name, task.name);
      const running = task.run({
        ...{ model, protocol, seed, signal, dataFolder },
        dataset: task.name === "autofj" ? dataset : undefined,
        onProgress: (progress) => request.onProgress?.({ ...progress, model: model.name, task: task.name }),
      });
      const outcome = await running.catch((error: unknown) => skipOf(error, request));
      for (const score of outcome.scores) results.push({ task: task.name, ...checked(score, task, model) });
      if (outcome.notApplicable) skipped.push({ task: task.name, reason: outcome.notApplicable });
      notes.push(...(outcome.notes ?? []));
      misses.push(...(outcome.misses ?? []).map((miss) => ({ task: task.name, ...miss })));
    }
  } finally {
    if (typeof named !== "object") await model.dispose?.();
  }
  const { name, fingerprint } = model;
  const head = { pearl: packageVersion(), model: name, fingerprint, protocol, seed };
  return { ...head, results, skipped, notes, misses };
}

/** With `all`, a task without its optional package is skipped with the reason; otherwise rethrows. */
function skipOf(error: unknown, { tasks }: BenchmarkRequest): TaskOutcome {
  if (!(error instanceof MissingDataError) || !tasks.includes("all")) throw error;
  return { scores: [], notApplicable: error.message };
}

/** Throws for a score outside its range, which is never a result. */
function checked(score: Score, task: Task, model: PhraseModel): Score {
  const lowest = score.metric === "pearson" || score.metric === "spearman" ? -1 : 0;
  if (score.score >= lowest && score.score <= 1 + 1e-9) return score;
  throw new PearlError(
    `${model.name} on ${task.name} (${score.dataset}): ${score.metric} is ${score.score}, outside its range`,
  );
}
