/** What a task of the benchmark is: a protocol in code, run on one model, giving scores. */
import type { PhraseModel } from "./model.js";

/** `fair`: the quirks mended, for our own claims. `published`: as the paper's code computes it. */
export type Protocol = "fair" | "published";

/** Both protocols, the default first. */
export const protocols: readonly Protocol[] = ["fair", "published"];

/** What a task gets to run. */
export interface TaskContext {
  readonly model: PhraseModel;
  readonly protocol: Protocol;
  readonly dataFolder: string;
  /** One data set of those a task has (AutoFJ); all where absent. */
  readonly dataset?: string;
  readonly seed: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: TaskProgress) => void;
}

/** How far a task is; `label` says at what. */
export interface TaskProgress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** One number with what it was measured on. */
export interface Score {
  /** The set or file: "Drug", "macro average of 30 sets", "dev.json". */
  readonly dataset: string;
  readonly metric: string;
  /** A fraction from 0 to 1 (a correlation: from -1 to 1). */
  readonly score: number;
  /** How many rows the score is over. */
  readonly n: number;
  /** Wall-clock time of embedding and scoring; reading files is not counted. */
  readonly seconds: number;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What a task gives back: scores, or why it cannot be run on this model, and remarks that must be shown. */
export interface TaskOutcome {
  readonly scores: readonly Score[];
  /** Why there is no score under this protocol or for this kind of model. */
  readonly notApplicable?: string;
  readonly notes?: readonly string[];
  /** Queries whose answer was not chosen, the worst first, some of each set. */
  readonly misses?: readonly Miss[];
}

/** A query that got a wrong answer. */
export interface Miss {
  /** The set or file that the query is of. */
  readonly dataset: string;
  readonly query: string;
  /** What is right. */
  readonly expected: string;
  /** What the model took for it. */
  readonly chosen: string;
  /** Similarity of the query with what is right; null where what is right was not among the candidates. */
  readonly expectedScore: number | null;
  /** Similarity of the query with what was chosen. */
  readonly chosenScore: number;
}

/** A task: its name on the command line, and its protocol as code. */
export interface Task {
  readonly name: string;
  /** The metric that stands for the task in summaries. */
  readonly metric: string;
  /**
   * The files and folders it will read, without reading them: asked before any task starts.
   * @throws MissingDataError saying what to get and where to put it; UsageError for an unknown data set.
   */
  locate(context: Pick<TaskContext, "dataFolder" | "dataset">): Promise<readonly string[]>;
  run(context: TaskContext): Promise<TaskOutcome>;
}
