/**
 * AutoFJ: fuzzy joins of 50 pairs of tables (Li et al., "Auto-FuzzyJoin", SIGMOD 2021), as PEARL uses them.
 *
 * Both protocols: each right title that has a ground truth is compared with every left title of its set by
 * cosine (or the string measure); the score is the fraction whose best left title equals the true one, and the
 * macro mean over the sets.
 * - published: the first of equal best titles counts (argmax); right rows without ground truth are skipped.
 * - fair: a tie of k best titles counts 1/k for each right one among them. Also recall at a precision of 0.9,
 *   which counts every right row: those without a match can only be joined wrongly.
 */
import { join } from "node:path";
import { mean } from "../../statistics.js";
import { readColumns } from "../../table/whole-table.js";
import { autofjFiles, foldersWith, missing } from "../data-folder.js";
import { type JoinAtPrecision, joinAtPrecision } from "../metrics.js";
import { rankAnswers, worstMisses } from "../rank.js";
import type { Miss, Score, Task, TaskContext } from "../task.js";
import { macroScore, secondsSince, unknownName } from "../task.js";

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
      context.onProgress?.(name, scores.length, names.length);
      const { score, misses: missed } = await scoreSet(name, context);
      scores.push(score);
      misses.push(...missed);
    }
    return { scores: names.length > 1 ? [...macroScores(scores, context), ...scores] : scores, misses };
  },
};

async function setNames({ dataFolder, dataset }: Pick<TaskContext, "dataFolder" | "dataset">) {
  const folder = join(dataFolder, "autofj");
  const names = await foldersWith(folder, autofjFiles);
  if (names.length === 0) {
    const tried = autofjFiles.map((file) => join(folder, "<set>", file));
    throw missing("autofj", "a set of tables", tried);
  }
  if (dataset === undefined) return names;
  if (names.includes(dataset)) return [dataset];
  throw unknownName("autofj has no set", dataset, {
    known: names,
    hint: `The sets in ${folder}: ${names.join(", ")}`,
  });
}

/** Reads a set's three tables; where the ground truth lists a right title twice, the last entry counts. */
export async function readJoinSet(folder: string, name: string) {
  const columns = (file: string, names: string[]): Promise<string[][]> =>
    readColumns(join(folder, name, file), names, { format: "csv", delimiter: ",", header: "present" });
  const [[left], [right], [trueLeft, trueRight]] = await Promise.all([
    columns("left.csv", ["title"]),
    columns("right.csv", ["title"]),
    columns("gt.csv", ["title_l", "title_r"]),
  ]);
  return { left, right, truth: new Map(trueRight.map((title, row) => [title, trueLeft[row]])) };
}

async function scoreSet(dataset: string, context: TaskContext): Promise<{ score: Score; misses: Miss[] }> {
  const { left, right, truth } = await readJoinSet(join(context.dataFolder, "autofj"), dataset);
  const started = performance.now();
  const { onProgress: _, ...quiet } = context; // the sets are the progress
  const expected = right.map((title) => truth.get(title));
  const ranked = await rankAnswers({ queries: right, candidates: left, expected }, quiet);
  const seconds = secondsSince(started);
  const isFair = context.protocol === "fair";
  const rows = isFair
    ? ranked
    : ranked.map((row) => ({ ...row, credit: Number(row.chosen === row.expected) }));
  const judged = rows.filter((row) => row.expected !== undefined);
  const details = {
    left: left.length,
    right: right.length,
    withoutMatch: right.length - judged.length,
    tiedRows: judged.filter(({ above, tied }) => above === 0 && tied > 0).length,
    ...(isFair && {
      joinAtPrecision: joinAtPrecision(
        rows.map(({ chosenScore, credit }) => ({ score: chosenScore, credit })),
        { matches: judged.length, targetPrecision },
      ),
    }),
  };
  const score = mean(judged.map(({ credit }) => credit));
  return {
    score: { dataset, metric: "accuracy", score, n: judged.length, seconds, details },
    misses: worstMisses(judged).map((miss) => ({ dataset, ...miss })),
  };
}

function macroScores(scores: readonly Score[], { protocol }: TaskContext): Score[] {
  const accuracy = macroScore("accuracy", scores);
  if (protocol === "published") return [accuracy];
  const joins = scores.map(({ details }) => details.joinAtPrecision as JoinAtPrecision);
  const reached = joins.filter((join) => join.reached);
  const recalls = scores.map((score, set) => {
    return { ...score, score: joins[set].recall, n: score.details.right as number };
  });
  const recall = macroScore(`recall at precision ${targetPrecision}`, recalls, {
    targetPrecision,
    setsThatReachIt: reached.length,
    meanPrecisionWhereReached: reached.length > 0 ? mean(reached.map((join) => join.precision)) : null,
    threshold: "best per set, chosen with the labels: an upper bound for methods without them",
  });
  return [accuracy, recall];
}
