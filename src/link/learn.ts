/** Learns from all rows of a store, with the pairs that a person judged, and groups them anew. */
import { refuseContradictions } from "../group/decided-groups.js";
import { type GroupRowsOptions, groupRows, type RowGroups } from "../group/group-rows.js";
import { duplicatesByColumn } from "../group/roads.js";
import type { TableColumns } from "../match/columns/align.js";
import { type ColumnPlan, planColumns } from "../match/columns/fields.js";
import type { KnownPair } from "../match/compare-tables.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import { sentenceOf } from "../match/matches.js";
import { type BoundedOptions, storeWithinMemory, withinMemory } from "../match/memory/memory-plan.js";
import { phraseColumn } from "../match/phrase-column.js";
import { readRows } from "../match/rescore.js";
import { type ReviewPair, readDecisions, writeReview } from "../match/review/review-file.js";
import type { LineStyle } from "../table/format.js";
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

/** All current rows of the store with their cells. */
export type AllLinked = Awaited<ReturnType<typeof readAllLinked>>;

/** @returns the new groups, what was learned, all rows of the store, and what writes the doubtful pairs if a run asks for them */
export async function learn(store: Store, { run, model: before }: StoreState, options: RunOptions) {
  const { settings, review, sharing, signal } = options;
  const { columns: on } = settings;
  // The store holds the compared columns alone.
  const kindOf =
    settings.kindOf &&
    Object.fromEntries(Object.entries(settings.kindOf).filter(([name]) => on.includes(name)));
  const { precision = before?.precision.promise.target ?? 0.9, likely = before?.likely ?? "report" } =
    options;
  const encoder = await options.encoder();
  const linked = await readAllLinked(store, run, on, options.memory?.folder);
  const { rows, table } = linked;
  const plan = planColumns(table, undefined, { on, kindOf });
  // Review files number the rows of the store from 1, as the store does, without gaps.
  const decisions = review === undefined ? [] : await readDecisions(review, { left: table });
  await store.append(
    "judged",
    decisions.map(({ left, right, match }) => [run, left + 1, right + 1, match ? 1 : 0]),
  );
  const known = (await readJudged(store)).map(({ left, right, match }): KnownPair => {
    return { left: left - 1, right: right - 1, match };
  });
  if (review !== undefined) refuseContradictions(rows.length, known);
  // Columns that nobody named are left out where they say nothing.
  const leaveOut = settings.on === undefined ? ("uninformative" as const) : ("none" as const);
  const matching = { on, leaveOut, kindOf, precision, encoder, known, sharing, signal };
  const { memory, threads, onNote } = options;
  const found = await groupAll(table, plan, { ...matching, memory, threads, onNote });
  const { estimate, low, high, promise, columns, dropped, learned } = found;
  const isAccepted = promise.established || likely === "accept";
  const model: StoreModel = {
    ...{ learned, likely, columns, dropped, rows: rows.length },
    least: isAccepted ? (found.least ?? 0) : null,
    precision: { estimate, low, high, promise },
  };
  const cellsOf = (row: number): string[] => on.map((name) => table[name][row]);
  const groups = isAccepted
    ? { groups: found.groupOf }
    : { groups: equalGroups(rows.length, cellsOf, known), likely: found.groupOf };
  const grouping: Grouping = { rows, ...groups, explain: found.explain };
  await store.append("learned", [[run, modelText(model)]]);
  const doubtful = options.reviewOutput === undefined ? [] : doubtfulPairs(found);
  return {
    grouping,
    model,
    linked,
    writeReview: (path: string, style: LineStyle) => writeReview(path, { left: table }, doubtful, style),
  };
}

/** What a store needs of the groups; what only weights of several columns have is not there of one column of phrases. */
type FoundGroups = Pick<
  RowGroups,
  "columns" | "dropped" | "groupOf" | "explain" | "doubtful" | keyof PrecisionReport
> &
  Partial<Pick<RowGroups, "learned" | "least">>;

type GroupAllOptions = GroupRowsOptions & BoundedOptions & { readonly known: readonly KnownPair[] };

async function groupAll(
  table: TableColumns,
  plan: ColumnPlan,
  options: GroupAllOptions,
): Promise<FoundGroups> {
  const phrases = phraseColumn([table], plan, options);
  if (phrases === undefined)
    return groupRows(table, { ...options, ...(await storeWithinMemory(table, plan, options)) });
  const { onProgress: _, ...run } = options;
  const bounds = await withinMemory([table], plan, options);
  const found = await duplicatesByColumn(table, phrases.name, { ...run, ...bounds });
  const { report, table: grouped, explain, doubtful } = found;
  return { ...report, promise: report.promise!, groupOf: grouped.groupOf, explain, doubtful };
}

/** Writes the terms of all rows in place of those before. It reads the rows once more: nothing is held of their comparison. */
export async function relearnTerms(
  store: Store,
  run: number,
  { rows, table }: AllLinked,
  { learned }: StoreModel,
): Promise<void> {
  await store.query(`UPDATE term SET until = ${run} WHERE until IS NULL`);
  if (learned === undefined) return;
  await writeTerms(store, run, rows, readTerms(readRows(table, learned)));
}

/** Pairs of a review file. */
const mostDoubtful = 100;

/** The pairs that are most worth judging. */
const doubtfulPairs = (found: FoundGroups): ReviewPair[] =>
  found.doubtful(mostDoubtful).map((pair) => ({ ...pair, why: sentenceOf(found, pair) }));
