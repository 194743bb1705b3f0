/** Candidate pairs with their levels as parts of sharded work: each shard keeps some, a merge unites them. */
import { type Kept, type Sharing, shardRange } from "../../files/shards/shard.js";
import { shared } from "../../runtime/shared-array.js";
import type { PairSet, Pairs } from "../candidates/pair-set.js";
import { SortedRows } from "../weights/left-rows.js";
import { ClassesBuilder, type PairClasses, roomFor, withRoom } from "../weights/pair-classes.js";

type Merge = Sharing & { readonly kind: "merge" };
/** Reads what shards kept, one after the other. */
type Parts = Merge["parts"];

/** What a shard found: its pairs with their classes. */
export function keptPairs({ left, right }: Pairs, { classOf, levels }: PairClasses): Kept {
  const named = levels.map((ofColumn, column) => [levelName(column), ofColumn] as const);
  return { left, right, classOf, ...Object.fromEntries(named) };
}

const levelName = (column: number): string => `levels ${column}`;

const levelsIn = (levels: Kept): Int8Array[] =>
  Object.keys(levels).map((_, column) => levels[levelName(column)] as Int8Array);

/** The pairs of a shard where it compares a range of all. */
export function ownPairs({ left, right }: Pairs, { shard }: Sharing & { readonly kind: "shard" }): Pairs {
  const { from, to } = shardRange(left.length, shard);
  return { left: left.slice(from, to), right: right.slice(from, to) };
}

/**
 * The pairs and classes of all shards. Each compared pairs that no other did, of a range of all pairs or of the right rows: of
 * every left row, those of a later shard come later.
 * @param rows of the left table
 */
export async function mergedClasses({ parts }: Merge, rows: number, columns: number) {
  const starts = shared(Uint32Array, rows + 1);
  for await (const { left } of parts(["left"])) for (const row of left) starts[row + 1]++;
  for (let row = 0; row < rows; row++) starts[row + 1] += starts[row];
  const next = starts.slice(0, rows);
  const count = starts[rows];
  const allRight = withRoom(roomFor(count), count);
  const classes = new ClassesBuilder(columns, count);
  for await (const { left, right, classOf, ...levels } of parts()) {
    const places = new Uint32Array(left.length);
    for (let pair = 0; pair < places.length; pair++) {
      places[pair] = next[left[pair]]++;
      allRight[places[pair]] = right[pair];
    }
    classes.addClasses({ classOf: classOf as Int32Array, levels: levelsIn(levels) }, places);
  }
  return { pairs: { left: SortedRows.from(starts), right: allRight }, classes: classes.finish() };
}

/** The pairs that all shards found. @param set an empty one */
export async function unitedPairs(parts: Parts, set: PairSet): Promise<Pairs> {
  for await (const { left, right } of parts())
    for (let pair = 0; pair < left.length; pair++) set.add(left[pair], right[pair]);
  return set.finish();
}

/**
 * The scores of pairs that shards found, each for its rows. Two shards that found the same pair, from its left and from its right
 * row, gave it the same score.
 */
export async function mergedScores(parts: Parts, all: Pairs): Promise<Float32Array> {
  const scores = new Float32Array(all.left.length);
  for await (const { left, right, scores: found } of parts()) {
    // Both lists of pairs ascend.
    let place = 0;
    for (let pair = 0; pair < left.length; pair++) {
      while (all.left[place] !== left[pair] || all.right[place] !== right[pair]) place++;
      scores[place++] = found[pair];
    }
  }
  return scores;
}
