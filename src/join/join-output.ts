/** Writes what a join found: the joined table, explanations, pairs to review and pairs to train on. */
import { groupBy } from "../by-key.js";
import { TableError } from "../errors.js";
import type { AlignedNames, TableColumns } from "../match/columns/align.js";
import { cellsOfColumn, partsOfColumn } from "../match/columns/column-names.js";
import { rowsOf } from "../match/columns/fields.js";
import type { KnownPair, RowMatch } from "../match/compare-tables.js";
import { relatedForReview } from "../match/review/related.js";
import { mostRelated, reviewedPairs, writeReview } from "../match/review/review-file.js";
import { type Cell, numberCell, type OutputColumn } from "../table/cell.js";
import type { RowsFormat } from "../table/format.js";
import { batchesOf, type WholeTable } from "../table/whole-table.js";
import { stateOf } from "../table/write/output-names.js";
import { writeRows, writeText } from "../table/write/text-rows.js";
import type { Joined } from "./roads.js";

/** What is written besides the joined table, and how. */
export interface JoinOutputs {
  /** "keep" also writes right rows without a match, with empty left cells. Default "leave-out". */
  readonly unmatched?: "keep" | "leave-out";
  /** Format of the output; default by its name. */
  readonly format?: RowsFormat;
  /** "column" adds a column "why" with the reasons for each match. Default "none". */
  readonly explain?: "column" | "none";
  /** Where to write the explanation of each written match for programs: JSON lines. */
  readonly explainPath?: string;
  /** Where to write pairs for a person to review, those most worth it first. */
  readonly reviewPath?: string;
  /** Where to write pairs that look alike and are different things, in the form of a review file. */
  readonly relatedPath?: string;
  /** Where to write likely matches that a refused promise leaves out, or over such a file of an earlier run. */
  readonly likelyPath?: string;
  /** Where to write the known matches as pairs for `pearl finetune`. */
  readonly pairsPath?: string;
}

/** Counts of the written pairs. */
interface PairsReport {
  readonly pairs: number;
  readonly withNegative: number;
}

export interface WrittenFiles {
  /** Pairs in the joined table. */
  readonly matches: number;
  /** Likely pairs that are not in it. */
  readonly likely: number;
  /** Pairs in the review file. */
  readonly reviewed?: number;
  /** Pairs that look alike and are different things. */
  readonly related?: number;
  /** What was written to `pairsPath`. */
  readonly pairs?: PairsReport;
}

/** Both tables as they were read. */
export interface JoinedTables {
  readonly left: WholeTable;
  readonly right: WholeTable;
}

/** The matches that are written, and the likely rest, which a refused promise leaves out. */
export function dividedMatches({ matches, findings }: Pick<Joined, "matches" | "findings">) {
  const { leastProbability = 0 } = findings.promise.narrower ?? {};
  const isKept = ({ probability }: RowMatch): boolean => probability >= leastProbability;
  return { kept: matches.filter(isKept), likely: matches.filter((match) => !isKept(match)) };
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
  const { explainPath, reviewPath, relatedPath, likelyPath, pairsPath, known } = options;
  const texts = { left: left.columns, right: right.columns };
  // Refused before anything is written.
  const trained = pairsPath === undefined ? [] : trainingPairs(pairsPath, texts, joined, known);
  const { kept, likely } = dividedMatches(joined);
  const write = (path: string, found: readonly RowMatch[], how: JoinOutputs): Promise<number> => {
    const rows = outputRows({ left, right }, { ...joined, matches: found }, how);
    return writeRows(path, columns, rows, options.format, left.description);
  };
  await write(output, kept, options);
  // A file of an earlier run must not look like one of this run.
  if (likelyPath !== undefined && (likely.length > 0 || (await stateOf(likelyPath)) !== undefined))
    await write(likelyPath, likely, { ...options, unmatched: "leave-out" });
  if (explainPath !== undefined) await writeText(explainPath, explanationLines({ ...joined, matches: kept }));
  const doubtful = reviewPath === undefined ? [] : joined.doubtful(reviewedPairs);
  const shown = { ...texts, columns: shownPairs(texts, joined) };
  const proposed = doubtful.map((pair) => ({ ...pair, why: joined.why(pair) }));
  return {
    ...{ matches: kept.length, likely: likely.length },
    ...(reviewPath !== undefined && {
      reviewed: await writeReview(reviewPath, shown, proposed, left.description),
    }),
    ...(relatedPath !== undefined && {
      related: await writeReview(
        relatedPath,
        shown,
        joined.related(mostRelated).map(relatedForReview),
        left.description,
      ),
    }),
    ...(pairsPath !== undefined && { pairs: await writePairs(pairsPath, trained) }),
  };
}

/** The compared columns, each in one pair at most. Of those that are compared as one, the first that is in no other pair. */
export function shownPairs(
  { left, right }: Record<"left" | "right", TableColumns>,
  { findings: { columns } }: Pick<Joined, "findings">,
): AlignedNames[] {
  const compared = columns.map(({ name, other }) => [partsOfColumn(left, name), partsOfColumn(right, other)]);
  const taken = [new Set<string>(), new Set<string>()];
  const shown = new Map<(typeof compared)[number], AlignedNames>();
  for (const sides of compared.toSorted((a, b) => a.flat().length - b.flat().length)) {
    const [name, other] = sides.map((parts, side) => parts.find((part) => !taken[side].has(part)));
    if (name === undefined || other === undefined) continue;
    taken[0].add(name);
    taken[1].add(other);
    shown.set(sides, [name, other]);
  }
  return compared.flatMap((sides) => {
    const names = shown.get(sides);
    return names === undefined ? [] : [names];
  });
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

/**
 * The names of known matches: text (right), positive (left) and a hard negative, which is a left row known not to
 * match or, without one, the row's second-best candidate.
 */
function trainingPairs(
  path: string,
  { left, right }: { readonly left: TableColumns; readonly right: TableColumns },
  { naming, runnerUp }: Pick<Joined, "naming" | "runnerUp">,
  known: readonly KnownPair[],
): string[][] {
  const [names, texts] = [cellsOfColumn(left, naming.left), cellsOfColumn(right, naming.right)];
  const nameOf = (row: number | undefined): string => (row === undefined ? "" : names[row].trim());
  const textOf = (row: number): string => texts[row].trim();
  const matches = known.filter((pair) => pair.match && nameOf(pair.left) !== textOf(pair.right));
  if (matches.length === 0 && rowsOf(left) > 0 && rowsOf(right) > 0)
    throw new TableError(
      `${path}: no pairs to write. Pairs are made from the matches among the labels or decisions whose names differ.`,
    );
  const rejected = new Map(known.filter(({ match }) => !match).map((pair) => [pair.right, pair.left]));
  const positives = groupBy(matches, (pair) => pair.right);
  return matches.map((pair) => {
    const negative = nameOf(rejected.get(pair.right) ?? runnerUp(pair.right));
    const isPositive = positives.get(pair.right)!.some((other) => nameOf(other.left) === negative);
    return [textOf(pair.right), nameOf(pair.left), isPositive ? "" : negative];
  });
}

async function writePairs(path: string, rows: string[][]): Promise<PairsReport> {
  await writeRows(path, ["text", "positive", "negative"], [rows]);
  return { pairs: rows.length, withNegative: rows.filter(([, , negative]) => negative !== "").length };
}
