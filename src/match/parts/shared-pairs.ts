/** Candidate pairs with their levels as parts of sharded work: each shard keeps those of its rows, a merge unites them. */
import type { Kept, Sharing } from "../../files/shards/shard.js";
import { PairSet, type Pairs } from "../candidates/pair-set.js";

export interface ComparedPairs<Levels extends Int8Array | Float32Array = Int8Array> {
  readonly pairs: Pairs;
  /** One array per column with the level of each pair. */
  readonly levels: readonly Levels[];
}

/**
 * The pairs of all rows: found here, or by the shards that are merged. A shard's run ends with what it found.
 * @param rightRows number of rows of the right table
 */
export async function sharedPairs<Levels extends Int8Array | Float32Array>(
  find: () => Promise<ComparedPairs<Levels>>,
  rightRows: number,
  sharing: Sharing | undefined,
): Promise<ComparedPairs<Levels>> {
  if (sharing?.kind === "merge") return united<Levels>(sharing.parts, rightRows);
  const found = await find();
  if (sharing?.kind !== "shard") return found;
  const { pairs, levels } = found;
  const named = levels.map((ofColumn, column) => [levelName(column), ofColumn] as const);
  return sharing.end({ left: pairs.left, right: pairs.right, ...Object.fromEntries(named) });
}

const levelName = (column: number): string => `levels ${column}`;

/** Two shards that found the same pair, from its left and from its right row, gave it the same levels. */
async function united<Levels extends Int8Array | Float32Array>(
  parts: () => AsyncIterable<Kept>,
  rightRows: number,
): Promise<ComparedPairs<Levels>> {
  const set = new PairSet(rightRows);
  for await (const { left, right } of parts())
    for (let pair = 0; pair < left.length; pair++) set.add(left[pair], right[pair]);
  const pairs = set.finish();
  let all: Levels[] = [];
  for await (const { left, right, ...levels } of parts()) {
    const own = Object.keys(levels).map((_, column) => levels[levelName(column)] as Levels);
    if (all.length === 0) all = own.map((values) => roomLike(values, pairs.left.length));
    // Both lists of pairs ascend.
    let place = 0;
    for (let pair = 0; pair < left.length; pair++) {
      while (pairs.left[place] !== left[pair] || pairs.right[place] !== right[pair]) place++;
      for (let column = 0; column < all.length; column++) all[column][place] = own[column][pair];
    }
  }
  return { pairs, levels: all };
}

const roomLike = <Levels extends Int8Array | Float32Array>(values: Levels, length: number): Levels =>
  new (values.constructor as new (length: number) => Levels)(length);
