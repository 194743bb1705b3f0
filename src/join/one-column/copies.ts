/**
 * Rows of equal text: a text is ranked once, and its rows share what was found. Where each row was ranked, the copies of one
 * text filled all places, and no other text was seen.
 */

import { groupBy } from "../../by-key.js";
import { formatCount } from "../../files/count-text.js";
import { isLikeArray, likeArray } from "../../like-array.js";
import type { TableColumns } from "../../match/columns/align.js";
import { TextNumbers } from "../../match/columns/texts.js";
import type { JoinColumn } from "../../match/columns.js";
import type { KnownPair, RowMatch } from "../../match/compare-tables.js";
import { candidatesOf, type Rankings } from "../../match/estimates/estimate.js";
import type { PrecisionReport } from "../../match/estimates/promise.js";
import { foldPhrase } from "../../match/evidence/phrase.js";
import { contradictions } from "../../match/phrase-column.js";
import type { RankedRows } from "../../match/rank-rows.js";
import { isVisible } from "../../text/visible.js";
import type { LeftRanker } from "../precision.js";

/** The different texts of a column in canonical order, in which equal ones follow each other. */
export interface DifferentTexts {
  readonly cells: readonly string[];
  /** The text of each row. */
  readonly textOf: Int32Array;
  /** [texts + 1] the first row of each text. */
  readonly starts: Uint32Array;
}

export function differentTexts(cells: readonly string[]): DifferentTexts {
  const firsts: number[] = [];
  let last: string | undefined;
  const textOf = Int32Array.from({ length: cells.length }, (_, row) => {
    const text = cells[row];
    if (text !== last) firsts.push(row);
    last = text;
    return firsts.length - 1;
  });
  const at = (text: number): string => cells[firsts[text]];
  const different = isLikeArray(cells) ? likeArray(firsts.length, at) : Array.from(firsts.keys(), at);
  return { cells: different, textOf, starts: Uint32Array.from([...firsts, cells.length]) };
}

/** Places for other texts beside the copies of the best ones. */
const furtherTexts = 4;

export interface RankedTables extends Omit<Rankings, "spacing">, LeftRanker {}

/** Whether a left row may be the partner of a right one. */
type MayMatch = (left: number, right: number) => boolean;

/**
 * The rankings of rows from those of their texts.
 * @param onePartner whether a left row has one right row: then equal right rows begin with different copies
 */
export function rankedByRow(
  tables: RankedTables,
  [left, right]: readonly DifferentTexts[],
  onePartner: boolean,
  mayMatch?: MayMatch,
): RankedTables {
  const isPlain = [left, right].every(({ cells, textOf }) => cells.length === textOf.length);
  if (isPlain && mayMatch === undefined) return tables;
  const { right: ranked, measureSpacing, rankLeft, leftKeys, rightKeys } = tables;
  const copies = left.cells.length < left.textOf.length ? ranked.keep - 1 : 0;
  const textsOf = (rows: Iterable<number>): Uint32Array =>
    Uint32Array.from(new Set(Array.from(rows, (row) => left.textOf[row])));
  const rotation = right.textOf.map((text, row) => (onePartner ? row - right.starts[text] : 0));
  return {
    leftKeys: left.textOf.map((text) => leftKeys[text]),
    rightKeys: right.textOf.map((text) => rightKeys[text]),
    right: toRows(ranked, left.starts, right.textOf, { copies, rotation }, mayMatch),
    measureSpacing: async (rows) => {
      const spacing = await measureSpacing(textsOf(rows));
      return (row) => spacing(left.textOf[row]);
    },
    rankLeft: async (rows, keep) => {
      const texts = textsOf(rows);
      const places = new Map(Array.from(texts, (text, place) => [text, place]));
      const asked = Int32Array.from(rows, (row) => places.get(left.textOf[row])!);
      return toRows(await rankLeft(texts, keep), left.starts, asked);
    },
  };
}

/**
 * @param starts the first row of each left text
 * @param places of the asked rows in the ranking of their texts
 * @param copies how many rows are kept besides the first of each text, and at which copy each asked row begins
 */
