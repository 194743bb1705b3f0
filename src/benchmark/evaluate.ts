/**
 * What a join or a dedupe without flags finds, beside truth: precision, recall and F1 of pairs of rows with 95 % intervals, what
 * was promised, and the pairs that are missed or wrong. In one table, pairs that true pairs connect are true as well.
 */
import { groupBy } from "../by-key.js";
import { disjointSets } from "../disjoint-sets.js";
import { TableError } from "../errors.js";
import { refuseContradictions } from "../group/decided-groups.js";
import { type DedupeTableOptions, openDuplicates } from "../group/tables/dedupe-table.js";
import { shownPairs } from "../join/join-output.js";
import { type JoinTablesOptions, openJoin } from "../join/join-tables.js";
import { rowsOf } from "../match/columns/fields.js";
import type { RowMatch, RowNumbers } from "../match/compare-tables.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import type { Matches } from "../match/matches.js";
import { type ReviewedTables, type ReviewPair, readKnown, writeReview } from "../match/review/review-file.js";
import { sigmoid } from "../match/weights/logistic.js";
import { rowsInOrder } from "../match/weights/pair-table.js";
import { lineChart } from "../plot/line-chart.js";
import { createRandom } from "../random.js";
import { mean, wilsonInterval } from "../statistics.js";
import { findColumn } from "../table/columns.js";
import type { LineStyle } from "../table/format.js";
import { isVisible } from "../text/visible.js";
import { type PairScores, pairScores } from "./metrics.js";
import { pairsInside } from "./tasks/er.js";

/** Options of {@link evaluateTables}: those of the join or the dedupe, where the truth is, and what pairs outside it are. */
export interface EvaluateOptions
  extends Omit<JoinTablesOptions & DedupeTableOptions, "onTables" | "threshold"> {
  /** Judged pairs: a reviewed file, or a table with left, right and, if some do not match, decision. */
  readonly truthPath?: string;
  /** In place of `truthPath`, of one table: the column that names the group of each row. It is not compared. */
  readonly truthColumn?: string;
  /** "complete": pairs outside the truth are wrong. "partial": only judged pairs count. */
  readonly truth: "complete" | "partial";
  /** Where to write the wrong and the missed pairs, the likeliest first: a review, whose decisions are the truth. */
  readonly mistakesPath?: string;
}

