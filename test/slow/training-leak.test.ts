/** Memory after 2,000 steps beside memory after 200. */
import { describe, expect, it } from "vitest";
import { train } from "../../src/training/index.js";
import { golden, oracleIsHere } from "../autodiff/oracle.js";
import { chunkedBatch, oracleProgram, wholeBatch } from "../training/oracle-task.js";

describe.skipIf(!oracleIsHere)("a long training run", () => {
  it("keeps no memory: 2,000 steps end within 5 % of where 200 stood", { timeout: 600_000 }, async () => {
    const { batches } = golden();
    const inputs = batches.flatMap((batch) => [wholeBatch(batch), chunkedBatch(batch, 5)]);
    const memory: number[] = [];
    await train(
      oracleProgram(),
      { fingerprint: "oracle", batch: (index) => inputs[index % inputs.length] },
      { steps: 2000, learningRate: 1e-4, onStep: (metrics) => memory.push(metrics.memory) },
    );
    // the least of some steps: what is waiting for the garbage collector does not count
    const around = (step: number) => Math.min(...memory.slice(step - 100, step));
    console.info(`${around(200) >> 20} MiB after 200 steps, ${around(2000) >> 20} MiB after 2,000`);
    expect(around(2000)).toBeLessThan(1.05 * around(200));
  });
});
