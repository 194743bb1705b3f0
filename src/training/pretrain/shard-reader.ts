/** Which shard a batch is drawn from; one is in memory at a time. */
import { readShard, type TextShards } from "./text-shards.js";

/** Batches that are drawn from one shard before the next. */
const BATCHES_OF_A_SHARD = 50;

/** Gives the text for a batch's number. */
export type ShardReader = (batch: number) => Promise<Int32Array>;

export function shardReader(shards: Pick<TextShards, "folder" | "shards">): ShardReader {
  let current: { readonly index: number; readonly text: Promise<Int32Array> } | undefined;
  return (batch) => {
    const index = Math.floor(batch / BATCHES_OF_A_SHARD) % shards.shards;
    if (current?.index !== index) current = { index, text: readShard(shards, index) };
    return current.text;
  };
}
