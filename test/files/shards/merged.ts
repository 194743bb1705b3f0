/** Runs work as shards and merges them in memory, as `pearl --shard` and `pearl merge` do through files. */
import { firstPass, type Kept, ShardDone, type Sharing, sharingOf } from "../../../src/files/shards/shard.js";

/** Runs work that must end early. @returns what it keeps */
async function keptBy(work: Promise<unknown>): Promise<Kept> {
  const done = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(done instanceof ShardDone)) throw done ?? new Error("the run went on");
  return done.kept;
}

/**
 * @param passes "two": a first pass does what all shards need
 * @returns what the merge returns
 */
export async function mergedRun<Result>(
  count: number,
  work: (sharing: Sharing) => Promise<Result>,
  passes: "one" | "two" = "one",
): Promise<Result> {
  const learned = passes === "two" ? await keptBy(work(firstPass)) : undefined;
  const found: Kept[] = [];
  for (let index = 1; index <= count; index++)
    found.push(await keptBy(work({ ...sharingOf({ index, count }), learned })));
  async function* parts(): AsyncGenerator<Kept> {
    yield* found;
  }
  return work({ kind: "merge", count, parts, learned });
}
