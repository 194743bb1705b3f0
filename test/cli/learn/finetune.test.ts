/** `pearl finetune` as users run it: the compiled program in a folder of its own. */
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder, somePairs, writeTable } from "../../training/pairs-folder.js";
import { pearl as spawned } from "../run-cli.js";
import { pearl } from "../run-here.js";

const header = ["text", "positive", "negative", "type"];

describe("pearl finetune", () => {
  it("reports what is wrong before it builds anything", async () => {
    const untrainable = await pearl(["finetune", "--base", "pearl-ngram"], { cwd: newFolder() });
    expect(untrainable).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no float32 weights to train/),
    });
    const idle = await pearl(["finetune", "--pairs", "y.csv", "--hidden", "3"]);
    expect(idle).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--hidden is for training on a corpus/),
    });
    const batch = await pearl(["finetune", "--batch-size", "3"]);
    expect(batch).toMatchObject({ code: 2, stderr: expect.stringMatching(/--anchors/) });
    const augment = await pearl(["finetune", "--augment", "character"]);
    expect(augment).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"character" is not NAME=NUMBER/),
    });
    const preset = await pearl(["finetune", "--preset", "pearl-tiny"]);
    expect(preset).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/neither a preset \(pearl-small/),
    });
    const objective = await pearl(["finetune", "--pairs", "y", "--objective", "arcface"]);
    expect(objective).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/arcface.*Allowed choices are nt-xent, info-nce/),
    });
    const onCorpus = await pearl(["finetune", "--view", "cutoff"]);
    expect(onCorpus).toMatchObject({ code: 2, stderr: expect.stringMatching(/--view is for --pairs alone/) });
    const marks = await pearl(["finetune", "--pairs", "y", "--view", "cutoff", "--view-marks", "1-5"]);
    expect(marks).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/are settings of --view punctuation/),
    });
    const range = await pearl(["finetune", "--pairs", "y", "--view", "punctuation", "--view-marks", "3-1"]);
    expect(range).toMatchObject({ code: 2, stderr: expect.stringMatching(/range from 1 on, such as 1-3/) });
    const setting = await pearl(["finetune", "--pairs", "y", "--objective-settings", "margin"]);
    expect(setting).toMatchObject({ code: 2, stderr: expect.stringMatching(/"margin" is not NAME=VALUE/) });
    const odd = await pearl(["finetune", "--base", "x", "--pairs", "y", "-o", "z", "--lr", "fast"]);
    expect(odd.code).toBe(2);
    expect(odd.stderr).toMatch(/above 0/);
  });

  it("trains on graded pairs, and on phrases with punctuation inside, end to end", async () => {
    const cwd = newFolder();
    const rows = somePairs(12).map(([text, positive], i) => [text, positive, `${i % 6}`]);
    copyFileSync(writeTable(rows, ["text", "positive", "score"]), join(cwd, "graded.csv"));
    const base = ["--base", makeOracleModel("encoder.folded.onnx"), "--device", "cpu", "--steps", "2"];
    const graded = await pearl(
      ["finetune", "--pairs", "graded.csv", "--objective", "regression", ...base, "-o", "graded"],
      { cwd },
    );
    expect(graded.stderr).toContain("scores from 0 to 5 are mapped to 0 to 1");
    expect(graded.stdout).toMatch(/^wrote graded: 12 pairs, 2 steps, loss \d/);
    const view = ["--view", "punctuation", "--view-weight", "0.3", "--view-marks", "1-5", "--view-calm"];
    const marked = await pearl(["finetune", "--pairs", "graded.csv", ...view, ...base, "-o", "marked"], {
      cwd,
    });
    expect(marked.code).toBe(0);
    const { settings } = JSON.parse(readFileSync(join(cwd, "marked", "training.json"), "utf8"));
    expect(settings.punctuation).toEqual({ weight: 0.3, least: 1, most: 5, marks: "calm" });
    expect(settings.dropout).toBe(0.1);
  });

  it("says which column an objective needs, with two lines of such a table", async () => {
    const cwd = newFolder();
    copyFileSync(writeTable(somePairs(4), header), join(cwd, "pairs.csv"));
    const lacking = await pearl(["finetune", "--pairs", "pairs.csv", "--objective", "sup-con"], { cwd });
    expect(lacking).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /needs the column label, .*\n {2}text,label\n {2}\S.*,ibm\n {2}\S.*,ibm\n$/,
      ),
    });
    expect(readdirSync(cwd)).toEqual(["pairs.csv"]);
  });

  it("leaves nothing behind when it fails before the first step", async () => {
    const cwd = newFolder();
    const pairs = writeTable(somePairs(20), header);
    const command = ["finetune", "--base", "pearl-ngram", "--pairs", pairs, "-o", "tuned"];
    expect(await pearl(command, { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no float32 weights to train/),
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it("trains pearl-mini where pairs are all it gets, and says so before the first step; --plan writes nothing", async () => {
    const cwd = newFolder();
    const rows = somePairs(20).map((cells) => cells.slice(0, 2));
    copyFileSync(writeTable(rows, header.slice(0, 2)), join(cwd, "pairs.csv"));
    const lines = [/^model +pearl-mini, 600 dimensions, 22,\d{3},\d{3} trainable parameters$/m];
    lines.push(/^data +pairs\.csv: 20 pairs from the columns text, positive, up to 512 in a batch$/m);
    lines.push(
      /^steps +2, learning rate 0.00003$/m,
      /^one step +\d.* s, /m,
      /^training +about \d/m,
      /^memory/m,
    );
    const planned = await pearl(["finetune", "--pairs", "pairs.csv", "--plan", "--json", "plan.json"], {
      cwd,
    });
    expect(planned.code).toBe(0);
    for (const line of lines) expect(planned.stdout).toMatch(line);
    expect(readdirSync(cwd)).toEqual(["pairs.csv", "plan.json"]);
    const plan = JSON.parse(readFileSync(join(cwd, "plan.json"), "utf8"));
    expect(plan).toMatchObject({ steps: 2, learningRate: 3e-5, step: { seconds: expect.any(Number) } });
    const tuned = await pearl(["finetune", "--pairs", "pairs.csv", "-o", "tuned"], { cwd });
    expect(tuned).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wrote tuned: 20 pairs, 2 steps/),
    });
    for (const line of lines) expect(tuned.stderr).toMatch(line);
    expect(tuned.stderr.search(/^training +about/m)).toBeLessThan(
      tuned.stderr.indexOf("training pearl-mini on"),
    );
    expect(readdirSync(cwd).sort()).toEqual(["pairs.csv", "plan.json", "tuned"]);
  }, 240_000);

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

  it.each(["SIGINT", "SIGTERM"] as const)(
    "finishes the step at %s, ends with 130, and continues with --resume",
    async (signal) => {
      const cwd = newFolder();
      const pairs = writeTable(somePairs(200), header);
      const base = makeOracleModel("encoder.folded.onnx");
      const command = [
        "finetune",
        "--base",
        base,
        "--pairs",
        pairs,
        "-o",
        "tuned",
        "--batch-size",
        "4",
        "--epochs",
        "40",
      ];
      const stopped = await spawned([...command, "--checkpoint-every", "10"], {
        cwd,
        onStart: (child) => {
          const timer = setInterval(() => {
            if (!existsSync(join(cwd, "tuned.training", "checkpoints", "step-000010"))) return;
            clearInterval(timer);
            child.kill(signal);
          }, 5);
          child.on("exit", () => clearInterval(timer));
        },
      });
      expect(stopped).toMatchObject({
        code: 130,
        stderr: expect.stringMatching(/stopped after step \d+; --resume continues/),
      });
      expect(readdirSync(cwd)).toEqual(["tuned.training"]);
      const other = await pearl([...command, "--checkpoint-every", "10", "--resume", "--lr", "0.1"], { cwd });
      expect(other).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/learningRate was 0.00003 and is 0.1 now/),
      });
      const rest = await pearl([...command.slice(0, -1), "2", "--resume"], { cwd });
      expect(rest.code).toBe(0);
      expect(rest.stderr).toMatch(/steps? already done by an earlier run/);
    },
  );
});
