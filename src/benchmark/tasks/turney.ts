/**
 * Turney: which of five phrases means the same as a bigram (Turney 2012).
 *
 * A line has eight fields: the bigram, the answer, its two words (left out by the reference), four distractors.
 * - published: raw inner product; argmax takes the first maximum, and the answer is always first, so that ties
 *   count as hits (in the reference a NaN does too; here it is an error).
 * - fair: cosine; an answer that ties with others at the top counts 1/k.
 * String methods have no inner product: their similarity is used instead.
 */
import { TableError } from "../../errors.js";
import { dotRows, unitRows } from "../../search/vectors.js";
import { mean } from "../../statistics.js";
import { readLines } from "../data-folder.js";
import { embedPhrases } from "../models.js";
import { type Judged, tieTolerance, worstMisses } from "../rank.js";
import { fileTask, type Protocol, type TaskContext } from "../task.js";

/** A question: the bigram, then the answer and the four distractors. */
type TurneyRow = readonly [query: string, ...choices: string[]];

const choices = 5;

export const turney = fileTask({
  name: "turney",
  metric: "accuracy",
  files: [{ what: "the questions", names: ["turney/turney.txt", "turney.txt"] }],
  read: async ([path]) => parseTurney(await readLines(path), path),
  async measure(rows, context) {
    const scores = await choiceScores(rows, context);
    const scoresOf = (row: number): Float64Array => scores.subarray(row * choices, (row + 1) * choices);
    const hits = rows.map((_, row) => hitOf(scoresOf(row), context.protocol));
    const tiedRows = hits.filter((hit) => hit > 0 && hit < 1).length;
    const details = context.protocol === "fair" ? { tiedRows } : {};
    return {
      scores: [{ metric: "accuracy", score: mean(hits), n: rows.length, details }],
      misses: worstMisses(rows.map((row, index) => judgedOf(row, scoresOf(index), hits[index]))),
    };
  },
});

/** The credit for one question, from the scores of its choices; the answer is the first. */
export function hitOf(scores: Float64Array, protocol: Protocol): number {
  const best = Math.max(...scores);
  if (protocol === "published") return scores.indexOf(best) === 0 ? 1 : 0;
  if (scores[0] < best - tieTolerance) return 0;
  return 1 / scores.filter((score) => score >= best - tieTolerance).length;
}

function judgedOf([query, ...phrases]: TurneyRow, scores: Float64Array, credit: number): Judged {
  const best = scores.reduce((place, score, index) => (score > scores[place] ? index : place), 0);
  const [expected, chosen] = [phrases[0], phrases[best]];
  return { query, expected, chosen, credit, chosenScore: scores[best], expectedScore: scores[0] };
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
        `${path}, line ${index + 1}: expected 8 fields separated by " | ", found ${fields.length}.`,
      );
    }
    return [fields[0], fields[1], ...fields.slice(4)] as TurneyRow;
  });
}
