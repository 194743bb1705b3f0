/**
 * Rows of equal text: a text is ranked once, and its rows share what was found. Where each row was ranked, the copies of one
 * text filled all places, and no other text was seen.
 */
import { isLikeArray, likeArray } from "../../like-array.js";
import { candidatesOf, type Rankings } from "../../match/estimates/estimate.js";
import type { RankedRows } from "../../match/rank-rows.js";
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

/**
 * The rankings of rows from those of their texts.
 * @param onePartner whether a left row has one right row: then equal right rows begin with different copies
 */
export function rankedByRow(
  tables: RankedTables,
  [left, right]: readonly DifferentTexts[],
  onePartner: boolean,
): RankedTables {
  if ([left, right].every(({ cells, textOf }) => cells.length === textOf.length)) return tables;
  const { right: ranked, measureSpacing, rankLeft, leftKeys, rightKeys } = tables;
  const copies = left.cells.length < left.textOf.length ? ranked.keep - 1 : 0;
  const textsOf = (rows: Iterable<number>): Uint32Array =>
    Uint32Array.from(new Set(Array.from(rows, (row) => left.textOf[row])));
  const rotation = right.textOf.map((text, row) => (onePartner ? row - right.starts[text] : 0));
  return {
    leftKeys: left.textOf.map((text) => leftKeys[text]),
    rightKeys: right.textOf.map((text) => rightKeys[text]),
    right: toRows(ranked, left.starts, right.textOf, { copies, rotation }),
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
): RankedRows {
  const keep = ranked.keep + (copies > 0 ? furtherTexts : 0);
  const rows = new Int32Array(places.length * keep).fill(-1);
  const scores = new Float32Array(places.length * keep).fill(-Infinity);
  places.forEach((place, asked) => {
    let [at, spare] = [asked * keep, copies];
    for (const { left: text, score } of candidatesOf(ranked, place)) {
      const count = starts[text + 1] - starts[text];
      const further = Math.min(spare, count - 1);
      spare -= further;
      for (let step = 0; step <= further && at < (asked + 1) * keep; step++, at++) {
        rows[at] = starts[text] + (((rotation?.[asked] ?? 0) + step) % count);
        scores[at] = score;
      }
    }
  });
  return { keep, rows, scores };
}
