/** `pearl finetune` as users run it; test/slow/trainings has its longer trainings. */
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
    ["--batch-size 3", 2, /--set anchors=64/],
    ["--pairs y --set temprature=1", 2, /unknown setting "temprature"\. Did you mean temperature\?$/m],
    ["--pairs y --set dropout=1", 2, /--set dropout=1: the setting dropout must be a number of .* below 1/],
    ["--pairs y --set anchors=3", 2, /unknown setting "anchors"\. Use epochs, batchSize/],
    ["--pairs y=0", 1, /y: the weight of a table must be a number above 0, at most 1000, not 0/],
    ["--corpus c --set shape.layer=3", 2, /Did you mean shape\.layers\?/],
    ["--corpus c --set shape.layers=3", 2, /--set shape\.layers=3 is for a transformer from scratch/],
    ["--augment character", 2, /"character" is not NAME=NUMBER/],
    ["--preset pearl-tiny", 1, /neither a preset \(pearl-small/],
    ["--pairs y --objective arcface", 2, /arcface.*Allowed choices are nt-xent, info-nce/],
    ["--pairs y --objective-settings margin", 2, /"margin" is not NAME=VALUE/],
    ["--view cutoff", 2, /--view is for a training on pairs alone\. Give --pairs FILE/],
    ["--corpus c --validate 0.1", 2, /--validate is for a training on pairs alone\. Give --pairs FILE/],
    ["--pairs y --validate 2", 2, /a number of at least 0 and below 1/],
    ["--pairs y --validate v.csv --eval-data d", 2, /--validate and --eval-data each choose the weights/],
    ["--pairs y --validate 0 --patience 2", 2, /--patience counts evaluations: add --eval-data FOLDER/],
    ["--pairs y --eval-data missing", 1, /missing: there is no folder to score the model on/],
    ["--pairs y --view cutoff --view-marks 1-5", 2, /is for --view punctuation: add it/],
    ["--pairs y --view punctuation --view-marks 3-1", 2, /range from 1 on, such as 1-3/],
    ["--pairs y --steps 2 --epochs 2", 2, /--epochs and --steps each set the length of a training: give one/],
    ["--base x --pairs y -o z --lr fast", 2, /above 0/],
    ["--pairs y --dims 128,0", 2, /whole number of at least 1/],
    ["--corpus c --teacher t", 2, /--teacher is for a training on pairs alone\. Give --pairs FILE/],
    ["--corpus c --dims 64", 2, /--dims is for a training on pairs alone\. Give --pairs FILE/],
    ["--pairs y --objective margin-mse", 1, /imitates another model\. Name it: --teacher MODEL/],
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
});
