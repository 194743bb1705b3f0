/** Files for a person to judge pairs in: pairs of rows with their cells side by side, a column for decisions first. */
import { type Cell, numberCell, type OutputColumn } from "../../table/cell.js";
import type { LineStyle } from "../../table/format.js";
import { batchesOf } from "../../table/whole-table.js";
import { writeRows } from "../../table/write/text-rows.js";
import type { DoubtfulPair } from "./doubtful.js";
import { cellHeader, type ReviewedTables, rowHeader, type Side, sides } from "./read-decisions.js";

export type { ReviewedTables } from "./read-decisions.js";
export { checkReview, readDecisions, readKnown, refuseAnswered } from "./read-decisions.js";

/** A pair of rows, counted from 0, for a person to judge. */
export interface ReviewPair extends DoubtfulPair {
  readonly why: string;
  /** Where it is judged already. */
  readonly decision?: "yes" | "no";
}

/** Pairs in a review file at most. They are in the order of their use, so that a person may stop anywhere. */
export const reviewedPairs = 1000;
/** Related pairs in a file at most. */
export const mostRelated = 10_000;

/**
 * Writes pairs in the given order.
 * @param path .csv, .tsv, .jsonl, .parquet or .xlsx; "-" is standard output
 * @param input the table whose way of writing lines it keeps
 * @returns the number of pairs
 */
export async function writeReview(
  path: string,
  { left, right = left, columns }: ReviewedTables,
  pairs: Iterable<ReviewPair>,
  input?: LineStyle,
): Promise<number> {
  const shown = shownColumns({ left, right, columns });
  const heading: OutputColumn[] = [
    "decision",
    { name: "probability", type: "DOUBLE" },
    "joined",
    ...sides.map((side) => ({ name: rowHeader(side), type: "BIGINT" })),
    ...shown.map(({ side, name }) => cellHeader(side, name)),
    "why",
  ];
  const cellsOf = (pair: ReviewPair): Cell[] => [
    pair.decision ?? "",
    numberCell(pair.probability, 4),
    pair.accepted ? "yes" : "no",
    ...sides.map((side) => numberCell(pair[side] + 1)),
    ...shown.map(({ side, name }) => ({ left, right })[side][name][pair[side]]),
    pair.why,
  ];
  return writeRows(path, heading, batchesOf(pairs, cellsOf), undefined, input);
}

/** Columns that belong together side by side, then those of one name, then those of the right and of the left table alone. */
function shownColumns({
  left,
  right,
  columns = [],
}: Required<Pick<ReviewedTables, "left" | "right">> & ReviewedTables) {
  const [lefts, rights] = [left, right].map((table, side) =>
    Object.keys(table).filter((name) => !columns.some((names) => names[side] === name)),
  );
  const same = lefts.filter((name) => rights.includes(name));
  const alone = (side: Side, names: readonly string[]) =>
    names.filter((name) => !same.includes(name)).map((name) => ({ side, name }));
  const pairs = [...columns, ...same.map((name) => [name, name] as const)];
  return [
    ...pairs.flatMap((names) => sides.map((side, index) => ({ side, name: names[index] }))),
    ...alone("right", rights),
    ...alone("left", lefts),
  ];
}
