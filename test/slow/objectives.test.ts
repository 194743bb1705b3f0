/**
 * Every objective trains from the command line, twenty steps on one small batch each: all of them a tiny encoder, and one
 * for each kind of data pearl-mini.
 */
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectiveNames, objectives } from "../../src/objectives/registry.js";
import { pearl } from "../cli/run-cli.js";
import { makeOracleModel } from "../encoder/oracle-model.js";
import { newFolder } from "../training/pairs-folder.js";

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

function expectFinite(losses: readonly number[]): void {
  expect(losses).toHaveLength(20);
  expect(losses.every(Number.isFinite)).toBe(true);
}

function expectLower(losses: readonly number[]): void {
  expectFinite(losses);
  expect(losses[19]).toBeLessThan(losses[0]);
}

describe("pearl finetune --steps 20 on one batch", () => {
  const tableOf = (name: (typeof objectiveNames)[number]): string => {
    const { needs } = objectives[name] as { needs: { label?: string; score?: string } };
    if (needs.score === "required") return "scores.csv";
    return needs.label === "required" ? "labels.csv" : "pairs.csv";
  };

  it.each(objectiveNames)("ends without divergence for --objective %s of a tiny encoder", async (name) => {
    const tiny = ["--base", makeOracleModel("encoder.folded.onnx")];
    expectFinite(await lossesOf(tableOf(name), ["--objective", name, ...tiny]));
  });

  it.each(["info-nce", "sup-con", "regression"] as const)(
    "lowers the loss of --objective %s of pearl-mini",
    async (name) => {
      expectLower(await lossesOf(tableOf(name), ["--objective", name]));
    },
  );

  it("lowers the loss of --objective triplet with settings, on labels", async () => {
    const settings = ["--objective-settings", "margin=0.5,mining=all"];
    expectLower(await lossesOf("labels.csv", ["--objective", "triplet", ...settings]));
  });

  // A view is drawn anew in each step, so steps are compared by their means. At this temperature the loss depends on the
  // spread of all phrases, and less on the draw.
  it.each(["cutoff", "dropout", "mixup"])("lowers the loss of --view %s on phrases alone", async (view) => {
    const losses = await lossesOf("labels.csv", ["--view", view, "--temperature", "0.5", "--lr", "3e-4"]);
    const mean = (part: readonly number[]) => part.reduce((sum, loss) => sum + loss, 0) / part.length;
    expect(losses.every(Number.isFinite)).toBe(true);
    expect(mean(losses.slice(-5))).toBeLessThan(mean(losses.slice(0, 5)));
  });
});
