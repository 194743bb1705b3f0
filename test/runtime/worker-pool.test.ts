/** Workers that share items: each item is taken once, errors arrive, and a pool can close at any time. */
import { afterEach, describe, expect, it } from "vitest";
import { ArgumentError, DeviceError } from "../../src/errors.js";
import { eachInWorkers, WorkerPool } from "../../src/runtime/worker-pool.js";

const pools: WorkerPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

/** A pool that names its workers "worker 0", "worker 1", ... and counts them. */
function openPool(limit: number, nameOf = (index: number) => `worker ${index}`) {
  const started: number[] = [];
  const pool = new WorkerPool({
    ...{ script: "./pool-worker.mjs", base: import.meta.url, limit },
    open(worker, index) {
      started.push(index);
      return worker.call("open", nameOf(index));
    },
  });
  pools.push(pool);
  return { pool, started };
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe("WorkerPool.each", () => {
  it("gives each item to one worker", async () => {
    const { pool, started } = openPool(3);
    const answers: string[] = [];
    const items = Array.from({ length: 40 }, (_, i) => i);
    await pool.each(items, async (worker, item) => {
      answers.push(await worker.call<string>("echo", item));
    });
    expect(answers.map((answer) => Number(answer.split(" ")[2])).sort((a, b) => a - b)).toEqual(items);
    expect(started.sort()).toEqual([0, 1, 2]);
  });

  it("starts no more workers than items, and keeps them for later work", async () => {
    const { pool, started } = openPool(4);
    await pool.each([1], (worker) => worker.call("echo", 1));
    await pool.each([1, 2], (worker) => worker.call("wait", 30));
    expect(started.sort()).toEqual([0, 1]);
    await pool.each([1, 2, 3, 4], (worker) => worker.call("wait", 5), 1);
    expect(started).toHaveLength(2);
  });

  it("takes an item from its source only when a worker is free", async () => {
    const { pool } = openPool(2);
    let [taken, done] = [0, 0];
    async function* source() {
      for (; taken < 12; taken++) {
        expect(taken - done).toBeLessThanOrEqual(2);
        yield taken;
      }
    }
    await pool.each(source(), async (worker, item) => {
      await worker.call("echo", item);
      done++;
    });
    expect(done).toBe(12);
  });

  it("rejects with a task's error and its class, after the tasks in progress", async () => {
    const { pool } = openPool(2);
    const finished: number[] = [];
    let taken = 0;
    const items = function* () {
      for (; taken < 100; taken++) yield taken;
    };
    const work = pool.each(items(), async (worker, item) => {
      await (item === 0 ? worker.call("fail", "task 0 is wrong") : worker.call("wait", 60));
      finished.push(item);
    });
    await expect(work).rejects.toThrow(new ArgumentError("task 0 is wrong"));
    await expect(work).rejects.toBeInstanceOf(ArgumentError);
    expect(finished).toContain(1);
    expect(taken).toBeLessThan(4);
    const answers: unknown[] = [];
    await pool.each(["again"], async (worker, item) => {
      answers.push(await worker.call("echo", item));
    });
    expect(answers).toEqual(["worker 0 again"]);
  });

  it("rejects with an error of the items, and of a worker that does not open", async () => {
    const { pool } = openPool(2);
    const items = function* () {
      yield 1;
      throw new RangeError("no more items");
    };
    await expect(pool.each(items(), (worker) => worker.call("echo", 1))).rejects.toThrow("no more items");
    const broken = openPool(2, (index) => (index === 1 ? "broken" : "worker"));
    await expect(broken.pool.each([1, 2], (worker) => worker.call("wait", 50))).rejects.toThrow(
      "cannot open",
    );
  });

  it.each([
    ["exit", /ended \(code 3\)/],
    ["crash", /outside of any request/],
  ])("rejects where the thread itself ends: %s", async (method, message) => {
    const { pool } = openPool(2);
    await expect(pool.each([1, 2], (worker) => worker.call(method, undefined))).rejects.toThrow(message);
    await pool.close();
  });

  it("starts another worker in place of one that did not open or has ended", async () => {
    let name = "broken";
    const { pool, started } = openPool(1, () => name);
    const echo = () => pool.each([1], (worker) => worker.call("echo", 1));
    await expect(echo()).rejects.toThrow("cannot open");
    name = "worker";
    await echo();
    await expect(pool.each([1], (worker) => worker.call("exit", undefined))).rejects.toThrow(/ended/);
    await echo();
    expect(started).toEqual([0, 0, 0]);
  });
});

describe("WorkerPool.close", () => {
  it("rejects running tasks without waiting for them, and takes no further items", async () => {
    const { pool, started } = openPool(2);
    let taken = 0;
    const items = function* () {
      for (; taken < 100; taken++) yield taken;
    };
    // far beyond this test's time limit
    const work = pool.each(items(), (worker) => worker.call("wait", 3_600_000));
    const rejected = expect(work).rejects.toBeInstanceOf(DeviceError);
    await until(() => started.length === 2 && taken === 1);
    await pool.close();
    await rejected;
    expect(taken).toBeLessThan(4);
  });

  it("ends idle workers, and a later call starts new ones", async () => {
    const { pool, started } = openPool(1);
    await pool.each([1], (worker) => worker.call("echo", 1));
    const worker = await pool.worker(0);
    await pool.close();
    await expect(worker.call("echo", 1)).rejects.toBeInstanceOf(DeviceError);
    await pool.each([1], (again) => again.call("echo", 1));
    expect(started).toEqual([0, 0]);
    await pool.close();
    await pool.close();
  });
});

describe("eachInWorkers", () => {
  it("ends its workers at the signal, in the middle of their work", async () => {
    const controller = new AbortController();
    const options = { script: "./pool-worker.mjs", base: import.meta.url, limit: 2 };
    const work = eachInWorkers(
      options,
      [1, 2, 3],
      async (worker) => {
        await worker.call("open", "busy");
        setTimeout(() => controller.abort(new Error("enough")), 20);
        await worker.call("wait", 600_000);
      },
      controller.signal,
    );
    await expect(work).rejects.toThrow("enough");
  });
});
