/** Every objective trains from the command line, twenty steps on one small batch each: a tiny encoder, and pearl-mini. */
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { finetuneOnCorpus } from "../../src/methods/corpus/corpus-finetune.js";
import { objectiveNames, objectives } from "../../src/objectives/registry.js";
import { pearl } from "../cli/run-cli.js";
import { newFolder } from "../setup/new-folder.js";
import { smallCorpus, smallSettings } from "../training/small-corpus.js";

/** A transformer of 16 dimensions beside an n-gram encoder. */
const tiny = join(newFolder(), "tiny");
beforeAll(async () => {
  await finetuneOnCorpus({ settings: smallSettings, corpus: await smallCorpus(), output: tiny, steps: 1 });
});

/** Trains in a folder of its own. @returns the loss of each step */
async function lossesOf(table: string, options: readonly string[]): Promise<number[]> {
  const cwd = newFolder();
  copyFileSync(join("data", table), join(cwd, table));
  const command = ["finetune", "--pairs", table, "-o", "tuned", "--steps", "20", "--quiet"];
  const { code, stderr } = await pearl([...command, ...options], { cwd });
  expect(code, stderr).toBe(0);
  const lines = readFileSync(join(cwd, "tuned", "metrics.jsonl"), "utf8")
    .trim()
    .split("\n");
  rmSync(join(cwd, "tuned"), { recursive: true });
  return lines.map((line) => JSON.parse(line).loss);
}

function expectLower(losses: readonly number[]): void {
  expect(losses).toHaveLength(20);
  expect(losses.every(Number.isFinite)).toBe(true);
  expect(losses[19]).toBeLessThan(losses[0]);
}

describe("pearl finetune --steps 20 on one batch", () => {
  const small = ["--base", tiny, "--lr", "1e-2", "--threads", "1"];
  const tableOf = (name: (typeof objectiveNames)[number]): string => {
    const { needs } = objectives[name] as { needs: { label?: string; score?: string } };
    if (needs.score === "required") return "scores.csv";
    return needs.label === "required" ? "labels.csv" : "pairs.csv";
  };

  const alone = objectiveNames.filter((name) => Object(objectives[name].needs).teacher !== "required");
  it.each(alone)("lowers the loss of --objective %s", async (name) => {
    expectLower(await lossesOf(tableOf(name), ["--objective", name, ...small]));
  });

  it("lowers the loss of --teacher on phrases alone", async () => {
    expectLower(await lossesOf("phrases.txt", ["--teacher", "pearl-strings", ...small]));
  });

  it("lowers the loss of --objective info-nce of pearl-mini", async () => {
    expectLower(await lossesOf("pairs.csv", ["--objective", "info-nce"]));
  });

  it("lowers the loss of --objective triplet with settings, on labels", async () => {
    const settings = ["--set", "objectiveSettings={margin: 0.5, mining: all}"];
    expectLower(await lossesOf("labels.csv", ["--objective", "triplet", ...settings, ...small]));
  });

  // A view is drawn anew in each step, so steps are compared by their means. At this temperature the loss depends on the
  // spread of all phrases, and less on the draw.
  it.each(["cutoff", "dropout", "mixup"])("lowers the loss of --view %s on phrases alone", async (view) => {
    const losses = await lossesOf("labels.csv", ["--view", view, "--set", "temperature=0.5", ...small]);
    const mean = (part: readonly number[]) => part.reduce((sum, loss) => sum + loss, 0) / part.length;
    expect(losses.every(Number.isFinite)).toBe(true);
    expect(mean(losses.slice(-5))).toBeLessThan(mean(losses.slice(0, 5)));
  });
});
