/** Runs work as shards and merges them in memory, as `pearl --shard` and `pearl merge` do through files. */
import { type Kept, ShardDone, type Sharing, sharingOf } from "../../../src/files/shards/shard.js";

/** @returns what the merge returns */
export async function mergedRun<Result>(
  count: number,
  work: (sharing: Sharing) => Promise<Result>,
): Promise<Result> {
  const parts: Kept[] = [];
  for (let index = 1; index <= count; index++) {
    const done = await work(sharingOf({ index, count })).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(done instanceof ShardDone)) throw done ?? new Error(`shard ${index} of ${count} went on`);
    parts.push(done.kept);
  }
  return work({
    kind: "merge",
    async *parts() {
      yield* parts;
    },
  });
}
