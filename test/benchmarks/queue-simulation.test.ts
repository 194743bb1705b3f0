/** The simulated queue of docs/scale.md against closed forms, and against a case worked by hand. */
import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../src/random.js";

type Draw = (random: Random) => number;
interface Found {
  seconds: number;
  worked: number;
  lost: number;
  kills: number;
  dead: number;
}
const { simulateQueue, pareto, exponential } = (await import(
  new URL("../../benchmarks/scale/queue.mjs", import.meta.url).href
)) as {
  simulateQueue: (run: object) => Found;
  pareto: (tail: number) => Draw;
  exponential: (mean: number) => Draw;
};

/** The queue answers at once. */
const instant = { poll: 0, retryDelay: 0, random: () => 0 };

/** The mean of many runs with different seeds. */
function mean(of: keyof Found, runs: number, run: object): number {
  let sum = 0;
  for (let seed = 0; seed < runs; seed++) sum += simulateQueue({ ...run, random: createRandom(seed) })[of];
  return sum / runs;
}

describe("equal shards without kills", () => {
  it.each([
    [1, 1],
    [4, 16],
    [4, 17],
    [7, 3],
    [256, 1000],
  ])(
    "by %i workers, %i shards: rounds of all workers, between the first pass and the merge",
    (workers, shards) => {
      const run = { ...instant, workers, shards, shard: 10 };
      const rounds = Math.ceil(shards / workers);
      expect(simulateQueue(run)).toEqual({
        seconds: 10 * rounds,
        worked: 10 * shards,
        lost: 0,
        kills: 0,
        dead: 0,
      });
      expect(simulateQueue({ ...run, learn: 7, merge: 5 }).seconds).toBe(7 + 10 * rounds + 5);
    },
  );

  it("cost idle workers half a second on average for each look", () => {
    const run = { workers: 1, shards: 1, shard: 10, merge: 5 };
    // The worker is busy until the merge is queued, and takes it at once.
    expect(mean("seconds", 10, run)).toBe(15);
    // Another worker takes what the first pass queues.
    const looked = mean("seconds", 4000, { workers: 2, shards: 2, shard: 10, learn: 1 });
    expect(looked).toBeGreaterThan(11.47);
    expect(looked).toBeLessThan(11.53);
  });
});

describe("slowdowns", () => {
  it.each([
    [8, 8],
    [8, 40],
    [32, 33],
  ])("without memory, %i workers, %i shards: the sum of the times between ends", (workers, shards) => {
    // While all work, one ends every 1/workers; then the last ones, of 1/workers + … + 1/1.
    let expected = (shards - workers) / workers;
    for (let busy = 1; busy <= workers; busy++) expected += 1 / busy;
    const run = { ...instant, workers, shards, shard: 1, slowdown: exponential(1) };
    expect(mean("seconds", 4000, run) / expected).toBeCloseTo(1, 1.5);
  });

  it("with a heavy tail: the greatest of n lasts Γ(1 - 1/a) n! / Γ(n + 1 - 1/a)", () => {
    const [tail, shards] = [3, 16];
    let expected = 1;
    for (let place = 1; place <= shards; place++) expected *= place / (place - 1 / tail);
    const run = { ...instant, workers: shards, shards, shard: 1, slowdown: pareto(tail) };
    expect(mean("seconds", 8000, run) / expected).toBeCloseTo(1, 1.5);
  });
});

describe("kills", () => {
  it("cost what a shard worked by hand costs", () => {
    // Two shards of 100 s by two workers. One is killed at 50 s: it was heard last at 40 s, is missed at 100 s and its shard
    // waits 1 s more. The other has ended its shard at 100 s, and does this one until 201 s. Then it merges for 5 s.
    const lives = [50, Infinity, Infinity];
    const run = { ...instant, retryDelay: 1, workers: 2, shards: 2, shard: 100, merge: 5, restart: 1000 };
    const untilKill = () => lives.shift();
    expect(simulateQueue({ ...run, untilKill })).toEqual({
      seconds: 206,
      worked: 205,
      lost: 50,
      kills: 1,
      dead: 0,
    });
  });

  it("make a shard last (exp(s / m) - 1) m of its s seconds, if a worker lives m and a dead one is missed at once", () => {
    const [shard, life] = [10, 8];
    const run = { ...instant, workers: 1, shards: 1, shard, untilKill: exponential(life) };
    const found = mean("seconds", 20_000, { ...run, expire: 1e-6, retries: Infinity });
    expect(found / (Math.expm1(shard / life) * life)).toBeCloseTo(1, 1.5);
  });

  it("leave as many dead letters as all tries of a shard are killed", () => {
    const [shard, life, shards] = [10, 10, 20_000];
    const run = { ...instant, workers: 50, shards, shard, retries: 3, random: createRandom(1) };
    const { dead, kills } = simulateQueue({ ...run, poll: 1e-9, untilKill: exponential(life), expire: 1 });
    const killed = -Math.expm1(-shard / life);
    expect(dead / shards / killed ** 4).toBeCloseTo(1, 1);
    expect(kills).toBeGreaterThan(4 * dead);
  });
});
