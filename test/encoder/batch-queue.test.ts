import { describe, expect, it } from "vitest";
import { BatchQueue, QueueFullError } from "../../src/encoder/batch-queue.js";

/** A queue that doubles numbers, whose batches end when the test says so. */
function doubling(limits: { batchItems: number; queueItems: number }) {
  const batches: { items: readonly number[]; signal: AbortSignal; finish: (error?: Error) => void }[] = [];
  const queue = new BatchQueue<number, number>({
    ...limits,
    run: (items, signal) =>
      new Promise((resolve, reject) => {
        const finish = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => 2 * item)));
        batches.push({ items, signal, finish });
      }),
  });
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  return { queue, batches, turn };
}

describe("BatchQueue", () => {
  it("computes requests that wait together in one batch, and gives each its own results", async () => {
    const { queue, batches, turn } = doubling({ batchItems: 5, queueItems: 100 });
    const answers = [queue.add([1, 2]), queue.add([3]), queue.add([4, 5, 6])];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    batches[0].finish();
    await turn();
    batches[1].finish();
    expect(await Promise.all(answers)).toEqual([[2, 4], [6], [8, 10, 12]]);
  });

  it("refuses what does not fit into the queue, but accepts a large request while nothing waits", async () => {
    const { queue, batches, turn } = doubling({ batchItems: 1, queueItems: 3 });
    const running = queue.add([1]);
    await turn();
    const large = queue.add([1, 2, 3, 4, 5]);
    const refused = queue.add([6]);
    await expect(refused).rejects.toThrow(QueueFullError);
    await expect(refused).rejects.toThrow("items wait already. Try again in a moment.");
    batches[0].finish();
    await turn();
    batches[1].finish();
    expect(await running).toEqual([2]);
    expect(await large).toHaveLength(5);
  });

  it("drops the work of a request that is aborted while it waits", async () => {
    const { queue, batches, turn } = doubling({ batchItems: 1, queueItems: 10 });
    const first = queue.add([1]);
    await turn();
    const gone = new AbortController();
    const dropped = queue.add([2], gone.signal);
    const last = queue.add([3]);
    gone.abort();
    await expect(dropped).rejects.toThrow(/aborted/);
    expect(queue.length).toBe(1);
    batches[0].finish();
    await turn();
    batches[1].finish();
    expect(await Promise.all([first, last])).toEqual([[2], [6]]);
    expect(batches.map(({ items }) => items)).toEqual([[1], [3]]);
  });

  it("stops a running batch only when every request of it is aborted", async () => {
    const { queue, batches, turn } = doubling({ batchItems: 10, queueItems: 10 });
    const [one, other] = [new AbortController(), new AbortController()];
    const both = Promise.allSettled([queue.add([1], one.signal), queue.add([2], other.signal)]);
    await turn();
    one.abort();
    expect(batches[0].signal.aborted).toBe(false);
    other.abort();
    expect(batches[0].signal.aborted).toBe(true);
    expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("continues after a batch that failed", async () => {
    const { queue, batches, turn } = doubling({ batchItems: 1, queueItems: 10 });
    const answers = Promise.allSettled([queue.add([1]), queue.add([2])]);
    await turn();
    batches[0].finish(new Error("broken"));
    await turn();
    batches[1].finish();
    expect(await answers).toMatchObject([{ reason: new Error("broken") }, { value: [4] }]);
  });
});
