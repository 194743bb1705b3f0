/** How scores and models are shown in every kind of report. */
import type { BenchmarkResult, ModelReport } from "./runner.js";

export const isMean = ({ dataset }: Pick<BenchmarkResult, "dataset">): boolean =>
  dataset.startsWith("macro mean");

export const titleOf = ({ model, floor }: ModelReport): string => (floor ? `${model} (floor)` : model);

/** A fraction × 100 with one digit. */
export const percent = (score: number): string => (score * 100).toFixed(1);
