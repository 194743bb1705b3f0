/** Learns from all rows of a store, with the pairs that a person judged, and groups them anew. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { groupRows, type RowGroups } from "../group/group-rows.js";
import type { TableColumns } from "../match/columns/align.js";
import type { KnownPair } from "../match/compare-tables.js";
import { pairSentence } from "../match/pair-sentence.js";
import { readDecisions, writeReview } from "../match/review/review-file.js";
import { certainGroups, type Grouping, reasonOf } from "./grouping.js";
import { columnsOf, readLinked, type StoreModel, type StoreSettings } from "./model.js";
import type { Store } from "./store.js";

interface LearnOptions {
  readonly settings: StoreSettings;
  readonly precision: number;
  readonly encoder: PhraseEncoder | "none";
  /** Whether likely groups are accepted where the promise is refused. */
  readonly likely: "report" | "accept";
  /** A review file or labels to apply from now on. */
  readonly review?: string;
  readonly signal?: AbortSignal;
}

export async function learn(store: Store, run: number, options: LearnOptions) {
  const { precision, encoder, likely, review, signal } = options;
  const { columns: on, kindOf } = options.settings;
  const { rows, cells } = await readLinked(store, run);
  const table = columnsOf(on, cells);
  // Review files number the rows of the store from 1, as the store does, without gaps.
  const decisions = review === undefined ? [] : await readDecisions(review, { left: table });
  await store.append(
    "judged",
    decisions.map(({ left, right, match }) => [run, left + 1, right + 1, match ? 1 : 0]),
  );
  const known = (await readJudged(store)).map(({ left, right, match }): KnownPair => {
    return { left: left - 1, right: right - 1, match };
  });
  const found = await groupRows(table, { on, kindOf, precision, encoder, known, signal });
  const { estimate, low, high, promise, columns, dropped, learned } = found;
  const isAccepted = promise.established || likely === "accept";
  const model: StoreModel = {
    ...{ learned, likely, columns, dropped, rows: rows.length },
    least: isAccepted ? found.least : null,
    precision: { estimate, low, high, promise },
  };
  const same = known.flatMap(({ match, left, right }) => (match ? [[left, right] as const] : []));
  const groups = isAccepted
    ? { groups: found.groupOf }
    : { groups: certainGroups(cells, same), likely: found.groupOf };
  const reasonFor: Grouping["reasonFor"] = (a, b) => reasonOf(learned, found.explain(a, b));
  const grouping: Grouping = { rows, ...groups, reasonFor };
  return {
    ...{ grouping, model },
    cells: new Map(rows.map(({ row }, place) => [row, cells[place]])),
    writeReview: (path: string) => writeDoubtful(path, table, found),
  };
}

/** The judged pairs, by rows of the store. */
export async function readJudged(store: Store): Promise<KnownPair[]> {
  const found = await store.query("SELECT a, b, match FROM judged ORDER BY run");
  return found.map(([a, b, match]) => ({ left: Number(a), right: Number(b), match: match === 1 }));
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
