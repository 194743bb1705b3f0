/** Candidate pairs with their levels as parts of sharded work: each shard keeps those of its rows, a merge unites them. */
import type { Kept, Sharing } from "../../files/shards/shard.js";
import { PairSet, type Pairs } from "../candidates/pair-set.js";

export interface ComparedPairs {
  readonly pairs: Pairs;
  /** One array per column with the level of each pair. */
  readonly levels: readonly Int8Array[];
}

/**
 * The pairs of all rows: found here, or by the shards that are merged. A shard's run ends with what it found.
 * @param rightRows number of rows of the right table
 */
export async function sharedPairs(
  find: () => Promise<ComparedPairs>,
  rightRows: number,
  sharing: Sharing | undefined,
): Promise<ComparedPairs> {
  if (sharing?.kind === "merge") return united(sharing.parts, rightRows);
  const found = await find();
  if (sharing === undefined) return found;
  const { pairs, levels } = found;
  const named = levels.map((ofColumn, column) => [levelName(column), ofColumn] as const);
  return sharing.end({ left: pairs.left, right: pairs.right, ...Object.fromEntries(named) });
}

const levelName = (column: number): string => `levels ${column}`;

/** Two shards that found the same pair, from its left and from its right row, gave it the same levels. */
async function united(parts: () => AsyncIterable<Kept>, rightRows: number): Promise<ComparedPairs> {
  const set = new PairSet(rightRows);
  let columns = 0;
  for await (const { left, right, ...levels } of parts()) {
    columns = Object.keys(levels).length;
    for (let pair = 0; pair < left.length; pair++) set.add(left[pair], right[pair]);
  }
  const pairs = set.finish();
  const all = Array.from({ length: columns }, () => new Int8Array(pairs.left.length));
  for await (const { left, right, ...levels } of parts()) {
    const own = all.map((_, column) => levels[levelName(column)]);
    // Both lists of pairs ascend.
    let place = 0;
    for (let pair = 0; pair < left.length; pair++) {
      while (pairs.left[place] !== left[pair] || pairs.right[place] !== right[pair]) place++;
      for (let column = 0; column < columns; column++) all[column][place] = own[column][pair];
    }
  }
  return { pairs, levels: all };
}
