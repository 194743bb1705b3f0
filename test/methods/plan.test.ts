/** What a training would do, measured on a few steps that leave nothing behind. */
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CorpusFinetuneOptions } from "../../src/methods/corpus/corpus-finetune.js";
import { planTraining } from "../../src/methods/plan.js";
import { newFolder } from "../training/pairs-folder.js";
import { smallCorpus, smallSettings } from "../training/small-corpus.js";

const start = async (changes: Partial<CorpusFinetuneOptions> = {}): Promise<CorpusFinetuneOptions> => ({
  settings: smallSettings,
  corpus: await smallCorpus(),
  output: join(newFolder(), "model"),
  ...changes,
});

describe("planTraining", () => {
  it("says what a training would take, and leaves nothing behind", async () => {
    const options = await start();
    const temporary = () => readdirSync(tmpdir()).filter((name) => name.startsWith("pearl-plan-"));
    const before = temporary();
    const plan = await planTraining(options);
    expect(temporary()).toEqual(before);
    expect(existsSync(options.output)).toBe(false);
    expect(existsSync(`${options.output}.training`)).toBe(false);
    expect(plan).toMatchObject({
      dimension: 24,
      types: 95,
      corpus: { phrases: 70, typed: 50, withHardNegatives: 30 },
    });
    // 3 epochs of 70 phrases, 12 at a time
    expect(plan.steps).toBe(18);
    expect(plan.seconds).toBeCloseTo(18 * plan.step.seconds);
    expect(plan.step.memory).toBeGreaterThan(5e7);
  });

  it("says that hard negatives would be mined first", async () => {
    const corpus = await smallCorpus({ hardNegatives: "missing" });
    const plan = await planTraining(await start({ corpus }));
    expect(plan.before.join()).toMatch(/mined/);
    expect(readdirSync(corpus)).not.toContain("hard-negatives.tsv");
  });
});
