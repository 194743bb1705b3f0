/** The slow tests beside finetune.test.ts. */
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingPart } from "../../../src/runtime/devices/native-devices.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";
import { pearl } from "../run-here.js";

const header = ["text", "positive", "negative", "type"];

describe("pearl finetune", () => {
  it("says how held-out pairs rank on the way, and the step whose weights were kept", async () => {
    const cwd = newFolder();
    copyFileSync(writeTable(somePairs(40), header), join(cwd, "pairs.csv"));
    const training = [
      "--base",
      makeOracleModel("encoder.folded.onnx"),
      "--set",
      "types=none",
      "--validate",
      "0.25",
    ];
    const length = ["--steps", "2", "--lr", "0.5"];
    const outcome = await pearl(["finetune", "--pairs", "pairs.csv", "-o", "m", ...training, ...length], {
      cwd,
    });
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wrote m: 40 pairs, 2 steps/) });
    expect(outcome.stderr).toMatch(
      /after 0 steps: mean reciprocal rank \d\.\d{4}, hit@1 \d\.\d{4}, loss \d+\.\d{4}\n/,
    );
    expect(outcome.stderr).toMatch(
      /kept the weights of step (0: mean reciprocal rank \d\.\d{4}, hit@1|\d: mean reciprocal rank \d\.\d{4} \(\+\d\.\d{4} since the start\), hit@1)/,
    );
  });

  it.skipIf(missingPart("cuda", "named") === undefined)(
    "ends where the named device does not work",
    async () => {
      const cwd = newFolder();
      const pairs = writeTable(somePairs(20), header);
      const outcome = await pearl(
        ["finetune", "--pairs", pairs, "-o", "tuned", "--device", "cuda", "--set", "types=none"],
        { cwd },
      );
      expect(outcome).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/device cuda does not work here/),
      });
      expect(outcome.stderr).not.toContain("continues on the CPU");
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it("trains a model that pearl encode uses, and prints the command", async () => {
    const cwd = newFolder();
    copyFileSync(writeTable(somePairs(20), header), join(cwd, "pairs.csv"));
    const base = makeOracleModel("encoder.folded.onnx");
    const options = ["--epochs", "2", "--batch-size", "10", "--lr", "1e-3", "--device", "cpu"];
    const tuned = await pearl(
      ["finetune", "--base", base, "--pairs", "pairs.csv", "-o", "tuned", ...options],
      { cwd },
    );
    expect(tuned).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wrote tuned: 20 pairs, 4 steps, loss \d/),
    });
    expect(tuned.stderr).toMatch(/pairs\.csv: 20 pairs from the columns text, positive, negative, type/);
    const encoded = await pearl(["encode", "pairs.csv", "--model", "tuned", "-o", "out.npy"], { cwd });
    expect(encoded).toMatchObject({ code: 0, stdout: expect.stringMatching(/20 rows × 32 dimensions/) });
    const again = await pearl(["finetune", "--base", base, "--pairs", "pairs.csv", "-o", "tuned"], { cwd });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/tuned is not empty/) });
  });

  it("names the teacher, the lengths and each table's weight in the plan, the report and the card", async () => {
    const cwd = newFolder();
    for (const [name, seed] of [
      ["a.csv", 1],
      ["b.csv", 2],
    ] as const)
      copyFileSync(writeTable(somePairs(20, seed), header), join(cwd, name));
    const base = makeOracleModel("encoder.folded.onnx");
    const tables = ["--pairs", "a.csv", "--pairs", "b.csv=2"];
    const learned = ["--objective", "nt-xent", "--teacher", base, "--dims", "16,8"];
    const rest = ["--base", base, "--steps", "1", "-o", "tuned", "--json", "report.json", "--device", "cpu"];
    const tuned = await pearl(["finetune", ...tables, ...learned, ...rest], { cwd });
    expect(tuned.code, tuned.stderr).toBe(0);
    expect(tuned.stderr).toMatch(
      /^loss +NT-Xent .*, false negatives masked by \S+ \(32 dimensions\), mean over the first 8, 16 and all dimensions$/m,
    );
    const { data, settings } = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"));
    expect(settings).toMatchObject({ dims: [8, 16], teacher: { dimension: 32 } });
    expect(data.sources).toMatchObject([
      { file: "a.csv", weight: 1, pairs: 20 },
      { file: "b.csv", weight: 2, pairs: 20 },
    ]);
    const card = readFileSync(join(cwd, "tuned", "README.md"), "utf8");
    expect(card).toContain("pearl encode phrases.csv --model tuned --dims 8\n");
    expect(card).toContain("b.csv (20 pairs, weight 2)");
  });
});
