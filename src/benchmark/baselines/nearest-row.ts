/**
 * The untrained floor for matching rows: of each row the nearest other row by TF-IDF (3-grams, words and initials of the
 * whole row as one text), accepted above a threshold; rows of one table that are connected are a group. The threshold is the
 * one of the best F1 on the set itself, which no user could know.
 */
import { groupBy } from "../../by-key.js";
import { disjointSets } from "../../disjoint-sets.js";
import { indexTerms, termRows } from "../../match/candidates/grams.js";
import { TermSearch } from "../../match/candidates/term-search.js";
import type { TableColumns } from "../../match/columns/align.js";
import { rowsOf } from "../../match/columns/fields.js";
import { foldPhrase } from "../../match/evidence/phrase.js";

const postings = 20_000;

/**
 * The pairs above the best threshold, as left row × width + right row; of one table (`right` undefined) all pairs within the
 * groups, with the smaller row first.
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
  return bestPrefix([...scores], gold, others === undefined ? pairsOfGroups(width) : (pair) => [pair]);
}

const isId = (name: string): boolean => /^(entity )?id$/i.test(name.trim());

/** Cells of a row as one text, without its id. */
function rowTexts(table: TableColumns): string[] {
  const columns = Object.entries(table).flatMap(([name, cells]) => (isId(name) ? [] : [cells]));
  return Array.from({ length: rowsOf(table) }, (_, row) =>
    foldPhrase(columns.map((cells) => cells[row]).join(" ")),
  );
}

/** Returns a function that unites the groups of a pair's rows, and gives the pairs that are in one group since. */
function pairsOfGroups(rows: number) {
  const { rootOf, unite } = disjointSets(rows);
  const members = Array.from({ length: rows }, (_, row) => [row]);
  return (pair: number): number[] => {
    const [a, b] = [rootOf(Math.floor(pair / rows)), rootOf(pair % rows)];
    if (a === b) return [];
    const [one, other] = [members[a], members[b]];
    unite(a, b);
    members[rootOf(a)] = [...one, ...other];
    return one.flatMap((x) => other.map((y) => Math.min(x, y) * rows + Math.max(x, y)));
  };
}

/**
 * The pairs above the threshold of the best F1; pairs of equal scores are on the same side of it.
 * @param pairsWith what the acceptance of a pair adds
 */
function bestPrefix(
  scored: readonly (readonly [number, number])[],
  gold: ReadonlySet<number>,
  pairsWith: (pair: number) => readonly number[],
): number[] {
  const byScore = [...groupBy(scored, ([, score]) => score)].sort(([a], [b]) => b - a);
  const taken: number[] = [];
  let [right, best, bestF1] = [0, 0, 0];
  for (const [, equal] of byScore) {
    // With so many pairs, no later threshold can be better.
    if ((2 * gold.size) / (taken.length + gold.size) <= bestF1) break;
    for (const added of equal.flatMap(([pair]) => pairsWith(pair))) {
      taken.push(added);
      if (gold.has(added)) right++;
    }
    const f1 = (2 * right) / (taken.length + gold.size);
    if (f1 > bestF1) [best, bestF1] = [taken.length, f1];
  }
  return taken.slice(0, best);
}
