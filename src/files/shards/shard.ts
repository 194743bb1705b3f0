/** Shards of a command's work: contiguous ranges of its items, and what a command does with its share. */
import { ArgumentError } from "../../errors.js";

/** The index-th of `count` shards, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Items from `from` to `to`, exclusive, counted from 0: what a thread, a shard or the memory takes of the whole. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The items of a shard. The ranges of all shards, in order, are all items.
 * @param unit ranges begin at multiples of it, for work whose results depend on what is done together
 * @throws ArgumentError for a shard beyond the last
 */
export function shardRange(total: number, { index, count }: Shard, unit = 1): Range {
  if (!(Number.isInteger(index) && index >= 1 && index <= count))
    throw new ArgumentError(`shard ${index}/${count}: the shard's number must be from 1 to ${count}`);
  const units = Math.ceil(total / unit);
  const start = (shard: number): number => Math.min(total, Math.floor((shard * units) / count) * unit);
  return { from: start(index - 1), to: start(index) };
}

/** Numbers and bytes that a part keeps. */
export type KeptArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** What a shard found, by name. */
export type Kept = Readonly<Record<string, KeptArray>>;

/** What was kept, read as far as it is needed. */
export interface KeptReader {
  /** Numbers of an array; undefined where there is none of the name. */
  lengthOf(name: string): number | undefined;
  /** An array, or its numbers `from` to `to`, exclusive. */
  read<Numbers extends KeptArray>(name: string, from?: number, to?: number): Promise<Numbers>;
}

/** Ends a run: what it keeps is all that others need of it. Always throws {@link ShardDone}. */
type End = (kept: Kept) => never;

/**
 * How a run shares the long stages of its work with others. A first pass does what every shard needs, and ends. A shard does
 * its range of a stage's items, and ends. A merge takes the results of all shards and continues as one run does.
 */
export type Sharing = {
  /** What a first pass kept; without one, each run makes it. */
  readonly learned?: KeptReader;
} & (
  | { readonly kind: "learn"; readonly end: End }
  | { readonly kind: "shard"; readonly shard: Shard; readonly end: End }
  | {
      readonly kind: "merge";
      readonly count: number;
      /** One after the other, in the order of the shards. @param names of the arrays that are read; default all */
      parts(names?: readonly string[]): AsyncGenerator<Kept>;
    }
);

/** Whether a run ends before there is a result. */
export const endsEarly = (sharing: Sharing | undefined): boolean =>
  sharing !== undefined && sharing.kind !== "merge";

/** Ends a run that has nothing to share, unless it merges. */
export function endWithNothing(sharing: Sharing | undefined): void {
  if (sharing !== undefined && sharing.kind !== "merge") sharing.end({});
}

/** Ends a command where its shard's work is done, as an abort does: nothing is open behind it. */
export class ShardDone extends Error {
  constructor(readonly kept: Kept) {
    super("the shard is done");
  }
}

const end: End = (kept) => {
  throw new ShardDone(kept);
};

/** @returns how a run does one shard */
export const sharingOf = (shard: Shard) => ({ kind: "shard", shard, end }) as const;

/** How a run is the first pass. */
export const firstPass: Sharing = { kind: "learn", end };

/** Arrays of these names that a first pass kept, or else made by this run. */
export async function learnedOnce(
  names: readonly string[],
  make: () => Promise<Kept>,
  sharing: Sharing | undefined,
): Promise<Kept> {
  const { learned } = sharing ?? {};
  if (learned === undefined) return make();
  const found: Record<string, KeptArray> = {};
  for (const name of names) if (learned.lengthOf(name) !== undefined) found[name] = await learned.read(name);
  return found;
}

/** The range of a stage's items that this run does: a shard's, or all. */
export const ownRange = (total: number, sharing: Sharing | undefined, unit?: number): Range =>
  sharing?.kind === "shard" ? shardRange(total, sharing.shard, unit) : { from: 0, to: total };
