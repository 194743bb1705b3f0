/** Compares memory late in a training run with memory once it has warmed up. */
import { describe, expect, it } from "vitest";
import { mean } from "../../src/statistics.js";
import { train } from "../../src/train.js";
import { golden } from "../autodiff/oracle.js";
import { chunkedBatch, oracleProgram, wholeBatch } from "../training/oracle-task.js";

describe("a long training run", () => {
  it("does not leak: memory over its last steps is within 3 % of memory after 400 steps", {
    timeout: 600_000,
  }, async () => {
    const { batches } = golden();
    const inputs = batches.flatMap((batch) => [wholeBatch(batch), chunkedBatch(batch, 5)]);
    const memory: number[] = [];
    const measure = (step: number) => {
      if (step % 100 !== 0) return;
      // garbage that is not yet collected does not count
      if (gc === undefined) throw new Error("run with vitest.slow.config.ts, which gives Node --expose-gc");
      gc();
      memory.push(process.memoryUsage.rss());
    };
    await train(
      oracleProgram(),
      { fingerprint: "oracle", batch: (index) => inputs[index % inputs.length] },
      { steps: 2000, learningRate: 1e-4, onStep: ({ step }) => measure(step) },
    );
    // Readings vary by 1 %: a leak of 5 kB a step shows.
    const [early, late] = [memory.slice(3, 9), memory.slice(-6)].map(mean);
    console.info(
      `${Math.round(early / 1e5) / 10} MB over steps 400 to 900, ${Math.round(late / 1e5) / 10} MB over steps 1,500 to 2,000`,
    );
    expect(memory).toHaveLength(20);
    expect(late).toBeLessThan(1.03 * early);
  });
});
