/** Every objective trains pearl-mini from the command line: twenty steps on one small batch each. */
import { copyFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { objectiveNames, objectives } from "../../src/objectives/registry.js";
import { pearl } from "../cli/run-cli.js";
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

function expectLower(losses: readonly number[]): void {
  expect(losses).toHaveLength(20);
  expect(losses.every(Number.isFinite)).toBe(true);
  expect(losses[19]).toBeLessThan(losses[0]);
}

describe("pearl finetune --steps 20 ends with a lower loss on the same batch", () => {
  it.each(objectiveNames)("--objective %s", async (name) => {
    const { needs } = objectives[name] as { needs: { label?: string; score?: string } };
    const table =
      needs.score === "required" ? "scores.csv" : needs.label === "required" ? "labels.csv" : "pairs.csv";
    expectLower(await lossesOf(table, ["--objective", name]));
  });

  it("--objective triplet with settings, on labels", async () => {
    const settings = ["--objective-settings", "margin=0.5,mining=all"];
    expectLower(await lossesOf("labels.csv", ["--objective", "triplet", ...settings]));
  });

  // A view is drawn anew in each step, so steps are compared by their means. At this temperature the loss depends on the
  // spread of all phrases, and less on the draw.
  it.each(["cutoff", "dropout", "mixup"])("--view %s on phrases alone", async (view) => {
    const losses = await lossesOf("labels.csv", ["--view", view, "--temperature", "0.5", "--lr", "3e-4"]);
    const mean = (part: readonly number[]) => part.reduce((sum, loss) => sum + loss, 0) / part.length;
    expect(losses.every(Number.isFinite)).toBe(true);
    expect(mean(losses.slice(-5))).toBeLessThan(mean(losses.slice(0, 5)));
  });
});
