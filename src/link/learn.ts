/** Learns from all rows of a store, with the pairs that a person judged, and groups them anew. */
import { groupRows, type RowGroups } from "../group/group-rows.js";
import type { TableColumns } from "../match/columns/align.js";
import { planColumns } from "../match/columns/fields.js";
import type { KnownPair } from "../match/compare-tables.js";
import { storeWithinMemory } from "../match/memory/within-memory.js";
import { pairSentence } from "../match/pair-sentence.js";
import { readRows } from "../match/rescore.js";
import { readDecisions, writeReview } from "../match/review/review-file.js";
import { equalGroups, type Grouping } from "./grouping.js";
import {
  modelText,
  type RunOptions,
  readAllLinked,
  readJudged,
  type StoreModel,
  type StoreState,
} from "./model.js";
import type { Store } from "./store.js";
import { readTerms, writeTerms } from "./terms.js";

/** @returns the new groups and what was learned; `writeReview` writes the doubtful pairs */
export async function learn(store: Store, { run, model: before }: StoreState, options: RunOptions) {
  const { settings, review, sharing, signal } = options;
  const { columns: on, kindOf } = settings;
  const { precision = before?.precision.promise.target ?? 0.9, likely = before?.likely ?? "report" } =
    options;
  const encoder = await options.encoder();
  const { rows, table } = await readAllLinked(store, run, on, options.memory?.folder);
  const plan = planColumns(table, undefined, { on, kindOf });
  const bounds = await storeWithinMemory(table, plan, { ...options, kindOf, encoder });
  // Review files number the rows of the store from 1, as the store does, without gaps.
  const decisions = review === undefined ? [] : await readDecisions(review, { left: table });
  await store.append(
    "judged",
    decisions.map(({ left, right, match }) => [run, left + 1, right + 1, match ? 1 : 0]),
  );
  const known = (await readJudged(store)).map(({ left, right, match }): KnownPair => {
    return { left: left - 1, right: right - 1, match };
  });
  const matching = { on, kindOf, precision, encoder, known, sharing, signal };
  const found = await groupRows(table, { ...matching, ...bounds });
  const { estimate, low, high, promise, columns, dropped, learned } = found;
  const isAccepted = promise.established || likely === "accept";
  const model: StoreModel = {
    ...{ learned, likely, columns, dropped, rows: rows.length },
    least: isAccepted ? found.least : null,
    precision: { estimate, low, high, promise },
  };
  const cellsOf = (row: number): string[] => on.map((name) => table[name][row]);
  const same = known.filter(({ match }) => match);
  const groups = isAccepted
    ? { groups: found.groupOf }
    : { groups: equalGroups(rows.length, cellsOf, same), likely: found.groupOf };
  const grouping: Grouping = { rows, ...groups, explain: found.explain };
  await store.append("learned", [[run, modelText(model)]]);
  await store.query(`UPDATE term SET until = ${run} WHERE until IS NULL`);
  await writeTerms(store, run, rows, readTerms(readRows(table, learned)));
  return { grouping, model, writeReview: (path: string) => writeDoubtful(path, table, found) };
}

/** Pairs of a review file. */
const mostDoubtful = 100;

/** Writes the pairs that are most worth judging. @returns their number */
const writeDoubtful = (path: string, table: TableColumns, found: RowGroups): Promise<number> =>
  writeReview(
    path,
    { left: table },
    found.doubtful(mostDoubtful).map((pair) => {
      return { ...pair, why: pairSentence(found.explain(pair.left, pair.right), pair.probability) };
    }),
  );
