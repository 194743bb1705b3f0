/** Runs tasks on models and collects the scores with what is needed to repeat them. */
import { MissingDataError, PearlError, ShardError, TableError, UsageError } from "../errors.js";
import { packageVersion } from "../files/package.js";
import { type Kept, ownRange, type Sharing } from "../files/shards/shard.js";
import { deviation, mean } from "../statistics.js";
import { checkDataFolder } from "./data-folder.js";
import { checkModelName, type PhraseModel, type ResolveOptions, resolveModel } from "./models.js";
import type { Miss, Protocol, Score, Task, TaskContext, TaskOutcome } from "./task.js";
import { selectTasks } from "./tasks/index.js";

export interface BenchmarkRequest extends ResolveOptions {
  /** Names of tasks; `all` means every task with data in the data folder. */
  readonly tasks: readonly string[];
  /**
   * Names (baselines, embedded models, folders, hub ids; undefined is the embedded default), loaded one after the
   * other and disposed of afterwards, or models, which stay the caller's.
   */
  readonly models: readonly (string | undefined | PhraseModel)[];
  readonly dataFolder: string;
  readonly protocol?: Protocol;
  /** One set of a task that has several (autofj, er). Default all. */
  readonly dataset?: string;
  readonly seed?: number;
  /** Runs with as many seeds, {@link seedStep} apart from `seed` on; scores are their means. Default 1. */
  readonly seeds?: number;
  /** Runs one shard of the tasks and ends, or takes what all shards measured. */
  readonly sharing?: Sharing;
  /** Called several times a second with the task and its step, what is done and the total. */
  readonly onProgress?: TaskContext["onProgress"];
  /** Called for each model and task as it begins. */
  readonly onTask?: (model: string, task: string) => void;
}

interface OfTask {
  readonly task: string;
}
export type BenchmarkResult = OfTask & Score & { /** Over several seeds. */ readonly deviation?: number };
export type BenchmarkMiss = OfTask & Miss;
type SkippedTask = OfTask & { readonly reason: string };

/** The scores of one model: what `pearl bench --json FILE` writes for each model. docs/judge.md has an example. */
export interface ModelReport {
  readonly pearl: string;
  readonly model: string;
  readonly fingerprint: string;
  readonly protocol: Protocol;
  readonly seed: number;
  /** Number of seeds, where there are several. */
  readonly seeds?: number;
  readonly results: readonly BenchmarkResult[];
  readonly skipped: readonly SkippedTask[];
  readonly notes: readonly string[];
  /** The worst misses of each set, for tasks that choose among candidates. */
  readonly misses: readonly BenchmarkMiss[];
  /** True if the runner added the model as the floor for AutoFJ. */
  readonly floor?: true;
}

/** Probes and clusterings take five seeds of their own, which must not overlap. */
const seedStep = 10;

/** The untrained method shown beside scores on tasks of matching tables. */
const floorModel = "tfidf";
const tasksWithSets = ["autofj", "er"];

/**
 * Runs every task on every model. Names and files are checked before the first task runs. If AutoFJ or er is among the
 * tasks, the floor `tfidf` runs on it too, unless it is among the models.
 *
 * @returns one report per model, in order; the floor's last
 * @throws UsageError, MissingDataError (of `all`: only where no task has its data), ModelError
 */
export async function runBenchmark(request: BenchmarkRequest): Promise<ModelReport[]> {
  const { models, dataset } = request;
  const selected = selectTasks(request.tasks);
  if (dataset !== undefined && !selected.some(({ name }) => tasksWithSets.includes(name)))
    throw new UsageError(
      "--dataset names a set of autofj or er, but neither is among the tasks. Add --task autofj or --task er.",
    );
  if (models.length === 0) throw new UsageError("name at least one model");
  for (const model of models) if (typeof model === "string") await checkModelName(model);
  const { tasks, skipped } = await locateTasks(request);
  const rows: Row[] = models.map((model) => ({ model, tasks, missing: skipped }));
  const floorTasks = tasks.filter(({ name }) => tasksWithSets.includes(name));
  const hasFloor = models.some((model) => (typeof model === "object" ? model.name : model) === floorModel);
  if (floorTasks.length > 0 && !hasFloor)
    rows.push({ model: floorModel, tasks: floorTasks, missing: [], floor: true });
  return sharedReports(rows, request);
}

/** A model with its tasks. */
interface Row {
  readonly model: string | undefined | PhraseModel;
  readonly tasks: readonly Task[];
  readonly missing: readonly SkippedTask[];
  readonly floor?: true;
}

/** The reports of all rows: made here, or by shards, each of which runs a range of all models' tasks and ends. */
async function sharedReports(rows: readonly Row[], request: BenchmarkRequest): Promise<ModelReport[]> {
  const { sharing } = request;
  if (sharing?.kind === "merge") return mergedReports(rows, sharing.parts());
  const total = rows.reduce((sum, { tasks }) => sum + tasks.length, 0);
  const { from, to } = ownRange(total, sharing);
  const reports: (ModelReport | null)[] = [];
  let start = 0;
  for (const { model, tasks, missing, floor } of rows) {
    const own = tasks.filter((_, place) => start + place >= from && start + place < to);
    start += tasks.length;
    const named = sharing === undefined ? missing : [];
    reports.push(
      own.length === 0 ? null : { ...(await overSeeds(model, own, named, request)), ...(floor && { floor }) },
    );
  }
  if (sharing?.kind === "shard") sharing.end({ reports: new TextEncoder().encode(JSON.stringify(reports)) });
  return reports.filter((report) => report !== null);
}

