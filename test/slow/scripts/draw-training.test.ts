/** The picture of a training shows the numbers of its record, which holds means of steps. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runNode } from "../../cli/run-cli.js";
import { testFolder } from "../../table/folder.js";

const { path: folder } = testFolder();
const draw = (...parameters: string[]) => runNode([join("scripts", "draw-training.mjs"), ...parameters]);

describe("the record of a training and its picture", () => {
  it("average many steps, leave out what is no number, and name losses and tasks", async () => {
    const steps = Array.from({ length: 600 }, (_, i) => ({
      step: i + 1,
      loss: i === 0 ? null : i,
      parts: { nt_xent: 2 * i },
    }));
    const lines = [...steps, { step: 600, score: 0.5 }].map((line) => JSON.stringify(line));
    const metrics = join(folder, "metrics.jsonl");
    // the last line is not complete: the training still runs
    writeFileSync(metrics, `${lines.join("\n")}\n{"step": 6`);
    const bench = join(folder, "bench.json");
    const result = { task: "turney", dataset: "Turney", metric: "accuracy", score: 0.25, n: 4, details: {} };
    writeFileSync(bench, JSON.stringify([{ model: "m", results: [result] }]));
    const curve = join(folder, "curve.json");
    const recorded = await draw("record", `train=${metrics}`, "--scores", `train:600=${bench}`, "-o", curve);
    expect(recorded).toMatchObject({ stderr: "", code: 0 });
    const { stages, scores } = JSON.parse(readFileSync(curve, "utf8"));
    expect(stages[0].metrics).toHaveLength(300);
    expect(stages[0].metrics[0]).toEqual({ step: 2, loss: 1, parts: { nt_xent: 1 } });
    expect(stages[0].metrics[299]).toEqual({ step: 600, loss: 598.5, parts: { nt_xent: 1197 } });
    expect(scores).toEqual([{ stage: "train", step: 600, tasks: { turney: 0.25 } }]);

    expect(await draw(curve)).toMatchObject({ stderr: "", code: 0 });
    const svg = readFileSync(join(folder, "curve.svg"), "utf8");
    const words = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    for (const text of ["train: loss", "train: nt xent", "turney", "train 600"])
      expect(words).toContain(text);
  });
});
