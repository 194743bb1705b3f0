/** PEARL's method from a corpus folder to a model folder. */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type CorpusFinetuneOptions, finetuneOnCorpus } from "../../../src/methods/corpus/corpus-finetune.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { newFolder } from "../../setup/new-folder.js";
import { claimLearned, smallCorpus, smallSettings } from "../../training/small-corpus.js";

const start = async (changes: Partial<CorpusFinetuneOptions> = {}): Promise<CorpusFinetuneOptions> => ({
  settings: smallSettings,
  corpus: await smallCorpus(),
  output: join(newFolder(), "model"),
  steps: 60,
  ...changes,
});
const outputsOf = (folder: string) =>
  readModel(join(folder, "onnx", "model.onnx")).graph.outputs.map(({ name }) => name);
const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i], 0);

describe("finetuneOnCorpus", () => {
  it("trains a model from scratch that encodes and predicts types, in one graph with two encoders", async () => {
    const options = await start();
    const losses: number[] = [];
    const report = await finetuneOnCorpus({ ...options, onStep: ({ loss }) => losses.push(loss) });
    expect(report.result.steps).toBe(60);
    expect(Math.max(...losses.slice(-5))).toBeLessThan(Math.min(...losses.slice(0, 5)));
    expect(outputsOf(options.output)).toEqual(["last_hidden_state", "embedding", "type_logits"]);
    expect(existsSync(`${options.output}.training`)).toBe(false);
    expect(readdirSync(options.output)).toContain("tokenizer.json");

    const encoder = await PhraseEncoder.load(options.output);
    expect(encoder.dimension).toBe(24);
    expect(encoder.model.types).toHaveLength(95);
    const [self] = await encoder.encode(["Paris Opera House"]);
    expect(dot(self, self)).toBeCloseTo(1, 5);
    await claimLearned(encoder);
    await encoder.dispose();
  });

  it("writes the model although its table of pairs is gone by the end", async () => {
    const pairs = join(newFolder(), "pairs.csv");
    writeFileSync(pairs, "text,positive\nAcme Inc,Acme\nToyota Motor,Toyota\n");
    const options = await start({ pairs, steps: 2 });
    const report = await finetuneOnCorpus({ ...options, onStep: () => rmSync(pairs, { force: true }) });
    expect(report.pairs).toMatchObject({ file: "pairs.csv", fingerprint: expect.stringMatching(/^\w{16}$/) });
    expect(existsSync(options.output)).toBe(true);
  });
});