async function mergedReports(rows: readonly Row[], parts: AsyncIterable<Kept>): Promise<ModelReport[]> {
  const found: ModelReport[][] = rows.map(() => []);
  for await (const { reports } of parts) {
    const ofPart: (ModelReport | null)[] = JSON.parse(Buffer.from(reports as Uint8Array).toString());
    ofPart.forEach((report, row) => report && found[row].push(report));
  }
  return found.map((reports, row) => {
    const [first, ...others] = reports;
    if (others.some(({ fingerprint }) => fingerprint !== first.fingerprint))
      throw new ShardError(
        `shards found ${first.model} different. Run all of them again with the same model.`,
      );
    return {
      ...first,
      results: reports.flatMap(({ results }) => results),
      skipped: [...rows[row].missing, ...reports.flatMap(({ skipped }) => skipped)],
      notes: reports.flatMap(({ notes }) => notes),
      misses: reports.flatMap(({ misses }) => misses),
    };
  });
}

/** The files that the tasks read, where they are. */
export async function benchmarkFiles(request: TaskRequest): Promise<string[]> {
  const files = selectTasks(request.tasks).map((task) => task.locate(request).catch(() => []));
  return (await Promise.all(files)).flat();
}

type TaskRequest = Pick<BenchmarkRequest, "tasks" | "dataFolder" | "dataset">;

/**
 * The tasks with data. With `all` the others are skipped; otherwise the first missing file is an error.
 * @throws UsageError, MissingDataError
 */
export async function locateTasks(request: TaskRequest) {
  const selected = selectTasks(request.tasks);
  await checkDataFolder(request.dataFolder);
  const tasks: Task[] = [];
  const skipped: SkippedTask[] = [];
  for (const task of selected) {
    try {
      await task.locate(request);
      tasks.push(task);
    } catch (error) {
      skipped.push({ task: task.name, reason: reasonToSkip(error, request) });
    }
  }
  if (tasks.length > 0) return { tasks, skipped };
  const reasons = skipped.map(({ reason }) => reason).join("\n");
  throw new MissingDataError(`no task's data is in ${request.dataFolder}:\n${reasons}`);
}

/** With `all`, missing or wrong data and a missing optional package are reasons to skip a task; else an error. */
function reasonToSkip(error: unknown, { tasks }: TaskRequest): string {
  const isReason = error instanceof MissingDataError || error instanceof TableError;
  if (isReason && tasks.includes("all")) return error.message;
  throw error;
}

/** The report of the first seed, with the mean and the standard deviation of each score over all seeds. */
async function overSeeds(...[model, tasks, missing, request]: Parameters<typeof reportOf>) {
  const { seed = 0, seeds = 1 } = request;
  const first = await reportOf(model, tasks, missing, request);
  const others: ModelReport[] = [];
  for (let run = 1; run < seeds; run++)
    others.push(await reportOf(model, tasks, missing, { ...request, seed: seed + run * seedStep }));
  if (others.length === 0) return first;
  const results = first.results.map((result, place) => {
    const scores = [result.score, ...others.map(({ results }) => results[place].score)];
    const details = { ...result.details, scores };
    return { ...result, score: mean(scores), deviation: deviation(scores), details };
  });
  return { ...first, seeds, results };
}

async function reportOf(
  named: string | undefined | PhraseModel,
  tasks: readonly Task[],
  missing: readonly SkippedTask[],
  request: BenchmarkRequest,
): Promise<ModelReport> {
  const { protocol = "fair", seed = 0, signal, dataFolder, dataset } = request;
  const model = typeof named === "object" ? named : await resolveModel(named, request);
  const { name, fingerprint } = model;
  const results: BenchmarkResult[] = [];
  const skipped: SkippedTask[] = [...missing];
  const notes: string[] = [];
  const misses: BenchmarkMiss[] = [];
  try {
    for (const { name: task, run } of tasks) {
      signal?.throwIfAborted();
      request.onTask?.(name, task);
      const running = run({
        ...{ model, protocol, seed, signal, dataFolder },
        dataset: tasksWithSets.includes(task) ? dataset : undefined,
        onProgress: (step, done, total) => request.onProgress?.(`${task}: ${step}`, done, total),
      });
      const outcome = await running.catch((error: unknown) => {
        return { scores: [], notApplicable: reasonToSkip(error, request) } as TaskOutcome;
      });
      for (const score of outcome.scores) {
        checkRange(score, `${name} on ${task}`);
        results.push({ task, ...score });
      }
      if (outcome.notApplicable) skipped.push({ task, reason: outcome.notApplicable });
      notes.push(...(outcome.notes ?? []));
      misses.push(...(outcome.misses ?? []).map((miss) => ({ task, ...miss })));
    }
  } finally {
    if (typeof named !== "object") await model.dispose?.();
  }
  const head = { pearl: packageVersion(), model: name, fingerprint, protocol, seed };
  return { ...head, results, skipped, notes, misses };
}

/** Throws for a score outside its range, which is never a result. */
function checkRange({ dataset, metric, score }: Score, place: string): void {
  const lowest = /^(pearson|spearman)\b/.test(metric) ? -1 : 0;
  if (score >= lowest && score <= 1 + 1e-9) return;
  throw new PearlError(`${place} (${dataset}): ${metric} is ${score}, outside its range`);
}
