/**
 * Names of kinds and tasks run from the command line, about twenty steps each. Objectives and views are in
 * objectives.test.ts, grids in ablate.test.ts, classify and tag among the snippets of docs.test.ts.
 */
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { smallData, writeData } from "../benchmark/small-data.js";
import { pearl } from "../cli/run-cli.js";
import { makeOracleModel } from "../encoder/oracle-model.js";
import { newFolder } from "../setup/new-folder.js";

const cwd = newFolder();
beforeAll(() => cpSync("data", join(cwd, "data"), { recursive: true }));

async function run(line: string) {
  const outcome = await pearl(line.split(" "), { cwd });
  expect(outcome.code, `pearl ${line}\n${outcome.stderr}`).toBe(0);
  return outcome;
}

/** Trains a model, which encodes then. @param parameters without the output's */
async function trains(parameters: string): Promise<void> {
  const name = parameters.replaceAll(/[^a-z]+/g, "-");
  const { stdout } = await run(`${parameters} -o ${name} --device cpu --threads 1 -q`);
  expect(stdout).toMatch(/20 steps, loss \d/);
  await run(`encode data/phrases.txt --model ${name} -o ${name}.npy -q`);
  expect(existsSync(join(cwd, `${name}.npy`))).toBe(true);
}

describe("pearl pretrain-characters --synthetic", () => {
  const small = "pretrain-characters --synthetic 200 --batch-size 10 --epochs 1 --width 8";
  it.each(["--kind bag --pooling max", "--kind bilstm --hidden 6 --pooling mean --like data/phrases.txt"])(
    "%s",
    (options) => trains(`${small} ${options}`),
  );
});

it("pearl finetune --view punctuation", async () => {
  const base = makeOracleModel("encoder.folded.onnx");
  const marks = "--set punctuation.least=1 --set punctuation.most=5 --set punctuation.marks=calm";
  const options = `--view punctuation --set punctuation.weight=0.3 ${marks} --steps 20`;
  const { stdout } = await run(
    `finetune --pairs data/phrases.txt --base ${base} ${options} -o marked --device cpu --threads 1 -q`,
  );
  expect(stdout).toMatch(/20 steps, loss \d/);
});

it("pearl bench --task strings --task sts --seeds 2", async () => {
  const models = "--model levenshtein --model tfidf-2-3 --model pearl-strings";
  const tasks = "--task strings --task sts --seeds 2";
  const { stdout } = await run(
    `bench ${tasks} ${models} --data ${writeData(smallData)} --json scores.json -q`,
  );
  expect(stdout).toContain("±");
  const reports = JSON.parse(readFileSync(join(cwd, "scores.json"), "utf8"));
  expect(JSON.stringify(reports)).toMatch(/spearman/);
});
