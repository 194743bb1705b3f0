/** Messages of finetune and of its checkpoints: each names a cure, which is applied and works. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FinetuneOptions, finetune } from "../../../../src/methods/pairs/finetune.js";
import { makeOracleModel } from "../../../encoder/oracle-model.js";
import { newFolder, somePairs, writeTable } from "../../../training/pairs-folder.js";

const phrases = () =>
  writeTable(
    somePairs(20).map(([text]) => [text]),
    ["phrase"],
  );
const start = (more: Partial<FinetuneOptions> = {}): FinetuneOptions & { output: string } => ({
  base: makeOracleModel("encoder.folded.onnx"),
  pairs: phrases(),
  output: join(newFolder(), "tuned"),
  steps: 4,
  learningRate: 1e-3,
  view: "cutoff",
  ...more,
});
const trained = (options: FinetuneOptions) => expect(finetune(options)).resolves.toBeDefined();

describe("the cure in a message", () => {
  it("of dropout without a place works: another view, or a dropout", async () => {
    const options = start({ view: "dropout", dropout: 0, steps: 1 });
    await expect(finetune(options)).rejects.toThrow(/Use --view cutoff for .*, or set --dropout\.$/);
    await trained({ ...options, view: "cutoff", output: join(newFolder(), "cutoff") });
    await trained({ ...options, dropout: 0.1, output: join(newFolder(), "dropout") });
  });

  it.each(["same value", "start over"])("of a checkpoint of another run works: %s", async (cure) => {
    const options = start();
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }) => step === 2 && stop.abort();
    await expect(finetune({ ...options, signal: stop.signal, onStep })).rejects.toThrow();
    await expect(finetune({ ...options, learningRate: 2e-3, resume: "continue" })).rejects.toThrow(
      "Use the same value, or start over without resuming.",
    );
    await trained(
      cure === "same value" ? { ...options, resume: "continue" } : { ...options, learningRate: 2e-3 },
    );
  });
});
