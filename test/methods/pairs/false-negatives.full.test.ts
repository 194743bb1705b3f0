/** Phrases that mean the same are not negatives of each other: equal, connected by pairs, or of one label. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { type FinetuneOptions, finetune } from "../../../src/methods/pairs/finetune.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { writeTable } from "../../training/pairs-folder.js";

const base = makeOracleModel("encoder.folded.onnx");
const [a, b, c, d, e, f] = ["t103", "t120 t107", "t200", "t300 t108", "t410", "t150"];
const header = ["text", "positive", "label"];

/** The loss of the first step, on all pairs of a table in one batch. */
async function firstLoss(rows: readonly string[][], more: Partial<FinetuneOptions> = {}) {
  const output = join(newFolder(), "tuned");
  const pairs = writeTable(rows, header.slice(0, rows[0].length));
  await finetune({ base, pairs, output, steps: 1, batchSize: 16, ...more });
  return JSON.parse(readFileSync(join(output, "metrics.jsonl"), "utf8").split("\n")[0]).loss as number;
}

/** NT-Xent by hand. @param groups places of phrases that are no negatives of each other; texts first, then positives */
async function byHand(rows: readonly string[][], ...groups: readonly number[][]) {
  const encoder = await PhraseEncoder.load(base);
  const vectors = await encoder.encode([...rows.map(([text]) => text), ...rows.map(([, second]) => second)]);
  await encoder.dispose();
  const score = (i: number, j: number) => vectors[i].reduce((sum, x, k) => sum + x * vectors[j][k], 0) / 0.07;
  const isMasked = (i: number, j: number) =>
    i === j || groups.some((group) => group.includes(i) && group.includes(j));
  const losses = vectors.map((_, i) => {
    const own = (i + rows.length) % vectors.length;
    const compared = [...vectors.keys()].filter((j) => j === own || !isMasked(i, j));
    return Math.log(compared.reduce((sum, j) => sum + Math.exp(score(i, j)), 0)) - score(i, own);
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

describe("NT-Xent on pairs", () => {
  it("does not compare a phrase with a positive of its copy, nor the two positives", async () => {
    const rows = [
      [a, b],
      [a, c],
      [d, e],
    ];
    const loss = await firstLoss(rows);
    expect(loss).toBeCloseTo(await byHand(rows, [0, 1, 3, 4], [2, 5]), 4);
    expect(await byHand(rows, [0, 1])).toBeGreaterThan(loss + 0.01);
  });

  it("does not compare phrases that pairs connect over several steps, some of them in other batches", async () => {
    const rows = [
      [a, b],
      [c, b],
      [c, d],
      [d, e],
      [f, "t170"],
    ];
    expect(await firstLoss(rows)).toBeCloseTo(await byHand(rows, [0, 1, 2, 3, 5, 6, 7, 8]), 4);
    // with batches of two, the first may hold the ends of the chain alone
    const inBatches = await Promise.all(
      [0, 1].map((seed) => firstLoss(rows.slice(0, 4), { batchSize: 2, seed })),
    );
    for (const loss of inBatches) expect(loss).toBeCloseTo(0, 4);
  });

  it("does not compare phrases of one label, nor a phrase of two labels with the positives of both", async () => {
    const rows = [
      [a, b, "x"],
      [a, c, "y"],
      [d, e, "y"],
      [f, "t170", "z"],
    ];
    expect(await firstLoss(rows)).toBeCloseTo(await byHand(rows, [0, 1, 4, 5], [1, 2, 5, 6]), 4);
  });

  it("compares phrases of two labels where the labels alone made the pairs", async () => {
    const rows = [a, b, c, d].map((text, i) => [text, i % 2 === 0 ? "x" : "y"]);
    const pairs = writeTable([...rows, [a, "y"]], ["text", "label"]);
    const output = join(newFolder(), "tuned");
    const { result } = await finetune({ base, pairs, output, steps: 1, batchSize: 16 });
    expect(result.loss).toBeGreaterThan(0.01);
  });
});
