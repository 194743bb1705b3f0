/** The interface of a task: a protocol as code that scores one model. */
import { UsageError } from "../errors.js";
import { mean } from "../statistics.js";
import { nearestName } from "../table/columns.js";
import { findFile, shownPath, type WantedFile } from "./data-folder.js";
import type { PhraseModel } from "./models.js";

/** `fair`: with corrected quirks, for our own claims. `published`: as the code of the paper computes it. */
export type Protocol = "fair" | "published";

export interface TaskContext {
  readonly model: PhraseModel;
  readonly protocol: Protocol;
  readonly dataFolder: string;
  /** One of the sets of a task (autofj, er). Default: all. */
  readonly dataset?: string;
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Called several times a second with the current step, what is done and the total. */
  readonly onProgress?: (step: string, done: number, total: number) => void;
}

export interface Score {
  /** The set or file: "Drug", "macro average of 30 sets", "dev.json". */
  readonly dataset: string;
  readonly metric: string;
  /** A fraction from 0 to 1 (a correlation: from -1 to 1). */
  readonly score: number;
  readonly n: number;
  /** Wall-clock time of embedding and scoring; reading files is not counted. */
  readonly seconds: number;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The result of a task: scores, or why the model cannot be scored, and notes that must be shown. */
export interface TaskOutcome {
  readonly scores: readonly Score[];
  /** Why there is no score under this protocol or for this kind of model. */
  readonly notApplicable?: string;
  readonly notes?: readonly string[];
  readonly misses?: readonly Miss[];
}

export interface Miss {
  /** The set or file of the query. */
  readonly dataset: string;
  readonly query: string;
  readonly expected: string;
  readonly chosen: string;
  /** Similarity of the query to the right answer; null if it was not among the candidates. */
  readonly expectedScore: number | null;
  readonly chosenScore: number;
}

/** A task: its name on the command line, and its protocol as code. */
export interface Task {
  readonly name: string;
  /** The main metric, used in summaries. */
  readonly metric: string;
  /**
   * Finds the files and folders that the task reads, before any task starts.
   * @throws MissingDataError with the missing file and where to get it; UsageError for an unknown set
   */
  locate(context: Pick<TaskContext, "dataFolder" | "dataset">): Promise<readonly string[]>;
  run(context: TaskContext): Promise<TaskOutcome>;
}

interface FileTask<Data> extends Pick<Task, "name" | "metric"> {
  readonly files: readonly WantedFile[];
  read(paths: readonly string[]): Promise<Data>;
  measure(data: Data, context: TaskContext): Promise<FileOutcome>;
}

/** An outcome before its scores and misses name the file; `seconds` defaults to the time of the measurement. */
interface FileOutcome extends Pick<TaskOutcome, "notApplicable" | "notes"> {
  readonly scores?: readonly (Pick<Score, "metric" | "score" | "n"> &
    Partial<Pick<Score, "seconds" | "details">>)[];
  readonly misses?: readonly Omit<Miss, "dataset">[];
}

/** Finds and reads a task's files, times the measurement and names the first file in each score and miss. */
export function fileTask<Data>({ name, metric, files, read, measure }: FileTask<Data>): Task {
  const locate: Task["locate"] = async ({ dataFolder }) => {
    const paths: string[] = [];
    for (const wanted of files) paths.push(await findFile(dataFolder, name, wanted));
    return paths;
  };
  return {
    name,
    metric,
    locate,
    async run(context) {
      const paths = await locate(context);
      const data = await read(paths);
      const dataset = shownPath(context.dataFolder, paths[0]);
      const started = performance.now();
      const { scores = [], misses = [], ...rest } = await measure(data, context);
      const total = secondsSince(started);
      return {
        ...rest,
        scores: scores.map(({ metric, score, n, seconds = total, details }) => {
          return { dataset, metric, score, n, seconds, details: { file: dataset, ...details } };
        }),
        misses: misses.map((miss) => ({ dataset, ...miss })),
      };
    },
  };
}

export const secondsSince = (started: number): number => (performance.now() - started) / 1000;

/** The macro mean of some sets: each counts the same, however many rows it has. */
export function macroScore(metric: string, sets: readonly Omit<Score, "details">[], details = {}): Score {
  const sum = (of: "n" | "seconds") => sets.reduce((total, set) => total + set[of], 0);
  return {
    dataset: `macro mean of ${sets.length} sets`,
    ...{ metric, score: mean(sets.map(({ score }) => score)), n: sum("n"), seconds: sum("seconds") },
    details: { sets: sets.length, ...details },
  };
}

/** "WHAT "TYPED". Did you mean NEAREST? HINT" */
export function unknownName(
  what: string,
  typed: string,
  { known, hint }: { readonly known: readonly string[]; readonly hint: string },
): UsageError {
  const near = nearestName(known, typed);
  return new UsageError(`${what} "${typed}".${near ? ` Did you mean ${near}?` : ""} ${hint}`);
}
