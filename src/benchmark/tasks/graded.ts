/** Tasks of pairs that people graded: BIRD, and semantic textual similarity. */
import { groupBy } from "../../by-key.js";
import { TableError } from "../../errors.js";
import { readWholeTable, type WholeTable } from "../../table/whole-table.js";
import { readLines } from "../data-folder.js";
import { pearson, spearman } from "../metrics.js";
import { pairSimilarities } from "../models.js";
import { fileTask } from "../task.js";

/**
 * BIRD: relatedness of 3,345 pairs of bigrams and words, rated by people (Asaadi, Mohammad and Kiritchenko 2019).
 *
 * - published: Pearson's r of (cosine + 1) / 2 with the rating (equal to Pearson's r of the cosine; the
 *   reference calls it Spearman's).
 * - fair: Pearson's r and Spearman's rho.
 * String methods have no cosine: their similarity is used instead.
 */
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

const isNumber = (cell: string): boolean => cell.trim() !== "" && Number.isFinite(Number(cell));

/** Tab-separated with a header: the pair, term1, term2, ..., the relatedness, the parts of speech. */
export function parseBird(lines: readonly string[], path: string) {
  const pairs = lines.slice(1).map((line, index) => {
    const cells = line.trimEnd().split("\t");
    const judged = cells.at(-2) ?? "";
    if (cells.length >= 5 && isNumber(judged))
      return { left: cells[1], right: cells[2], judged: Number(judged) };
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

const mostSplits = 10;

/**
 * Semantic textual similarity: does the cosine of two texts rank pairs as people did?
 *
 * Any table of two texts and a score: a column `score`, or the first whose cells are all numbers. The texts are the columns
 * `sentence1` and `sentence2`, `text1` and `text2`, `left` and `right`, or the two that are left over; a column `split`, or
 * the one of fewest words among three, divides the pairs. Spearman's rho of all pairs and of each split. Both protocols are the same; string methods give their similarity.
 */
export const sts = fileTask({
  name: "sts",
  metric: "spearman",
  files: [
    {
      what: "the table of pairs",
      names: ["sts/sts", "sts"].flatMap((name) =>
        ["tsv", "csv", "jsonl", "parquet"].map((end) => `${name}.${end}`),
      ),
    },
  ],
  read: async ([path]) => pairsOf(await readWholeTable(path, { column: "1", quote: quoteOf(path) }), path),
  async measure({ left, right, texts, scores, splits }, context) {
    const details = { texts };
    const similarities = await pairSimilarities(left, right, context);
    const rows = [...left.keys()];
    const of = (metric: string, chosen: readonly number[]) => {
      const [found, judged] = [similarities, scores].map((values) =>
        Float64Array.from(chosen, (row) => values[row]),
      );
      return { metric, score: spearman(found, judged), n: chosen.length, details };
    };
    const bySplit = splits ? [...groupBy(rows, (row) => splits[row])] : [];
    const isRanked = (chosen: readonly number[]) => new Set(chosen.map((row) => scores[row])).size > 1;
    const ranked = bySplit.filter(([, chosen]) => isRanked(chosen));
    const notes = bySplit
      .filter(([, chosen]) => !isRanked(chosen))
      .map(
        ([split]) => `sts: all pairs of the split ${split} have one score, so that there is no correlation`,
      );
    const ofSplits = ranked.map(([split, chosen]) => of(`spearman, ${split}`, chosen));
    return { scores: [of("spearman", rows), ...ofSplits], notes };
  },
});

/** Sentences have quotes of their own, which tab-separated sets leave as they are. */
const quoteOf = (path: string) => (path.endsWith(".tsv") ? "none" : "double");

/** The columns of the table by their role. @throws TableError where a role is not filled */
export function pairsOf({ description, columns }: Pick<WholeTable, "description" | "columns">, path: string) {
  const names = description.columns;
  const score =
    names.find((name) => name.trim().toLowerCase() === "score") ??
    names.find((name) => columns[name].every(isNumber));
  const others = names.filter((name) => name !== score);
  if (score === undefined || others.length < 2 || description.rowCount < 2)
    throw new TableError(
      `${path}: expected at least two pairs in two columns of texts and one of scores, found ${names.join(", ")}. ` +
        "Add what is missing; each score must be a number.",
    );
  const wrong = columns[score].findIndex((cell) => !isNumber(cell));
  if (wrong >= 0)
    throw new TableError(`${path}, row ${wrong + 1}: the score "${columns[score][wrong]}" is not a number.`);
  const { texts, split } = rolesOf(others, columns, path);
  return {
    ...{ left: columns[texts[0]], right: columns[texts[1]], texts },
    scores: columns[score].map(Number),
    splits: split === undefined ? undefined : columns[split],
  };
}

const textNames = [
  ["sentence1", "sentence2"],
  ["text1", "text2"],
  ["left", "right"],
];

/** Which columns besides the score are the texts, and which one divides the pairs. */
function rolesOf(names: readonly string[], columns: WholeTable["columns"], path: string) {
  const called = (wanted: string) => names.find((name) => name.trim().toLowerCase() === wanted);
  const named = textNames.map((pair) => pair.map(called)).find((pair) => !pair.includes(undefined));
  const split = called("split");
  if (named !== undefined) return { texts: named as string[], split };
  const open = names.filter((name) => name !== split);
  if (open.length === 2) return { texts: open, split };
  if (open.length === 3 && split === undefined) {
    const kinds = (name: string) => new Set(columns[name]).size;
    // of equal ones the last, as in tables without a header
    const fewest = open.reduce((best, name) => (kinds(name) <= kinds(best) ? name : best));
    if (kinds(fewest) <= mostSplits) return { texts: open.filter((name) => name !== fewest), split: fewest };
  }
  throw new TableError(
    `${path}: which of the columns ${open.join(", ")} are the two texts? Call them sentence1 and sentence2.`,
  );
}
