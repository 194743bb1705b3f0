/** Runs work as shards and merges them in memory, as `pearl --shard` and `pearl merge` do through files. */
import {
  firstPass,
  type Kept,
  type KeptArray,
  type KeptReader,
  ShardDone,
  type Sharing,
  sharingOf,
} from "../../../src/files/shards/shard.js";
import { compareShard } from "../../../src/match/shards/compare-shard.js";
import { isComparison } from "../../../src/match/shards/kept-comparison.js";

/** Runs work that must end early. @returns what it keeps */
async function keptBy(work: Promise<unknown>): Promise<Kept> {
  const done = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(done instanceof ShardDone)) throw done ?? new Error("the run went on");
  return done.kept;
}

/** Reads copies of arrays. */
export const readerOf = (kept: Kept): KeptReader => ({
  lengthOf: (name) => kept[name]?.length,
  read: async <Numbers extends KeptArray>(name: string, from?: number, to?: number) =>
    kept[name].slice(from, to) as Numbers,
});

/**
 * @param passes "two": a first pass does what all shards need
 * @returns what the merge returns
 */
export async function mergedRun<Result>(
  count: number,
  work: (sharing: Sharing) => Promise<Result>,
  passes: "one" | "two" = "one",
): Promise<Result> {
  const learned = passes === "two" ? readerOf(await keptBy(work(firstPass))) : undefined;
  const found: Kept[] = [];
  for (let index = 1; index <= count; index++) {
    const shard = { index, count };
    found.push(
      learned !== undefined && isComparison(learned)
        ? await compareShard(learned, shard)
        : await keptBy(work({ ...sharingOf(shard), learned })),
    );
  }
  async function* parts(): AsyncGenerator<Kept> {
    yield* found;
  }
  return work({ kind: "merge", count, parts, learned });
}
