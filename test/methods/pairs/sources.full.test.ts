/** Trainings on several tables of pairs, and their warm-up, schedule and weight decay. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type FinetuneOptions, finetune } from "../../../src/methods/pairs/finetune.js";
import { rankHeldOut } from "../../../src/methods/pairs/held-out.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { metricsOf, somePairs, writeTable } from "../../training/pairs-folder.js";

const base = makeOracleModel("encoder.folded.onnx");
const table = (count: number, seed: number, name: string) =>
  writeTable(
    somePairs(count, seed).map(([text, positive]) => [text, positive]),
    ["text", "positive"],
    name,
  );
const [first, second] = [table(40, 1, "first.csv"), table(24, 2, "second.csv")];
const sources = [{ file: first }, { file: second, weight: 2 }];
const start = (more: Partial<FinetuneOptions> = {}): FinetuneOptions => ({
  ...{ base, pairs: sources, output: join(newFolder(), "tuned"), batchSize: 8, epochs: 1 },
  ...{ learningRate: 1e-3, ...more },
});
const bytesOf = (output: string) =>
  ["onnx/model.onnx", "training.json"].map((file) => readFileSync(join(output, file)));
describe("a training on several tables", () => {
  it("takes as many steps as sizes and weights say, and records both", async () => {
    const options = start();
    const { result, data } = await finetune(options);
    expect(result.steps).toBe(5 + 2 * 3);
    expect(data).toMatchObject({ file: "first.csv, second.csv", pairs: 64 });
    expect(data.sources?.map(({ file, weight, pairs }) => [file, weight, pairs])).toEqual([
      ["first.csv", 1, 40],
      ["second.csv", 2, 24],
    ]);
    expect(readFileSync(join(options.output, "README.md"), "utf8")).toContain(
      "sources: first.csv (40 pairs, weight 1), second.csv (24 pairs, weight 2), mixed in every batch",
    );
  });

  it("is the same for one table, however it is named", async () => {
    const [plain, listed] = [start({ pairs: first }), start({ pairs: [{ file: first }] })];
    await finetune(plain);
    await finetune(listed);
    expect(bytesOf(listed.output)).toEqual(bytesOf(plain.output));
  });

  it("continues bit for bit after Ctrl-C, and not with another weight", async () => {
    const [whole, stopped] = [start(), start()];
    await finetune(whole);
    const stop = new AbortController();
    const onStep = ({ step }: { step: number }) => step === 4 && stop.abort();
    await expect(finetune({ ...stopped, signal: stop.signal, onStep })).rejects.toThrow();
    const other = { ...stopped, pairs: [{ file: first }, { file: second }], steps: 11 };
    await expect(finetune({ ...other, resume: "continue" })).rejects.toThrow(/data/);
    await finetune({ ...stopped, resume: "continue" });
    expect(bytesOf(stopped.output)).toEqual(bytesOf(whole.output));
  });

  it("ranks held-out pairs among those of their own table, and gives the figures of each", async () => {
    const said: Readonly<Record<string, number>>[] = [];
    const onEvaluation: FinetuneOptions["onEvaluation"] = (_, __, ___, figures) =>
      figures && said.push(figures);
    const { data } = await finetune(start({ validate: 0.25, steps: 1, onEvaluation }));
    expect(data.sources?.map(({ heldOut }) => heldOut)).toEqual([10, 6]);
    expect(Object.keys(said[0])).toEqual([
      ...["mean reciprocal rank", "hit@1", "loss", "first.csv: mean reciprocal rank", "first.csv: hit@1"],
      ...["second.csv: mean reciprocal rank", "second.csv: hit@1"],
    ]);
    const heldOut = (count: number, seed: number, source?: number) =>
      somePairs(count, seed).map(([text, positive], group) => ({
        ...{ text, positive, negative: "", type: "", source },
        group: group + 1000 * seed,
      }));
    const [one, other] = [heldOut(9, 3, 0), heldOut(4, 4, 1)];
    const settings = { temperature: 0.07 };
    const both = await rankHeldOut(base, [...one, ...other], { ...settings, names: ["a", "b"] });
    const [a, b] = [
      await rankHeldOut(base, heldOut(9, 3), settings),
      await rankHeldOut(base, heldOut(4, 4), settings),
    ];
    expect(both.figures?.["a: mean reciprocal rank"]).toBeCloseTo(a.score, 12);
    expect(both.figures?.["b: mean reciprocal rank"]).toBeCloseTo(b.score, 12);
    expect(both.score).toBeCloseTo((9 * a.score + 4 * b.score) / 13, 12);
    expect(a.score).not.toBe(b.score);
  });
});

describe("the steps of a training on pairs", () => {
  it("follow a warm-up and a schedule", async () => {
    const options = start({ pairs: first, steps: 5, warmUp: 0.4, schedule: "linear" });
    await finetune(options);
    const rates = metricsOf(options.output).map(({ learningRate }) => learningRate / 1e-3);
    // up to 1 in two steps, then down to 0 at step 5
    for (const [step, rate] of [0.5, 1, 1, 2 / 3, 1 / 3].entries()) expect(rates[step]).toBeCloseTo(rate, 12);
  });

  it("have no decay unless it is set, and then AdamW's", async () => {
    const [plain, decayed] = [
      start({ pairs: first, steps: 2 }),
      start({ pairs: first, steps: 2, weightDecay: 0.1 }),
    ];
    const settings = await Promise.all([plain, decayed].map(async (one) => (await finetune(one)).settings));
    expect(settings.map(({ optimiser }) => [optimiser.kind, optimiser.weightDecay])).toEqual([
      ["adam", 0],
      ["adamw", 0.1],
    ]);
    const [before, after] = [plain, decayed].map(({ output }) => metricsOf(output)[0].loss);
    expect(after).toBe(before);
    expect(bytesOf(decayed.output)[0].equals(bytesOf(plain.output)[0])).toBe(false);
  });
});
