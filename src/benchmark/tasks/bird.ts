/**
 * BIRD: relatedness of 3,345 pairs of bigrams and words, judged by people (Asaadi, Mohammad and Kiritchenko 2019).
 *
 * - published: Pearson's r of (cosine + 1) / 2 with the judgement (which is Pearson's r of the cosine; the
 *   reference prints it under the name of Spearman's).
 * - fair: Pearson's r and Spearman's rho.
 * String methods have no cosine: their similarity stands in for it.
 */
import { TableError } from "../../errors.js";
import { findFile, readLines, shownPath } from "../data-folder.js";
import { pearson, spearman } from "../metrics/correlation.js";
import type { Task } from "../task.js";
import { pairSimilarities } from "./pair-similarity.js";

export const bird: Task = {
  name: "bird",
  metric: "pearson",
  locate: async ({ dataFolder }) => [await pairFile(dataFolder)],
  async run(context) {
    const path = await pairFile(context.dataFolder);
    const { left, right, judged } = parseBird(await readLines(path), path);
    const started = performance.now();
    const similarities = await pairSimilarities(left, right, context);
    const seconds = (performance.now() - started) / 1000;
    const file = shownPath(context.dataFolder, path);
    const row = { dataset: file, n: left.length, seconds, details: { file } };
    const scores = [{ ...row, metric: "pearson", score: pearson(similarities, judged) }];
    if (context.protocol === "fair") {
      scores.push({ ...row, metric: "spearman", score: spearman(similarities, judged) });
    }
    return { scores };
  },
};

const pairFile = (dataFolder: string): Promise<string> =>
  findFile(dataFolder, "bird", { what: "the pairs", names: ["bird/bird.txt", "bird.txt"] });

/** Tab separated with a header: the pair, term1, term2, ..., the relatedness, the parts of speech. */
export function parseBird(lines: readonly string[], path: string) {
  const left: string[] = [];
  const right: string[] = [];
  const judged: number[] = [];
  lines.slice(1).forEach((line, index) => {
    const cells = line.trimEnd().split("\t");
    const relatedness = Number(cells.at(-2));
    if (cells.length < 5 || !Number.isFinite(relatedness)) {
      throw new TableError(
        `${path} line ${index + 2}: expected tab-separated columns with two terms in the second and third ` +
          "and the relatedness in the last but one",
      );
    }
    left.push(cells[1]);
    right.push(cells[2]);
    judged.push(relatedness);
  });
  if (left.length < 2)
    throw new TableError(`${path}: a correlation needs at least two pairs, found ${left.length}`);
  return { left, right, judged };
}
