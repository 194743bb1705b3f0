/** How scores and models are shown in every kind of report. */
import type { BenchmarkResult, ModelReport } from "./runner.js";

export const isMean = ({ dataset }: Pick<BenchmarkResult, "dataset">): boolean =>
  dataset.startsWith("macro mean");

export const titleOf = ({ model, floor }: ModelReport): string => (floor ? `${model} (floor)` : model);

/** A score as a fraction, and its standard deviation over seeds. */
export interface ShownScore {
  readonly score: number;
  readonly deviation?: number;
}

/** "65.2", or with several seeds "65.2 ± 0.3". */
export const scoreText = (shown: ShownScore | undefined): string | undefined =>
  shown && `${percent(shown.score)}${shown.deviation === undefined ? "" : ` ± ${percent(shown.deviation)}`}`;

export const seedsText = ({ seed, seeds = 1 }: ModelReport): string =>
  seeds === 1 ? `seed ${seed}` : `${seeds} seeds from ${seed} on, mean ± standard deviation`;

/** A fraction × 100 with one digit. */
export const percent = (score: number): string => (score * 100).toFixed(1);
