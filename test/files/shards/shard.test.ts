import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/errors.js";
import { ownRange, ShardDone, shardRange, sharingOf } from "../../../src/files/shards/shard.js";
import { createRandom } from "../../../src/random.js";

describe("the ranges of shards", () => {
  it("are all items in order, whole units each, for any sizes", () => {
    const random = createRandom(5);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    for (let round = 0; round < 200; round++) {
      const [total, count, unit] = [upTo(500), 1 + upTo(40), 1 + upTo(60)];
      let next = 0;
      for (let index = 1; index <= count; index++) {
        const { from, to } = shardRange(total, { index, count }, unit);
        expect(from).toBe(next);
        expect(to).toBeGreaterThanOrEqual(from);
        if (from < total) expect(from % unit).toBe(0);
        expect(to - from).toBeLessThanOrEqual(Math.ceil(Math.ceil(total / unit) / count) * unit);
        next = to;
      }
      expect(next).toBe(total);
    }
  });

  it("refuses a shard beyond the last", () => {
    for (const index of [0, 4, 1.5]) expect(() => shardRange(9, { index, count: 3 })).toThrow(ArgumentError);
  });
});

describe("a run that shares its work", () => {
  it("does its range, and all items where it is alone or merges", () => {
    const sharing = sharingOf({ index: 2, count: 2 });
    expect(ownRange(10, sharing)).toEqual({ from: 5, to: 10 });
    expect(ownRange(10, undefined)).toEqual({ from: 0, to: 10 });
    expect(ownRange(10, { kind: "merge", count: 0, async *parts() {} })).toEqual({
      from: 0,
      to: 10,
    });
  });

  it("ends with what it keeps", () => {
    const kept = { rows: Int32Array.of(1, 2) };
    expect(() => sharingOf({ index: 1, count: 1 }).end(kept)).toThrow(ShardDone);
    try {
      sharingOf({ index: 1, count: 1 }).end(kept);
    } catch (error) {
      expect((error as ShardDone).kept).toBe(kept);
    }
  });
});
