/** Writes what a join found: the joined table, explanations, pairs to review and pairs to train on. */
import type { KnownPair } from "../match/compare-tables.js";
import { reviewedPairs, writeReview } from "../match/review/review-file.js";
import { type Cell, numberCell, type OutputColumn } from "../table/cell.js";
import type { RowsFormat } from "../table/format.js";
import { batchesOf, type WholeTable } from "../table/whole-table.js";
import { writeRows, writeText } from "../table/write/text-rows.js";
import type { Joined } from "./roads.js";
import { type PairsReport, writePairs } from "./training-pairs.js";

/** What is written besides the joined table, and how. */
export interface JoinOutputs {
  /** "keep" also writes right rows without a match, with empty left cells. Default "leave-out". */
  readonly unmatched?: "keep" | "leave-out";
  /** Format of the output; default by its name. */
  readonly format?: RowsFormat;
  /** "column" adds a column "why" with the reasons for each match. Default "none". */
  readonly explain?: "column" | "none";
  /** Where to write the explanation of each match for programs: JSON lines. */
  readonly explainPath?: string;
  /** Where to write pairs for a person to review, those most worth it first. */
  readonly reviewPath?: string;
  /** Where to write the known matches as pairs for `pearl finetune`. */
  readonly pairsPath?: string;
}

export interface WrittenFiles {
  /** Pairs in the review file. */
  readonly reviewed?: number;
  /** What was written to `pairsPath`. */
  readonly pairs?: PairsReport;
}

/** Both tables as they were read. */
export interface JoinedTables {
  readonly left: WholeTable;
  readonly right: WholeTable;
}

export async function writeJoin(
  output: string,
  { left, right }: JoinedTables,
  joined: Joined,
  options: JoinOutputs & { readonly known: readonly KnownPair[] },
): Promise<WrittenFiles> {
  const columns: OutputColumn[] = [
    ...left.typed.columns.map(({ name, type }) => ({ name: `left_${name}`, type })),
    ...right.typed.columns.map(({ name, type }) => ({ name: `right_${name}`, type })),
    { name: "probability", type: "DOUBLE" },
    ...(options.explain === "column" ? ["why"] : []),
  ];
  await writeRows(output, columns, outputRows({ left, right }, joined, options), options.format);
  const { explainPath, reviewPath, pairsPath, known } = options;
  if (explainPath !== undefined) await writeText(explainPath, explanationLines(joined));
  const texts = { left: left.columns, right: right.columns };
  const doubtful = reviewPath === undefined ? [] : joined.doubtful(reviewedPairs);
  const aligned = joined.findings.columns.flatMap(({ name, other }) =>
    Object.hasOwn(texts.left, name) && Object.hasOwn(texts.right, other) ? [[name, other] as const] : [],
  );
  const proposed = doubtful.map((pair) => ({ ...pair, why: joined.why(pair) }));
  return {
    ...(reviewPath !== undefined && {
      reviewed: await writeReview(reviewPath, { ...texts, columns: aligned }, proposed),
    }),
    ...(pairsPath !== undefined && { pairs: await writePairs(pairsPath, texts, joined, known) }),
  };
}

/** The matches and, if they are kept, the unmatched rows, in the order of the right table. */
function outputRows(
  { left, right }: JoinedTables,
  { matches, why }: Joined,
  { explain, unmatched }: JoinOutputs,
): Iterable<Cell[][]> {
  const noLeft = left.typed.columns.map(() => null);
  const withReason = explain === "column";
  const joined = new Set(matches.map((match) => match.right));
  const rows = unmatched === "keep" ? [...right.phrases.keys()].filter((row) => !joined.has(row)) : [];
  const all = [...matches, ...rows.map((row) => ({ right: row }))].sort((a, b) => a.right - b.right);
  return batchesOf(all, (row) => {
    if (!("left" in row))
      return [...noLeft, ...right.typed.cells(row.right), null, ...(withReason ? [null] : [])];
    const cells = [...left.typed.cells(row.left), ...right.typed.cells(row.right)];
    return [...cells, numberCell(row.probability, 4), ...(withReason ? [why(row)] : [])];
  });
}

async function* explanationLines({ matches, why, explain }: Joined): AsyncGenerator<string> {
  for (const match of matches) {
    const { left, right, probability } = match;
    const rows = { left_row: left + 1, right_row: right + 1, probability };
    yield `${JSON.stringify({ ...rows, why: why(match), ...explain(left, right) })}\n`;
  }
}
