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
    ["--pairs y --set temprature=1", 2, /unknown setting "temprature"\. Did you mean temperature\?$/m],
    ["--pairs y --set dropout=1", 2, /--set dropout=1: the setting dropout must be a number of .* below 1/],
    ["--pairs y --set anchors=3", 2, /unknown setting "anchors"\. Use epochs, batchSize/],
    ["--pairs y=0", 1, /y: the weight of a table must be a number above 0, at most 1000, not 0/],
    ["--base pearl-mini", 2, /required option '--pairs <file>' not specified/],
    ["--pairs y --objective arcface", 2, /arcface.*Allowed choices are nt-xent, info-nce/],
    ["--pairs y --validate 2", 2, /a number of at least 0 and below 1/],
    [
      "--pairs y --validate v.csv --eval-data d",
      2,
      /'--eval-data <folder>' cannot be used with option '--validate/,
    ],
    ["--pairs y --validate 0 --patience 2", 2, /--patience counts evaluations: add --eval-data FOLDER/],
    ["--pairs y --eval-data missing", 1, /missing: there is no folder to score the model on/],
    ["--pairs y --view cutoff --set punctuation.least=1", 2, /is for --view punctuation: add it/],
    [
      "--pairs y --steps 2 --epochs 2",
      2,
      /'--steps <n>' cannot be used with option '--epochs <n>'\. Leave one of them out\.\n/,
    ],
    ["--base x --pairs y -o z --lr fast", 2, /above 0/],
    ["--pairs y --dims 128,0", 2, /whole number of at least 1/],
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
