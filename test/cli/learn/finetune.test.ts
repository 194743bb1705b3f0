/** `pearl finetune` as users run it; test/slow/trainings has its longer trainings. */
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingPart } from "../../../src/runtime/devices/native-devices.js";
import { makeOracleModel } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";
import { somePairs, writeTable } from "../../training/pairs-folder.js";
import { pearl } from "../run-here.js";

const header = ["text", "positive", "negative", "type"];

describe("pearl finetune", () => {
  it.each<[string, number, RegExp]>([
    ["--base pearl-strings", 1, /no weights that can be trained/],
    ["--pairs y.csv --hidden 3", 2, /--hidden is for training on a corpus/],
    ["--pairs y --context t.txt", 2, /--context is for training on a corpus/],
    ["--pairs y --no-hard-negatives", 2, /--no-hard-negatives is for training on a corpus/],
    ["--pairs y --no-token-augmentation", 2, /--no-token-augmentation is for training on a corpus/],
    ["--corpus c --types t.csv", 2, /--types gives types to pairs: add --pairs FILE/],
    ["--corpus c --base e5 --layers 4", 2, /--layers is for a transformer from scratch, and e5 has its own/],
    ["--batch-size 3", 2, /--anchors/],
    ["--augment character", 2, /"character" is not NAME=NUMBER/],
    ["--preset pearl-tiny", 1, /neither a preset \(pearl-small/],
    ["--pairs y --objective arcface", 2, /arcface.*Allowed choices are nt-xent, info-nce/],
    ["--pairs y --objective-settings margin", 2, /"margin" is not NAME=VALUE/],
    ["--view cutoff", 2, /--view is for --pairs alone/],
    ["--corpus c --validate 0.1", 2, /--validate is for --pairs alone/],
    ["--pairs y --eval-data missing", 1, /missing: there is no folder to score the model on/],
    ["--pairs y --view cutoff --view-marks 1-5", 2, /are settings of --view punctuation/],
    ["--pairs y --view punctuation --view-marks 3-1", 2, /range from 1 on, such as 1-3/],
    ["--pairs y --steps 2 --epochs 2", 2, /--epochs and --steps each set the length of a training: give one/],
    ["--base x --pairs y -o z --lr fast", 2, /above 0/],
  ])("refuses %s before it builds anything", async (words, code, message) => {
    const outcome = await pearl(["finetune", ...words.split(" ")], { cwd: newFolder() });
    expect(outcome).toMatchObject({ code, stderr: expect.stringMatching(message) });
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

  it("says how held-out pairs rank on the way, and the step whose weights were kept", async () => {
    const cwd = newFolder();
    copyFileSync(writeTable(somePairs(40), header), join(cwd, "pairs.csv"));
    const training = ["--base", makeOracleModel("encoder.folded.onnx"), "--no-types", "--validate", "0.25"];
    const length = ["--steps", "2", "--lr", "0.5"];
    const outcome = await pearl(["finetune", "--pairs", "pairs.csv", "-o", "m", ...training, ...length], {
      cwd,
    });
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/^wrote m: 40 pairs, 2 steps/) });
    expect(outcome.stderr).toMatch(/after 0 steps: mean reciprocal rank of 10 held-out pairs \d+\.\d of 100/);
    expect(outcome.stderr).toMatch(
      /kept the weights of step \d: mean reciprocal rank of 10 held-out pairs 0\.\d+/,
    );
  });

  it("leaves nothing behind when it fails before the first step", async () => {
    const cwd = newFolder();
    const pairs = writeTable(somePairs(20), header);
    const command = ["finetune", "--base", "pearl-strings", "--pairs", pairs, "-o", "tuned"];
    expect(await pearl(command, { cwd })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no weights that can be trained/),
    });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.skipIf(missingPart("cuda", "named") === undefined)(
    "ends where the named device does not work",
    async () => {
      const cwd = newFolder();
      const pairs = writeTable(somePairs(20), header);
      const outcome = await pearl(
        ["finetune", "--pairs", pairs, "-o", "tuned", "--device", "cuda", "--no-types"],
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
});
