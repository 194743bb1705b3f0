/** Compares memory after 2,000 steps with memory after 200. */
import { describe, expect, it } from "vitest";
import { train } from "../../src/train.js";
import { golden } from "../autodiff/oracle.js";
import { chunkedBatch, oracleProgram, wholeBatch } from "../training/oracle-task.js";

describe("a long training run", () => {
  it("does not leak: memory after 2,000 steps is within 5 % of memory after 200", {
    timeout: 600_000,
  }, async () => {
    const { batches } = golden();
    const inputs = batches.flatMap((batch) => [wholeBatch(batch), chunkedBatch(batch, 5)]);
    const memory = new Map<number, number>();
    const measure = (step: number) => {
      if (step !== 200 && step !== 2000) return;
      // garbage that is not yet collected does not count
      if (gc === undefined) throw new Error("run with vitest.slow.config.ts, which gives Node --expose-gc");
      gc();
      memory.set(step, process.memoryUsage.rss());
    };
    await train(
      oracleProgram(),
      { fingerprint: "oracle", batch: (index) => inputs[index % inputs.length] },
      { steps: 2000, learningRate: 1e-4, onStep: ({ step }) => measure(step) },
    );
    const memoryAfter = (step: number) => memory.get(step) ?? Number.NaN;
    console.info(`${memoryAfter(200) >> 20} MiB after 200 steps, ${memoryAfter(2000) >> 20} MiB after 2,000`);
    expect(memoryAfter(2000)).toBeLessThan(1.05 * memoryAfter(200));
  });
});
