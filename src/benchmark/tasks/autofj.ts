/**
 * AutoFJ: fuzzy joins of 50 pairs of tables (Li et al., "Auto-FuzzyJoin", SIGMOD 2021), as PEARL uses them.
 *
 * Both protocols: each right title that has a ground truth is compared with every left title of its set by
 * cosine (or the string measure); the score is the share whose best left title equals the true one, and the
 * macro mean over the sets.
 * - published: the first of equal best titles counts (argmax); right rows without ground truth are skipped.
 * - fair: a tie of k best titles counts 1/k for each right one among them. Beside it recall at a precision of
 *   0.9, which counts every right row: those without a match can only be joined wrongly.
 */
import { join } from "node:path";
import { UsageError } from "../../errors.js";
import { readColumns } from "../../table/table.js";
import { foldersWith, missing } from "../data-folder.js";
import { joinAtPrecision } from "../metrics/join-at-precision.js";
import { worstMisses } from "../misses.js";
import { type RankedAnswer, rankAnswers } from "../rank.js";
import { closestName } from "../suggest.js";
import type { Miss, Score, Task, TaskContext } from "../task.js";

/** One pair of tables. */
export interface JoinSet {
  readonly name: string;
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** Right title to its left title; where the ground truth lists one twice, the last entry counts. */
  readonly truth: ReadonlyMap<string, string>;
}

/** The precision at which recall is reported. */
const targetPrecision = 0.9;

export const autofj: Task = {
  name: "autofj",
  metric: "accuracy",
  locate: setNames,
  async run(context) {
    const names = await setNames(context);
    const scores: Score[] = [];
    const misses: Miss[] = [];
    for (const name of names) {
      context.signal?.throwIfAborted();
      context.onProgress?.({ label: name, done: scores.length, total: names.length });
      const set = await readJoinSet(join(context.dataFolder, "autofj"), name);
      const { score, misses: missed } = await scoreSet(set, context);
      scores.push(score);
      misses.push(...missed);
    }
    return { scores: names.length > 1 ? [...macroScores(scores, context), ...scores] : scores, misses };
  },
};

/** The sets in the data folder, or the one asked for. */
async function setNames({
  dataFolder,
  dataset,
}: Pick<TaskContext, "dataFolder" | "dataset">): Promise<string[]> {
  const folder = join(dataFolder, "autofj");
  const names = await foldersWith(folder, ["left.csv", "right.csv", "gt.csv"]);
  if (names.length === 0) {
    const files = ["left.csv", "right.csv", "gt.csv"].map((file) => join(folder, "<set>", file));
    throw missing("autofj", "no set of tables", files);
  }
  if (dataset === undefined) return names;
  if (names.includes(dataset)) return [dataset];
  const near = closestName(dataset, names);
  throw new UsageError(
    `autofj has no set "${dataset}" in ${folder}.${near ? ` Did you mean ${near}?` : ""} ` +
      `The sets there: ${names.join(", ")}`,
  );
}

/** Reads a set's three tables. */
export async function readJoinSet(folder: string, name: string): Promise<JoinSet> {
  const columns = (file: string, names: string[]): Promise<string[][]> =>
    readColumns(join(folder, name, file), names, { format: "csv", delimiter: ",", header: "present" });
  const [[left], [right], [trueLeft, trueRight]] = await Promise.all([
    columns("left.csv", ["title"]),
    columns("right.csv", ["title"]),
    columns("gt.csv", ["title_l", "title_r"]),
  ]);
  return { name, left, right, truth: new Map(trueRight.map((title, row) => [title, trueLeft[row]])) };
}

async function scoreSet(set: JoinSet, context: TaskContext): Promise<{ score: Score; misses: Miss[] }> {
  const started = performance.now();
  const { onProgress: _, ...quiet } = context; // the sets are the progress
  const rowsOf = new Map<string, number[]>();
  set.left.forEach((title, row) => {
    rowsOf.set(title, [...(rowsOf.get(title) ?? []), row]);
  });
  const trueTitles = set.right.map((title) => set.truth.get(title));
  const answers = trueTitles.map((title) => (title === undefined ? [] : (rowsOf.get(title) ?? [])));
  const ranked = await rankAnswers({ queries: set.right, candidates: set.left, answers }, quiet);
  const seconds = (performance.now() - started) / 1000;
  const credits = ranked.map((answer, row) => {
    if (context.protocol === "fair") return answer.credit;
    return set.left[answer.best] === trueTitles[row] ? 1 : 0;
  });
  const judged = trueTitles.flatMap((title, row) => (title === undefined ? [] : [row]));
  const score = judged.reduce((sum, row) => sum + credits[row], 0) / judged.length;
  const misses = worstMisses(
    judged.map((row) => ({
      ranked: ranked[row],
      credit: credits[row],
      ...{ dataset: set.name, query: set.right[row], expected: trueTitles[row] ?? "" },
      chosen: set.left[ranked[row].best],
    })),
  );
  const measured: Score = {
    dataset: set.name,
    metric: "accuracy",
    score,
    n: judged.length,
    seconds,
    details: {
      left: set.left.length,
      right: set.right.length,
      withoutMatch: set.right.length - judged.length,
      tiedRows: judged.filter((row) => ranked[row].above === 0 && ranked[row].tied > 0).length,
      ...(context.protocol === "fair" && { joinAtPrecision: joinOf(ranked, credits, judged.length) }),
    },
  };
  return { score: measured, misses };
}

function joinOf(ranked: readonly RankedAnswer[], credits: readonly number[], matches: number) {
  return joinAtPrecision(
    ranked.map(({ bestScore }, row) => ({ score: bestScore, credit: credits[row] })),
    { matches, targetPrecision },
  );
}

/** The macro means: every set counts the same, however many rows it has. */
function macroScores(scores: readonly Score[], { protocol }: TaskContext): Score[] {
  const dataset = `macro mean of ${scores.length} sets`;
  const n = scores.reduce((sum, score) => sum + score.n, 0);
  const seconds = scores.reduce((sum, score) => sum + score.seconds, 0);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const sets = scores.length;
  const accuracy = {
    dataset,
    metric: "accuracy",
    score: mean(scores.map(({ score }) => score)),
    n,
    seconds,
    details: { sets },
  };
  if (protocol === "published") return [accuracy];
  const joins = scores.map(({ details }) => details.joinAtPrecision as ReturnType<typeof joinAtPrecision>);
  const reached = joins.filter((join) => join.reached);
  const recall = {
    dataset,
    metric: `recall at precision ${targetPrecision}`,
    score: mean(joins.map((join) => join.recall)),
    n: scores.reduce((sum, { details }) => sum + (details.right as number), 0),
    seconds,
    details: {
      sets,
      targetPrecision,
      setsThatReachIt: reached.length,
      meanPrecisionWhereReached: reached.length > 0 ? mean(reached.map((join) => join.precision)) : null,
      threshold: "best per set, chosen with the labels: an upper bound for methods without them",
    },
  };
  return [accuracy, recall];
}
