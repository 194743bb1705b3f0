/** Which shard a batch is drawn from; one is in memory at a time. */
import { createRandom } from "../../random.js";
import { readShard, type TextShards } from "./text-shards.js";

/** Batches that are drawn from one shard before the next is read. */
const BATCHES_OF_A_SHARD = 4;

/** Gives the text for a batch's number. */
export type ShardReader = (batch: number) => Promise<Int32Array>;

export function shardReader(shards: Pick<TextShards, "folder" | "shards">): ShardReader {
  let current: { readonly index: number; readonly text: Promise<Int32Array> } | undefined;
  return (batch) => {
    // shards come in no order: each is of few texts, and what is read last would be remembered best
    const random = createRandom(Math.floor(batch / BATCHES_OF_A_SHARD));
    const index = Math.floor(random() * shards.shards);
    if (current?.index !== index) current = { index, text: readShard(shards, index) };
    return current.text;
  };
}
