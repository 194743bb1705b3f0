/**
 * The untrained floor for matching rows: of each row the nearest other row by TF-IDF (3-grams, words and initials of the
 * whole row as one text), accepted above a threshold. The threshold is the one of the best F1 on the set itself, which no
 * user could know: an upper bound.
 */
import { indexTerms, termRows } from "../../match/candidates/grams.js";
import { TermSearch } from "../../match/candidates/term-search.js";
import type { TableColumns } from "../../match/columns/align.js";
import { foldPhrase } from "../../match/evidence/phrase.js";
import { groupBy } from "../../match/group-by.js";

const postings = 20_000;

/**
 * The pairs above the best threshold, as left row × width + right row; of one table (`right` undefined) with the smaller
 * row first.
 */
export function nearestRows(left: TableColumns, right: TableColumns | undefined, gold: ReadonlySet<number>) {
  const texts = rowTexts(left);
  const others = right && rowTexts(right);
  const terms = termRows(texts, others ?? []);
  const search = new TermSearch(indexTerms(terms.left, terms.statistics.documents.length), terms.left);
  const width = (others ?? texts).length;
  const scores = new Map<number, number>();
  for (let row = 0; row < width; row++) {
    const accept = others === undefined ? (other: number): boolean => other !== row : undefined;
    const queries = others === undefined ? terms.left : terms.right;
    for (const { row: other, score } of search.find(queries, row, { k: 1, postings, accept })) {
      const isTurned = others === undefined && other > row;
      scores.set(isTurned ? row * width + other : other * width + row, score);
    }
  }
  return bestPrefix([...scores], gold);
}

/** Cells of a row as one text, without its id. */
function rowTexts(table: TableColumns): string[] {
  const columns = Object.entries(table).flatMap(([name, cells]) => (name === "id" ? [] : [cells]));
  return columns[0].map((_, row) => foldPhrase(columns.map((cells) => cells[row]).join(" ")));
}

/** The pairs above the threshold of the best F1; pairs of equal scores are on the same side of it. */
function bestPrefix(scored: readonly (readonly [number, number])[], gold: ReadonlySet<number>): number[] {
  const byScore = [...groupBy(scored, ([, score]) => score)].sort(([a], [b]) => b - a);
  const taken: number[] = [];
  let [right, best, bestF1] = [0, 0, 0];
  for (const [, equal] of byScore) {
    for (const [pair] of equal) {
      taken.push(pair);
      if (gold.has(pair)) right++;
    }
    const f1 = (2 * right) / (taken.length + gold.size);
    if (f1 > bestF1) [best, bestF1] = [taken.length, f1];
  }
  return taken.slice(0, best);
}
