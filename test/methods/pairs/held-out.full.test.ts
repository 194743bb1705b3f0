/** Held-out pairs: whole groups of connected pairs, and the rank of each positive among them. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finetune } from "../../../src/methods/pairs/finetune.js";
import { meanReciprocalRank, splitPairs } from "../../../src/methods/pairs/held-out.js";
import type { Pair } from "../../../src/methods/pairs/pairs.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { createRandom } from "../../../src/random.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";

const pair = (text: string, positive: string): Pair => ({ text, positive, negative: "", type: "" });
const split = (pairs: readonly Pair[], fraction?: number, positives: "column" | "made" = "column") =>
  splitPairs({ pairs, positives }, { fraction, random: createRandom(1) });
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
    expect(await meanReciprocalRank(base, heldOut)).toBe(1);
    // each text's own positive is the text of the next row, so that another is nearest
    const turned = heldOut.map((own, i) => ({ ...own, positive: heldOut[(i + 1) % 3].text }));
    expect(await meanReciprocalRank(base, turned)).toBeLessThanOrEqual(0.5);
  });
});