function toRows(
  ranked: RankedRows,
  starts: Uint32Array,
  places: Int32Array,
  { copies, rotation }: { readonly copies: number; readonly rotation?: Int32Array } = { copies: 0 },
  mayMatch: MayMatch = () => true,
): RankedRows {
  const keep = ranked.keep + (copies > 0 ? furtherTexts : 0);
  const rows = new Int32Array(places.length * keep).fill(-1);
  const scores = new Float32Array(places.length * keep).fill(-Infinity);
  places.forEach((place, asked) => {
    let [at, spare] = [asked * keep, copies];
    for (const { left: text, score } of candidatesOf(ranked, place)) {
      const count = starts[text + 1] - starts[text];
      let found = 0;
      for (let step = 0; step < count && found <= spare && at < (asked + 1) * keep; step++) {
        const row = starts[text] + (((rotation?.[asked] ?? 0) + step) % count);
        if (!mayMatch(row, asked)) continue;
        found++;
        rows[at] = row;
        scores[at++] = score;
      }
      spare -= Math.max(0, found - 1);
    }
  });
  return { keep, rows, scores };
}

type RowKeys = Pick<Rankings, "leftKeys" | "rightKeys">;

/** Numbers rows: the same number for rows with cells that differ only in case, accents and spaces. */
export function keysOf({ left, right }: JoinColumn): RowKeys {
  const numbers = new TextNumbers();
  const keyOf = (text: string): number => numbers.numberOf(foldPhrase(text));
  return { leftKeys: Int32Array.from(left, keyOf), rightKeys: Int32Array.from(right, keyOf) };
}

/** With fewer left rows, their spacing is weak evidence. */
const fewRows = 20;

/** One sentence for each thing that weakens the join. @param sides the place of each row of the left and the right table */
export function tableWarnings(
  texts: JoinColumn,
  name: string,
  { leftKeys, rightKeys }: RowKeys,
  [left, right]: readonly { readonly places: Uint32Array }[],
): string[] {
  const warnings: string[] = [];
  // Empty rows match nothing, and have a warning of their own.
  const filled = leftKeys.filter((_, row) => isVisible(texts.left[row]));
  const repeated = filled.length - new Set(filled).size;
  if (repeated > 0)
    warnings.push(
      `left table: ${formatCount(repeated)} of ${formatCount(leftKeys.length)} rows repeat the ${name} of another row. The ` +
        "precision estimate assumes a left table with almost no duplicates; remove them first.",
    );
  if (leftKeys.length < fewRows)
    warnings.push(
      `left table: ${formatCount(leftKeys.length)} row${leftKeys.length === 1 ? " is" : "s are"} too few to show how far apart ` +
        "different things are; check the matches before you rely on the estimated precision.",
    );
  for (const side of ["left", "right"] as const) {
    const empty = texts[side].filter((text) => !isVisible(text)).length;
    if (empty > 0) {
      const rows = `${formatCount(empty)} of ${formatCount(texts[side].length)} rows`;
      warnings.push(`${side} table: ${name} is empty in ${rows}; they match nothing.`);
    }
  }
  const isSame =
    leftKeys.length === rightKeys.length &&
    left.places.every((place, row) => leftKeys[place] === rightKeys[right.places[row]]);
  if (isSame && leftKeys.length > 1)
    warnings.push(`both tables contain the same ${name} in the same order: every row matches itself.`);
  return warnings;
}

/** Copies of a left row that are looked at: more change its share little. */
const mostCopies = 50;

/**
 * The promise of a join by one column where its matches may be with the wrong one of several left rows with equal cells: those that
 * differ in most other columns are other things, and one of k is meant. Known pairs are right.
 */
export function amongCopies(
  report: PrecisionReport,
  matches: readonly RowMatch[],
  {
    left,
    name,
    known,
  }: { readonly left: TableColumns; readonly name: string; readonly known: readonly KnownPair[] },
): PrecisionReport {
  const differ = contradictions(left, name);
  if (differ === undefined || matches.length === 0) return report;
  const copies = groupBy([...left[name].keys()], (row) => foldPhrase(left[name][row]));
  const given = new Set(known.map((pair) => pair.right));
  let [right, unclear] = [0, 0];
  for (const match of matches) {
    const others = (copies.get(foldPhrase(left[name][match.left])) ?? [])
      .slice(0, mostCopies)
      .filter((row) => row !== match.left && differ(row, match.left)).length;
    const isClear = others === 0 || given.has(match.right);
    right += isClear ? 1 : 1 / (1 + others);
    if (!isClear) unclear++;
  }
  const most = right / matches.length;
  const { estimate, low, promise } = report;
  if (most >= promise.target) return report;
  const reason =
    `${formatCount(unclear)} of ${formatCount(matches.length)} matches are with one of several left rows of the same ${name} ` +
    "that differ otherwise";
  return {
    ...{ estimate: Math.min(estimate, most), low: Math.min(low, most), high: report.high },
    promise: { target: promise.target, established: false, reason },
  };
}
