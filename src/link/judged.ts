/** Pairs of rows that a person judged. Review files number the rows of the store, which never change their numbers. */
import type { RowGroups } from "../group/group-rows.js";
import type { TableColumns } from "../match/columns/align.js";
import type { KnownPair } from "../match/compare-tables.js";
import { pairSentence } from "../match/pair-sentence.js";
import { readDecisions, writeReview } from "../match/review/review-file.js";
import type { Store } from "./store.js";

/** By rows of the store, numbered from 1. */
export async function readJudged(store: Store): Promise<KnownPair[]> {
  const found = await store.query("SELECT a, b, match FROM judged ORDER BY run");
  return found.map(([a, b, match]) => ({ left: Number(a), right: Number(b), match: match === 1 }));
}

/** Adds the decisions of a review file or of labels. @param table all rows of the store */
export async function addDecisions(
  store: Store,
  run: number,
  path: string,
  table: TableColumns,
): Promise<void> {
  const decisions = await readDecisions(path, { left: table });
  await store.append(
    "judged",
    decisions.map(({ left, right, match }) => [run, left + 1, right + 1, match ? 1 : 0]),
  );
}

/** Pairs of a review file. */
const mostDoubtful = 100;

/** Writes the pairs that are most worth judging. @returns their number */
export const writeDoubtful = (path: string, table: TableColumns, found: RowGroups): Promise<number> =>
  writeReview(
    path,
    { left: table },
    found.doubtful(mostDoubtful).map((pair) => {
      return { ...pair, why: pairSentence(found.explain(pair.left, pair.right), pair.probability) };
    }),
  );
