/** Compares one shard of the pairs that a first pass found. */
import type { Kept, KeptReader, Shard } from "../../files/shards/shard.js";
import { rowComparison } from "../evidence/pair-evidence.js";
import { comparedClasses } from "../evidence/pair-levels.js";
import { type MemoryLimit, needOfShard, planMemory, type ShardSize } from "../memory/memory-plan.js";
import type { RangeOptions } from "../run/partition.js";
import { nameOf, readComparison, readHead } from "./kept-comparison.js";
import { keptPairs } from "./shared-pairs.js";

interface ShardOptions extends RangeOptions {
  readonly memory?: MemoryLimit;
  readonly onNote?: (note: string) => void;
}

/**
 * @param learned what `--learn` kept
 * @returns what the merge needs of the shard
 * @throws ArgumentError for a limit of memory that is too small; an aborted call rejects with the reason of its signal
 */
export async function compareShard(
  learned: KeptReader,
  shard: Shard,
  { memory, onNote, ...run }: ShardOptions = {},
): Promise<Kept> {
  let { threads } = run;
  if (memory !== undefined) {
    const need = needOfShard(await sizeOfShard(learned, shard));
    const plan = await planMemory(memory, need, threads);
    onNote?.(plan.note);
    threads = plan.threads;
  }
  const { settings, pairs, rows } = await readComparison(learned, shard);
  const classes = await comparedClasses(rowComparison(settings), pairs, { ...run, threads });
  for (const [place, side] of (["left", "right"] as const).entries())
    for (let pair = 0; pair < pairs[side].length; pair++) pairs[side][pair] = rows[place][pairs[side][pair]];
  return keptPairs(pairs, classes);
}

/** What a shard compares, before it is read. */
export async function sizeOfShard(kept: KeptReader, shard: Shard): Promise<ShardSize> {
  const { rows, fields, dimension, naming } = await readHead(kept);
  const pairs = Math.ceil(kept.lengthOf("left")! / shard.count);
  const [smaller, larger] = [...rows].sort((a, b) => a - b);
  const ofSides = [Math.min(smaller, pairs), Math.ceil(larger / shard.count)];
  return {
    ...{ rows: ofSides, columns: fields.length, pairs, dimension },
    words: kept.lengthOf("isCode")!,
    names: naming < 0 ? 0 : Math.min(kept.lengthOf(`${nameOf(naming)} counts`)!, ofSides[0] + ofSides[1]),
  };
}
