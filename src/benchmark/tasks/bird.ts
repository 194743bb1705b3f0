/**
 * BIRD: relatedness of 3,345 pairs of bigrams and words, rated by people (Asaadi, Mohammad and Kiritchenko 2019).
 *
 * - published: Pearson's r of (cosine + 1) / 2 with the rating (equal to Pearson's r of the cosine; the
 *   reference calls it Spearman's).
 * - fair: Pearson's r and Spearman's rho.
 * String methods have no cosine: their similarity is used instead.
 */
import { TableError } from "../../errors.js";
import { readLines } from "../data-folder.js";
import { pearson, spearman } from "../metrics/correlation.js";
import { pairSimilarities } from "../model.js";
import { fileTask } from "../task.js";

export const bird = fileTask({
  name: "bird",
  metric: "pearson",
  files: [{ what: "the pairs", names: ["bird/bird.txt", "bird.txt"] }],
  read: async ([path]) => parseBird(await readLines(path), path),
  async measure({ left, right, judged }, context) {
    const similarities = await pairSimilarities(left, right, context);
    const n = left.length;
    const scores = [{ metric: "pearson", score: pearson(similarities, judged), n }];
    if (context.protocol === "published") return { scores };
    return { scores: [...scores, { metric: "spearman", score: spearman(similarities, judged), n }] };
  },
});

/** Tab-separated with a header: the pair, term1, term2, ..., the relatedness, the parts of speech. */
export function parseBird(lines: readonly string[], path: string) {
  const pairs = lines.slice(1).map((line, index) => {
    const cells = line.trimEnd().split("\t");
    const judged = Number(cells.at(-2));
    if (cells.length >= 5 && Number.isFinite(judged)) return { left: cells[1], right: cells[2], judged };
    throw new TableError(
      `${path}, line ${index + 2}: expected tab-separated columns with two terms in the second and third ` +
        "and the relatedness in the last but one.",
    );
  });
  if (pairs.length < 2)
    throw new TableError(`${path}: a correlation needs at least two pairs, found ${pairs.length}.`);
  return {
    left: pairs.map(({ left }) => left),
    right: pairs.map(({ right }) => right),
    judged: pairs.map(({ judged }) => judged),
  };
}
