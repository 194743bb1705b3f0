/**
 * Joins two tables by meaning: finds candidates by embedding and by character n-grams, scores each pair with a small
 * network over its features, and picks the threshold that keeps a promised precision without labels. The precision is
 * estimated from the scores of a row's other candidates and from the spacing of the left table. The idea is from
 * Li et al., "Auto-FuzzyJoin" (SIGMOD 2021): a match that is no nearer than the table's rows are to each other is no
 * evidence.
 */
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import { exactPairs } from "../match/candidates/nearest-by-embedding.js";
import { type ColumnPair, prepareColumn } from "../match/columns.js";
import type { Rankings } from "../match/estimates/estimate.js";
import { rankRows } from "../match/rank-pool.js";
import { defaultScorer, type ScorerFile } from "../match/scorer.js";
import { type Decision, decideMatches, labelEffect } from "./decide.js";
import { explainColumn } from "./explain.js";
import { keysOf, type RowKeys, tableWarnings } from "./keys.js";
import { calibrateWith, noLabels, type RowLabels, readLabels } from "./labels.js";
import {
  type ComparedColumn,
  comparedColumns,
  type JoinOptions,
  type JoinResult,
  type JoinTable,
} from "./options.js";
import { secondBest } from "./select.js";

/** Best left rows kept per right row; also the maximum that many-to-many returns. */
const kept = 8;
/** Neighbours among the left rows from which the spacing of a left row is measured. */
const keptSpacing = 4;
/**
 * Candidates that get all features in large tables, where neighbours by embedding are approximate too. In small tables
 * all candidates do: on AutoFJ's sets, scoring 12 of 20 costs half a point of ranking accuracy.
 */
const scoredOfMany = 12;
const spacingScoredOfMany = 8;
/** Postings visited per row: enough for every term in a table of thousands of rows, for the rare terms in larger ones. */
const postings = 12_000;

/**
 * Joins every right row to the left rows that mean the same.
 *
 *     const { matches } = await fuzzyJoin(["The New York Times", "The Times"], ["NYTimes", "The Times (London)"]);
 *
 * @throws ArgumentError
 */
export async function fuzzyJoin(
  left: JoinTable,
  right: JoinTable,
  options: JoinOptions = {},
): Promise<JoinResult> {
  const { precision = 0.9, kind = "many-to-one", top = kept, leastLikely = 0.5 } = options;
  checkOptions(options);
  options.signal?.throwIfAborted();
  const compared = comparedColumns(left, right, options.on);
  const scorer = options.scorer ?? defaultScorer();
  const [block] = options.block === undefined ? [] : comparedColumns(left, right, [options.block]);
  const blocks = block && keysOf([block]);
  const columns = await prepareColumns(compared, options);
  const rankings = await rankColumns(columns, compared, { scorer, blocks }, options);
  const labels = readLabels(compared[0], options.labels ?? []);
  const decide = (known: RowLabels): Decision => {
    const calibration = calibrateWith(rankings, known, scorer.estimate);
    const knowledge = { labels: known, calibration, estimate: scorer.estimate };
    return decideMatches(rankings, knowledge, { kind, precision, leastLikely, top });
  };
  const decision = decide(labels);
  const { pairs, proposals, matches, promise } = decision;
  const joined = new Set(matches.map((match) => match.right));
  return {
    matches,
    unmatched: pairs.flatMap((_, row) => (joined.has(row) ? [] : [row])),
    proposals,
    runnersUp: secondBest(rankings, pairs),
    estimatedPrecision: decision.estimatedPrecision,
    threshold: decision.threshold,
    promise,
    ...(options.labels?.length && { labelEffect: labelEffect(decide(noLabels), decision, labels) }),
    warnings: tableWarnings(compared, rankings),
    explain: (leftRow, rightRow) => ({
      columns: columns.map((column, index) =>
        explainColumn(column, compared[index].name, scorer, { left: leftRow, right: rightRow }),
      ),
    }),
  };
}

function checkOptions({ precision = 0.9, top = 1, leastLikely = 0, candidates = 1 }: JoinOptions): void {
  if (!(precision >= 0 && precision <= 1))
    throw new ArgumentError(`precision must be between 0 and 1, not ${precision}`);
  if (!(leastLikely >= 0 && leastLikely < 1))
    throw new ArgumentError(`leastLikely must be at least 0 and below 1, not ${leastLikely}`);
  if (!(Number.isInteger(top) && top >= 1 && top <= kept))
    throw new ArgumentError(`top must be a whole number from 1 to ${kept}, not ${top}`);
  if (!(Number.isInteger(candidates) && candidates >= 1))
    throw new ArgumentError(`candidates must be a whole number of at least 1, not ${candidates}`);
}

export async function rankColumns(
  columns: readonly ColumnPair[],
  compared: readonly ComparedColumn[],
  { scorer, blocks }: { readonly scorer: Pick<ScorerFile, "scorer">; readonly blocks?: RowKeys },
  options: Pick<JoinOptions, "candidates" | "kind" | "labels" | "signal" | "threads" | "onProgress">,
): Promise<Rankings> {
  const { candidates = 10, kind, labels = [], signal, threads, onProgress } = options;
  const isLarge = compared[0].left.length * compared[0].right.length > exactPairs;
  const settings = { scorer: scorer.scorer, candidates, postings };
  const right = await rankRows(
    {
      ...{ ...settings, columns, sameTable: false, keep: kept },
      blocks: blocks && { base: blocks.leftKeys, queries: blocks.rightKeys },
      scored: isLarge ? scoredOfMany : Infinity,
    },
    Uint32Array.from(compared[0].right.keys()),
    { threads, signal, onProgress: (done, total) => onProgress?.("comparing", done, total) },
  );
  // Spacing is needed only around rows that may be matched: the best candidate, and those that may replace it.
  const depth = kind === "one-to-one" || labels.length > 0 ? 3 : 1;
  const near = right.rows.filter((row, place) => place % kept < depth && row >= 0);
  const lefts = Uint32Array.from(new Set(near)).sort();
  const spacing = await rankRows(
    {
      ...{ ...settings, sameTable: true, keep: keptSpacing },
      columns: columns.map((column) => ({ ...column, queries: column.base })),
      blocks: blocks && { base: blocks.leftKeys, queries: blocks.leftKeys },
      scored: isLarge ? spacingScoredOfMany : Infinity,
    },
    lefts,
    {
      ...{ threads, signal },
      onProgress: (done, total) => onProgress?.("measuring the left table's spacing", done, total),
    },
  );
  const startOf = new Map(Array.from(lefts, (row, place) => [row, place * keptSpacing]));
  return {
    right,
    spacing: (row) => {
      const start = startOf.get(row);
      return start === undefined ? undefined : spacing.scores.subarray(start, start + keptSpacing);
    },
    ...keysOf(compared),
  };
}

async function prepareColumns(
  compared: readonly ComparedColumn[],
  { encoder, signal, threads, onProgress }: JoinOptions,
): Promise<ColumnPair[]> {
  const loaded = encoder === undefined ? await PhraseEncoder.load(undefined, { threads, signal }) : undefined;
  const chosen = encoder === "none" ? undefined : (encoder ?? loaded);
  const settings = {
    ...{ encoder: chosen, signal },
    onProgress: (done: number, total: number) => onProgress?.("encoding", done, total),
  };
  try {
    const columns: ColumnPair[] = [];
    for (const column of compared) columns.push(await prepareColumn(column, settings));
    return columns;
  } finally {
    await loaded?.dispose();
  }
}
