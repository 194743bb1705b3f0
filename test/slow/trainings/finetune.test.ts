/** Trainings by `pearl finetune`, a process each: pearl-mini, graded pairs, and an interruption. */
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pearl } from "../../cli/run-cli.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";

const header = ["text", "positive", "negative", "type"];

describe("pearl finetune", () => {
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
    const marks = ["weight=0.3", "least=1", "most=5", "marks=calm"];
    const view = ["--view", "punctuation", ...marks.flatMap((set) => ["--set", `punctuation.${set}`])];
    const marked = await pearl(["finetune", "--pairs", "graded.csv", ...view, ...base, "-o", "marked"], {
      cwd,
    });
    expect(marked.code).toBe(0);
    const { settings } = JSON.parse(readFileSync(join(cwd, "marked", "training.json"), "utf8"));
    expect(settings.punctuation).toEqual({ weight: 0.3, least: 1, most: 5, marks: "calm" });
    expect(settings.dropout).toBe(0.1);
  });

  it("trains pearl-mini where pairs are all it gets, and says so before the first step; --plan writes nothing", async () => {
    const cwd = newFolder();
    const rows = somePairs(20).map((cells) => cells.slice(0, 2));
    copyFileSync(writeTable(rows, header.slice(0, 2)), join(cwd, "pairs.csv"));
    const lines = [/^model +pearl-mini, 600 dimensions, 22,\d{3},\d{3} trainable parameters$/m];
    lines.push(
      /^data +pairs\.csv: 20 pairs from the columns text, positive, none held out, up to 32 in a batch$/m,
    );
    lines.push(
      /^steps +100, learning rate 0.0006, of tables 4 times as large$/m,
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
    expect(plan).toMatchObject({ steps: 100, learningRate: 6e-4, step: { seconds: expect.any(Number) } });
    const tuned = await pearl(["finetune", "--pairs", "pairs.csv", "-o", "tuned"], { cwd });
    expect(tuned).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wrote tuned: 20 pairs, 100 steps/),
    });
    for (const line of lines) expect(tuned.stderr).toMatch(line);
    expect(tuned.stderr.search(/^training +about/m)).toBeLessThan(
      tuned.stderr.indexOf("training pearl-mini on"),
    );
    expect(readdirSync(cwd).sort()).toEqual(["pairs.csv", "plan.json", "tuned"]);
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
      const stopped = await pearl([...command, "--checkpoint-every", "10"], {
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
