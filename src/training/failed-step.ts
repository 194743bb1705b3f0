/** The batch of a step without finite numbers, saved for a person to look at. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { plainNumbers } from "./checkpoint.js";
import type { StepMetrics } from "./metrics.js";
import type { TrainingData } from "./trainer.js";

/** Writes `failed-step-STEP.json`. @returns its path */
export async function saveFailedStep(
  folder: string,
  { step, loss, gradientNorm, learningRate }: StepMetrics,
  data: TrainingData,
): Promise<string> {
  const batch = await (data.describe?.(step - 1) ?? data.batch(step - 1));
  const path = join(folder, `failed-step-${step}.json`);
  const report = { step, loss: String(loss), gradientNorm: String(gradientNorm), learningRate, batch };
  writeFileSync(path, JSON.stringify(report, plainNumbers));
  return path;
}
