/**
 * Turney: which of five phrases means the same as a bigram (Turney 2012).
 *
 * A line has eight fields: the bigram, the answer, its two words (left out by the reference), four distractors.
 * - published: raw inner product; argmax takes the first maximum, and the answer is always first, so that ties
 *   count as hits (with a NaN the reference would, too; here a NaN is an error).
 * - fair: cosine; an answer that ties with others at the top counts 1/k.
 * String methods have no inner product: their similarity stands in for it.
 */
import { TableError } from "../../errors.js";
import { dotRows, unitRows } from "../../search/vectors.js";
import { findFile, readLines, shownPath } from "../data-folder.js";
import { embedPhrases } from "../embed.js";
import { type Judged, worstMisses } from "../misses.js";
import { tieTolerance } from "../rank.js";
import type { Protocol, Task, TaskContext } from "../task.js";

/** A question: the bigram, then the answer and the four distractors. */
export type TurneyRow = readonly [query: string, ...choices: string[]];

const choices = 5;

export const turney: Task = {
  name: "turney",
  metric: "accuracy",
  locate: async ({ dataFolder }) => [await questionFile(dataFolder)],
  async run(context) {
    const path = await questionFile(context.dataFolder);
    const rows = parseTurney(await readLines(path), path);
    const started = performance.now();
    const scores = await choiceScores(rows, context);
    const scoresOf = (row: number): Float64Array => scores.subarray(row * choices, (row + 1) * choices);
    const hits = rows.map((_, row) => hitOf(scoresOf(row), context.protocol));
    const seconds = (performance.now() - started) / 1000;
    const file = shownPath(context.dataFolder, path);
    const score = hits.reduce((sum, hit) => sum + hit, 0) / hits.length;
    const tied = hits.filter((hit) => hit > 0 && hit < 1).length;
    const details = { file, ...(context.protocol === "fair" && { tiedRows: tied }) };
    const misses = worstMisses(rows.map((row, index) => judgedOf(row, scoresOf(index), hits[index], file)));
    return {
      scores: [{ dataset: file, metric: "accuracy", score, n: rows.length, seconds, details }],
      misses,
    };
  },
};

const questionFile = (dataFolder: string): Promise<string> =>
  findFile(dataFolder, "turney", { what: "the questions", names: ["turney/turney.txt", "turney.txt"] });

/** What one question is worth, from the scores of its choices; the answer is the first. */
export function hitOf(scores: Float64Array, protocol: Protocol): number {
  const best = Math.max(...scores);
  if (protocol === "published") return scores.indexOf(best) === 0 ? 1 : 0;
  if (scores[0] < best - tieTolerance) return 0;
  return 1 / scores.filter((score) => score >= best - tieTolerance).length;
}

function judgedOf(
  [query, ...phrases]: TurneyRow,
  scores: Float64Array,
  credit: number,
  dataset: string,
): Judged {
  const best = scores.reduce((place, score, index) => (score > scores[place] ? index : place), 0);
  const ranked = { bestScore: scores[best], answerScore: scores[0], hasAnswer: true };
  return { ranked, credit, dataset, query, expected: phrases[0], chosen: phrases[best] };
}

/** Scores of the five choices of each row: [rows, 5]. */
async function choiceScores(rows: readonly TurneyRow[], context: TaskContext): Promise<Float64Array> {
  const { model, protocol } = context;
  const phrases = rows.flat();
  const width = choices + 1;
  if (model.kind === "similarity") {
    const fitted = model.fit([...new Set(phrases)], []);
    return Float64Array.from(rows.flatMap(([query, ...others]) => others.map((o) => fitted.pair(query, o))));
  }
  const { dimension } = model;
  const raw = await embedPhrases(model, phrases, context);
  const vectors = protocol === "fair" ? unitRows(raw, dimension) : raw;
  return Float64Array.from({ length: rows.length * choices }, (_, index) => {
    const query = Math.floor(index / choices) * width;
    return dotRows(vectors, query, vectors, query + 1 + (index % choices), dimension);
  });
}

/** Eight fields a line, separated by ` | `. */
export function parseTurney(lines: readonly string[], path: string): TurneyRow[] {
  return lines.map((line, index) => {
    const fields = line.split(" | ");
    if (fields.length !== 8) {
      throw new TableError(
        `${path} line ${index + 1}: expected 8 fields separated by " | ", found ${fields.length}`,
      );
    }
    return [fields[0], fields[1], ...fields.slice(4)] as TurneyRow;
  });
}
