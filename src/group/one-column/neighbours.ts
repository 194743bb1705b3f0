/** Finds the phrases of a table that may mean the same: the nearest by embedding and by n-grams. */
import { ownRange } from "../../files/shards/shard.js";
import { nearestByEmbedding } from "../../match/candidates/nearest-by-embedding.js";
import { PairSet, type Pairs } from "../../match/candidates/pair-set.js";
import type { ColumnPair } from "../../match/columns.js";
import { manyRows, perRowOfMany } from "../../match/compare-tables.js";
import { candidateRows } from "../../match/rank-rows.js";
import { pauses } from "../../match/run/pause.js";
import { chosenPlaces } from "../../match/weights/chosen-places.js";
import type { SameTableOptions } from "../same-table.js";
import { type NumberedPhrases, sameNumbers } from "./distinct-phrases.js";

/** Neighbours of a phrase by embedding, and as many by n-grams; postings visited for these. */
const limits = { candidates: 15, postings: 50_000 };
/** In large tables, as many as where several columns are compared. */
const limitsOfMany = { ...perRowOfMany, candidates: perRowOfMany.k };
/** Above this many pairs, those of 50,000 phrases, neighbours by embedding are found with IVF lists. */
const MANY_PAIRS = 50_000 ** 2;
/** Up to this many phrases with the same numbers, a numbered phrase is compared with all of them. */
const SMALL_BLOCK = 50;
/** In larger blocks, the postings visited: the numbers and the rare words come first. */
const BLOCK_POSTINGS = 5_000;
/** Phrases between two checks of the signal. */
const PORTION = 1024;

/**
 * Pairs of rows to compare, each once, the lower row on the left. A shard finds those of its range of the phrases.
 * @param column the phrases on both sides
 */
export async function neighbourPairs(
  column: ColumnPair,
  numbered: NumberedPhrases,
  { sharing, spill, signal, onProgress }: SameTableOptions,
): Promise<Pairs> {
  const size = column.base.texts.length;
  const { isNumbered, numbers } = numbered;
  const { from, to } = ownRange(size, sharing);
  const ordinary = chosenPlaces(size, (row) => isNumbered[row] === 0);
  const own = Uint32Array.from(ordinary.filter((row) => row >= from && row < to));
  const { candidates, postings, ...others } = size > manyRows ? limitsOfMany : limits;
  const settings = { k: candidates + 1, manyPairs: MANY_PAIRS, total: ordinary.length, signal };
  const near = await nearestByEmbedding(column, own, settings);
  const table = { ...others, column, sameTable: true, candidates };
  const find = candidateRows({ ...table, postings });
  const blocks = { base: numbers, queries: numbers };
  const findInBlock = candidateRows({ ...table, blocks, postings: BLOCK_POSTINGS });
  const withNumbersOf = sameNumbers(numbered);
  const none = { k: 0, rows: new Int32Array(0) };
  let position = 0;
  const candidatesOf = (row: number): Iterable<number> => {
    if (isNumbered[row] === 0) return find(row, position++, near);
    const same = withNumbersOf(row);
    return same.length <= SMALL_BLOCK ? same.filter((other) => other !== row) : findInBlock(row, 0, none);
  };
  const pause = pauses(signal, PORTION, (done) => onProgress?.(done, to - from, "finding candidates"));
  const pairs = new PairSet(size, spill);
  try {
    for (let row = from; row < to; row++) {
      const waiting = pause();
      if (waiting !== undefined) await waiting;
      for (const other of candidatesOf(row)) pairs.add(Math.min(row, other), Math.max(row, other));
    }
    return pairs.finish();
  } finally {
    spill?.runs.close();
  }
}
