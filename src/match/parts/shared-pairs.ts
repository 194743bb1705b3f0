/** Candidate pairs with their levels as parts of sharded work: each shard keeps those of its rows, a merge unites them. */
import type { Kept, Sharing } from "../../files/shards/shard.js";
import type { PairSet, Pairs } from "../candidates/pair-set.js";

type Levels = Int8Array | Float32Array;
/** Reads what shards kept, one after the other. */
export type Parts = (Sharing & { readonly kind: "merge" })["parts"];

/** Ends a shard's run. @param levels one array per column with the level of each pair */
export function endWithPairs(
  sharing: Sharing & { readonly kind: "shard" },
  { left, right }: Pairs,
  levels: readonly Levels[],
): never {
  const named = levels.map((ofColumn, column) => [levelName(column), ofColumn] as const);
  return sharing.end({ left, right, ...Object.fromEntries(named) });
}

const levelName = (column: number): string => `levels ${column}`;

/** The pairs that all shards found. @param set an empty one */
export async function unitedPairs(parts: Parts, set: PairSet): Promise<Pairs> {
  for await (const { left, right } of parts())
    for (let pair = 0; pair < left.length; pair++) set.add(left[pair], right[pair]);
  return set.finish();
}

/**
 * The levels of each shard's pairs, per column, and the places of these pairs among all. Two shards that found the same pair,
 * from its left and from its right row, gave it the same levels.
 */
export async function* levelsOfParts<Own extends Levels>(
  parts: Parts,
  all: Pairs,
): AsyncGenerator<{ readonly levels: readonly Own[]; readonly places: Int32Array }> {
  for await (const { left, right, ...levels } of parts())
    yield {
      levels: Object.keys(levels).map((_, column) => levels[levelName(column)] as Own),
      places: placesAmong(all, { left, right }),
    };
}

/** Both lists of pairs ascend. */
function placesAmong(all: Pairs, { left, right }: Pick<Kept, "left" | "right">): Int32Array {
  let place = 0;
  return Int32Array.from(left as Int32Array, (row, pair) => {
    while (all.left[place] !== row || all.right[place] !== right[pair]) place++;
    return place++;
  });
}
