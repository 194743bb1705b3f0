/** Held-out pairs: whole groups of connected pairs, and the rank of each positive among them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finetune } from "../../../src/methods/pairs/finetune.js";
import { evaluationOf, heldOutOf, rankHeldOut, splitPairs } from "../../../src/methods/pairs/held-out.js";
import type { Pair } from "../../../src/methods/pairs/pairs.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { createRandom } from "../../../src/random.js";
import { bestOf, type Evaluated } from "../../../src/training/checkpoint.js";
import { weightsText } from "../../../src/training/run.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";

const pair = (text: string, positive: string): Pair => ({ text, positive, negative: "", type: "" });
const split = (pairs: readonly Pair[], fraction?: number, positives: "column" | "made" = "column") => {
  const { trained, heldOut } = splitPairs([{ pairs, positives }], { fraction, random: createRandom(1) });
  return { trained: trained[0], heldOut };
};
const names = (pairs: readonly Pair[]) =>
  pairs.flatMap(({ text, positive }) => [text, positive].map((name) => name.toLowerCase()));

describe("splitPairs", () => {
  const alone = Array.from({ length: 400 }, (_, i) => pair(`name ${i}`, `alias ${i}`));

  it("holds a tenth out from 200 pairs on, at most 1,000, and another fraction if asked", () => {
    expect(split(alone).heldOut).toHaveLength(40);
    expect(split(alone.slice(0, 199)).heldOut).toHaveLength(0);
    expect(split(alone, 0).heldOut).toHaveLength(0);
    expect(split(alone.slice(0, 100), 0.25).heldOut).toHaveLength(25);
    const many = Array.from({ length: 12_000 }, (_, i) => pair(`n${i}`, `a${i}`));
    expect(split(many).heldOut).toHaveLength(1000);
  });

  it("has no name on both sides, whatever its case", () => {
    const pairs = alone.map(({ text, positive }, i) =>
      pair(i % 3 === 0 ? text : `NAME ${i - (i % 3)}`, positive),
    );
    const { trained, heldOut } = split(pairs);
    expect(trained.length + heldOut.length).toBe(400);
    expect(heldOut.length).toBeGreaterThan(30);
    const seen = new Set(names(trained));
    expect(names(heldOut).filter((name) => seen.has(name))).toEqual([]);
  });

  it("leaves one large group of connected pairs to the training", () => {
    const hub = Array.from({ length: 300 }, (_, i) => pair("hub", `spoke ${i}`));
    const { heldOut } = split([...hub, ...alone.slice(0, 100)]);
    expect(heldOut).toHaveLength(40);
    expect(names(heldOut)).not.toContain("hub");
    expect(() => split(hub, 0.1)).toThrow(/none of the 300 pairs can be held out \(--validate 0\.1\)/);
  });

  it("holds out no pairs that have scores or were made, and says so if asked", () => {
    const scored = alone.map((own) => ({ ...own, score: 0.5 }));
    expect(split(scored).heldOut).toHaveLength(0);
    expect(split(alone, undefined, "made").heldOut).toHaveLength(0);
    expect(() => split(scored, 0.1)).toThrow(/no scores/);
  });
});

describe("a training with held-out pairs", () => {
  const base = makeOracleModel("encoder.folded.onnx");
  const rows = somePairs(240).map(([text, positive]) => [text, positive]);
  const pairs = writeTable(rows, ["text", "positive"]);
  const training = { base, pairs, batchSize: 64, epochs: 1, seed: 3 };

  it("writes the base's weights where no step finds held-out pairs better", async () => {
    const output = join(newFolder(), "spoilt");
    const scores: number[] = [];
    const onEvaluation = (_: number, score: number) => scores.push(score);
    const { result, data } = await finetune({ ...training, output, learningRate: 0.5, onEvaluation });
    expect(data.heldOut).toBe(24);
    expect(Math.max(...scores)).toBe(scores[0]);
    expect(result.best).toEqual({
      ...{ step: 0, score: scores[0], measure: "mean reciprocal rank of 24 held-out pairs" },
      figures: { "mean reciprocal rank": scores[0], "hit@1": expect.any(Number), loss: expect.any(Number) },
    });
    const [before, after] = [base, output].map((folder) => readModel(join(folder, "onnx/model.onnx")).graph);
    for (const [name, { data: values }] of after.initializers)
      if (before.initializers.has(name)) expect(values).toEqual(before.initializers.get(name)?.data);
  });

  it("ranks a positive first where nothing else is as near", async () => {
    const heldOut = ["t103 t120", "t200 t300", "t410 t150"].map((text, group) => ({
      ...pair(text, text),
      group,
    }));
    const sharp = { temperature: 0.01 };
    const found = await rankHeldOut(base, heldOut, sharp);
    expect(found).toMatchObject({ score: 1, figures: { "hit@1": 1 } });
    // each text's own positive is the text of the next row, so that another is nearest
    const turned = heldOut.map((own, i) => ({ ...own, positive: heldOut[(i + 1) % 3].text }));
    const other = await rankHeldOut(base, turned, sharp);
    expect(other.score).toBeLessThanOrEqual(0.5);
    expect(other.figures).toMatchObject({ "mean reciprocal rank": other.score, "hit@1": 0 });
    expect(other.figures?.loss).toBeGreaterThan(found.figures?.loss as number);
  });

  it("ends after five evaluations that are no better, and draws all of them beside the model", async () => {
    const output = join(newFolder(), "early");
    const validate = writeTable([...rows.slice(0, 20), ["t103 t104", "t105 t106"]], ["text", "positive"]);
    const { result, data } = await finetune({ ...training, output, validate, steps: 40, learningRate: 0.5 });
    expect([result.steps, result.best?.step]).toEqual([20, 0]);
    expect(data).toMatchObject({ pairs: 240, heldOut: 21, heldOutOf: "pairs.csv" });
    const evaluated = result.evaluations?.map(({ step, share }) => [step, share]);
    expect(evaluated?.slice(0, 3)).toEqual([
      [0, undefined],
      [4, 1],
      [4, 0.5],
    ]);
    expect(evaluated?.map(([step]) => step)).toEqual([
      0,
      ...[4, 8, 12, 16, 20].flatMap((step) => [step, step]),
    ]);
    const picture = readFileSync(join(output, "training.svg"), "utf8");
    expect(picture.match(/<circle/g)).toHaveLength(3 * 6);
    expect(picture).toContain(
      "Kept: the weights of step 0. Dashed: the start. Thin: averaged with the start.",
    );
    expect(readFileSync(join(output, "README.md"), "utf8")).toMatch(
      /; 21 of pairs\.csv held out\n.*\(training\.svg\).*hit@1 \d\.\d{4}, loss \d/s,
    );
  });
});

describe("a training whose averages with the start are scored", () => {
  const base = makeOracleModel("encoder.folded.onnx");
  const weightsIn = (folder: string) => readModel(join(folder, "onnx/model.onnx")).graph.initializers;
  const heldOut = Array.from({ length: 4 }, (_, i) => ({ ...pair(`t10${i}`, `t20${i}`), group: i }));

  it("ranks the trained weights and half of them, or the given share alone", () => {
    const sharp = { temperature: 0.07 };
    expect(evaluationOf(heldOut, sharp)?.shares).toEqual([1, 0.5]);
    expect(evaluationOf(heldOut, { ...sharp, share: 0.25 })?.shares).toEqual([0.25]);
    expect(evaluationOf([], sharp)).toBeUndefined();
  });

  it("writes the share that ranks them best, and says so in the card and the picture", async () => {
    const pairs = writeTable(
      somePairs(240).map(([text, positive]) => [text, positive]),
      ["text", "positive"],
    );
    const shared = { base, pairs, batchSize: 64, steps: 4, seed: 3, learningRate: 1e-2, patience: 9 };
    const [chosen, given] = ["chosen", "given"].map((name) => join(newFolder(), name));
    const { result } = await finetune({ ...shared, output: chosen });
    const best = result.best as Evaluated & { measure?: string };
    const { measure: _, ...kept } = best;
    expect(kept).toEqual(bestOf(result.evaluations ?? []));
    expect([1, 0.5]).toContain(best.share);
    // the same steps, with that share alone
    const alone = await finetune({ ...shared, output: given, averageWithBase: best.share });
    expect(alone.result.evaluations).toEqual(
      result.evaluations?.filter(({ share }) => share === undefined || share === best.share),
    );
    for (const [name, { data }] of weightsIn(given)) expect(weightsIn(chosen).get(name)?.data).toEqual(data);
    expect(readFileSync(join(chosen, "README.md"), "utf8")).toContain(
      `are those of ${weightsText(best)}, which`,
    );
    const picture = readFileSync(join(chosen, "training.svg"), "utf8");
    expect(picture).toContain(`Kept: the weights of step ${best.step}`);
    // in each of three panels five points with their bars, and the thin line of averages
    expect(picture.match(/<circle/g)).toHaveLength(15);
    expect(picture.match(/stroke="#0067a5"\/>/g)).toHaveLength(15 + 3);
  });
});

describe("held-out pairs of a file", () => {
  const path = writeTable(
    [
      ["b", "A"],
      ["a", "c"],
    ],
    ["text", "positive"],
  );

  it("leave the training, in either order and case; other pairs of their phrases stay", async () => {
    const { trained, heldOut } = await heldOutOf(path, [{ pairs: [pair("a", "b"), pair("a", "d")] }]);
    expect(trained).toEqual([[pair("a", "d")]]);
    expect(heldOut.map(({ text }) => text)).toEqual(["b", "a"]);
    expect(heldOut[0].group).toBe(heldOut[1].group);
    await expect(heldOutOf(path, [{ pairs: [pair("a", "b")] }])).rejects.toThrow(
      "it holds all pairs of the training",
    );
  });
});