/** A figure with its 95 % interval. */
export interface Measured {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What {@link evaluateTables} measured. Pairs are of rows; of groups all pairs within them count. */
export interface Evaluation extends Pick<EvaluateOptions, "truth"> {
  readonly truePairs: number;
  /** Pairs found that count: all, or the judged ones. */
  readonly pairs: number;
  readonly right: number;
  /** Wilson's interval. Undefined where no pair counts, or where the truth is partial and has matches alone. */
  readonly precision?: Measured;
  /** Wilson's interval. */
  readonly recall: Measured;
  /** Its interval is by the bootstrap over right rows, or over groups of one table. Undefined with the precision. */
  readonly f1?: Measured;
  /** What the matching says of its own precision. */
  readonly promised: PrecisionReport;
  /** Of the found pairs, those at least so probable; 0: all. */
  readonly thresholds: readonly (PairScores & { readonly threshold: number })[];
  /** By column, the mean of what it adds to the log-odds of the pairs in which both cells are filled. */
  readonly columns: readonly (Readonly<Partial<Record<PairKind, number>>> & { readonly name: string })[];
}

/** Found pairs that are right or wrong, and true ones that were not found. */
type PairKind = "right" | "wrong" | "missed";

const thresholds = [0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99];

/**
 * Matches the rows of two tables, or of one, as `joinTables` and `dedupeTable` do, and compares the pairs with the truth, which is
 * read before any rows are compared.
 * @throws TableError for a truth of other rows or without a match, and as the matching does
 */
export async function evaluateTables(
  [left, right]: readonly [left: string, right?: string],
  options: EvaluateOptions,
): Promise<Evaluation> {
  let truth: Truth | undefined;
  const onTables = async (tables: ReviewedTables): Promise<void> => {
    truth = await readTruth(left, tables, options);
  };
  const given = { ...options, onTables };
  const found = await (right === undefined ? foundInOne(left, given) : foundInTwo(left, right, given));
  return judge(found, truth!, options);
}

/** Pairs as left row × width + right row, in one table the smaller row first. */
interface Truth {
  readonly gold: ReadonlySet<number>;
  /** Whether the pair counts. */
  readonly isJudged: (pair: number) => boolean;
  /** "matches": no pair is known to be wrong, so that nothing is known of precision. */
  readonly judges: "both" | "matches";
}

async function readTruth(path: string, tables: ReviewedTables, options: EvaluateOptions): Promise<Truth> {
  const { truthPath = path, truthColumn, truth } = options;
  const found =
    truthColumn === undefined
      ? await judgedPairs(truthPath, tables)
      : groupedPairs(path, tables, truthColumn);
  if (found.gold.size === 0)
    throw new TableError(`${truthPath}: it has no pair of rows that match. Recall needs some: add them.`);
  return truth === "partial" ? found : { ...found, isJudged: () => true, judges: "both" };
}

function groupedPairs(path: string, { left }: ReviewedTables, column: string): Truth {
  const names = Object.keys(left);
  const cells = left[names[findColumn(path, names, column)]];
  const isLabelled = (row: number): boolean => isVisible(cells[row]);
  return {
    gold: new Set(pairsInside(cells.map((cell, row) => (isLabelled(row) ? cell.trim() : row)))),
    isJudged: (pair) => isLabelled(Math.floor(pair / cells.length)) && isLabelled(pair % cells.length),
    judges: "both",
  };
}

async function judgedPairs(path: string, tables: ReviewedTables): Promise<Truth> {
  const known = await readKnown([path], tables);
  const isOneTable = tables.right === undefined;
  const width = rowsOf(tables.right ?? tables.left);
  const numbersOf = (wanted: boolean): number[] =>
    known
      .filter(({ match }) => match === wanted)
      .map((pair) => rowsInOrder({ isOneTable }, pair))
      .map(([left, right]) => left * width + right);
  const [matches, others] = [numbersOf(true), new Set(numbersOf(false))];
  if (isOneTable) refuseContradictions(width, known);
  const gold = new Set(isOneTable ? pairsInside(connected(matches, width)) : matches);
  const isJudged = (pair: number): boolean => gold.has(pair) || others.has(pair);
  return { gold, isJudged, judges: others.size > 0 ? "both" : "matches" };
}

/** By row, the group that pairs of one table connect it to. */
function connected(pairs: Iterable<number>, width: number): Int32Array {
  const { unite, roots } = disjointSets(width);
  for (const pair of pairs) unite(Math.floor(pair / width), pair % width);
  return roots();
}

/** What either matching gives. */
interface Found extends Pick<Matches<unknown>, "explain"> {
  readonly tables: ReviewedTables;
  readonly style: LineStyle;
  /** In one table the smaller row is the left one. */
  readonly pairs: readonly RowMatch[];
  readonly promised: PrecisionReport;
  why(pair: RowMatch): string;
}

async function foundInTwo(left: string, right: string, options: JoinTablesOptions): Promise<Found> {
  const { tables, texts, joined } = await openJoin(left, right, options);
  const { matches: pairs, findings: promised, explain, why } = joined;
  const shown = { ...texts, columns: shownPairs(texts, joined) };
  return { pairs, promised, explain, why, tables: shown, style: tables.left.description };
}

async function foundInOne(path: string, options: DedupeTableOptions & EvaluateOptions): Promise<Found> {
  const { truthColumn, ignore = [] } = options;
  const ignored = truthColumn === undefined ? ignore : [...ignore, truthColumn];
  const { table, found } = await openDuplicates(path, { ...options, ignore: ignored });
  const { report, explain } = found;
  // A pair is as probable as the less probable of its rows is beside the kept row, by which a list of groups is cut.
  const pairs = report.groups.flatMap(({ kept, others }) => {
    const rows = [{ row: kept, probability: 1 }, ...others].sort((a, b) => a.row - b.row);
    return rows.flatMap((a, place) =>
      rows.slice(place + 1).map((b) => {
        return { left: a.row, right: b.row, probability: Math.min(a.probability, b.probability) };
      }),
    );
  });
  const why = ({ left, right, probability }: RowMatch): string =>
    report.columns.length === 0
      ? "only rows that are equal in all columns are found"
      : found.why({ keptRow: left, row: right, probability });
  // Undefined with a threshold alone, which is none of the options.
  const promised = { ...report, promise: report.promise! };
  return { pairs, promised, explain, why, tables: { left: table.columns }, style: table.description };
}

async function judge(found: Found, { gold, isJudged, judges }: Truth, options: EvaluateOptions) {
  const { tables } = found;
  const isOneTable = tables.right === undefined;
  const width = rowsOf(tables.right ?? tables.left);
  const numberOf = ({ left, right }: RowNumbers): number => left * width + right;
  const counted = found.pairs.filter((pair) => isJudged(numberOf(pair)));
  const scored = thresholds.map((threshold) => {
    const likely = counted.filter(({ probability }) => probability >= threshold);
    const { precision, ...scores } = pairScores(likely.map(numberOf), gold);
    return { threshold, ...scores, precision: judges === "both" ? precision : undefined };
  });
  const [{ precision, recall, f1 }] = scored;
  const numbers = new Set(counted.map(numberOf));
  const wrong = counted.filter((pair) => !gold.has(numberOf(pair)));
  const right = counted.length - wrong.length;
  const missed = [...gold].filter((number) => !numbers.has(number));
  if (options.mistakesPath !== undefined) {
    const mistakes: Omit<ReviewPair, "why">[] = [
      ...wrong.map((pair) => ({ ...pair, accepted: true, decision: "no" as const })),
      ...missed.map((number) => ({ ...missedPair(number, width, found), decision: "yes" as const })),
    ];
    const likeliest = mistakes.sort((a, b) => b.probability - a.probability);
    const explained = likeliest.map((pair) => ({ ...pair, why: found.why(pair) }));
    await writeReview(options.mistakesPath, tables, explained, found.style);
  }
  const { estimate, low, high, promise } = found.promised;
  return {
    ...{ truth: options.truth, truePairs: gold.size, pairs: counted.length, right },
    ...(precision !== undefined && {
      precision: { value: precision, ...wilsonInterval(right, counted.length) },
      f1: { value: f1, ...f1Interval(numbers, gold, isOneTable, width) },
    }),
    recall: { value: recall, ...wilsonInterval(right, gold.size) },
    promised: { estimate, low, high, promise },
    thresholds: scored,
    columns: columnMeans(found, {
      right: counted.filter((pair) => gold.has(numberOf(pair))),
      wrong,
      missed: missed.map((number) => rowsOfPair(number, width)),
    }),
  };
}

/** Pairs of each kind that means are taken of. */
const mostExplained = 1000;

function columnMeans(
  { explain }: Found,
  kinds: Readonly<Record<PairKind, readonly RowNumbers[]>>,
): Evaluation["columns"] {
  const said = Object.entries(kinds).flatMap(([kind, pairs]) => {
    const step = Math.max(1, pairs.length / mostExplained);
    const taken = Array.from({ length: pairs.length / step }, (_, place) => pairs[Math.floor(place * step)]);
    return taken.flatMap(({ left, right }) =>
      explain(left, right)
        .columns.filter(({ level }) => level >= 0)
        .map(({ name, logOdds }) => ({ kind, name, logOdds })),
    );
  });
  return [...groupBy(said, ({ name }) => name)].map(([name, ofColumn]) => {
    const means = [...groupBy(ofColumn, ({ kind }) => kind)].map(
      ([kind, all]) => [kind, mean(all.map(({ logOdds }) => logOdds))] as const,
    );
    return { name, ...Object.fromEntries(means) };
  });
}

const rowsOfPair = (number: number, width: number): RowNumbers => {
  return { left: Math.floor(number / width), right: number % width };
};

/** Its probability is what the columns say, before it competes with others; 0 where nothing of it was compared. */
function missedPair(number: number, width: number, { explain }: Found) {
  const { left, right } = rowsOfPair(number, width);
  const { prior, columns } = explain(left, right);
  const logOdds = columns.reduce((sum, column) => sum + column.logOdds, prior);
  const probability = columns.some(({ level }) => level >= 0) ? sigmoid(logOdds) : 0;
  return { left, right, probability, accepted: false };
}

const rounds = 1000;

/** The 95 % interval of F1 by the bootstrap (Efron 1979): units are drawn anew, each with all its found and true pairs. */
export function f1Interval(
  found: ReadonlySet<number>,
  gold: ReadonlySet<number>,
  isOneTable: boolean,
  width: number,
): Omit<Measured, "value"> {
  const all = new Set([...found, ...gold]);
  const groups = isOneTable ? connected(all, width) : undefined;
  const units = groupBy(all, (pair) => groups?.[pair % width] ?? pair % width);
  const counts = Array.from(units.values(), (pairs) => {
    const right = pairs.filter((pair) => found.has(pair) && gold.has(pair)).length;
    return { right, all: pairs.length + right };
  });
  const random = createRandom(0);
  const drawn = Float64Array.from({ length: rounds }, () => {
    let [right, all] = [0, 0];
    for (let draw = 0; draw < counts.length; draw++) {
      const unit = counts[Math.floor(random() * counts.length)];
      right += unit.right;
      all += unit.all;
    }
    return (2 * right) / all;
  }).sort();
  return { low: drawn[0.025 * rounds], high: drawn[0.975 * rounds - 1] };
}

/** Precision, recall and F1 by threshold, as an SVG file. */
export function evaluationChart({ thresholds, promised, truth }: Evaluation, title: string): string {
  const panels = (["precision", "recall", "f1"] as const).map((name) => ({
    title: name,
    references: name === "precision" ? [promised.promise.target] : [],
    range: [0, 1] as const,
    points: thresholds.flatMap((scores) =>
      scores.precision === undefined && name !== "recall"
        ? []
        : { label: `${scores.threshold}`, value: scores[name]! },
    ),
  }));
  const note = `Of the pairs found, those of at least this probability. The truth is ${truth}.`;
  return lineChart(
    title,
    [note],
    panels.filter(({ points }) => points.length > 0),
  );
}
