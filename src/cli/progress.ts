/** Progress on a terminal: a bar with rate and time left on stderr, and nothing at all where nobody looks. */
import type { SingleBar } from "cli-progress";
import { formatBytes, formatCount, formatDuration } from "./format.js";

/** What a progress bar counts; the rate is shown in it. */
export type ProgressUnit = "phrases" | "bytes" | "items";

/** Settings of a progress bar. */
export interface ProgressOptions {
  /** What is going on, in a word or two, e.g. `encoding`. */
  readonly label: string;
  /** How many units there are in all; unknown where absent (then count and rate are shown without a bar). */
  readonly total?: number;
  /** What is counted. Default `phrases`. */
  readonly unit?: ProgressUnit;
  /** True silences the bar, as does a stderr that is not a terminal. Default false. */
  readonly quiet?: boolean;
}

/** A running progress display. */
export interface Progress {
  /** Shows that `done` units are finished (an absolute count); `total` may become known or change. */
  update(done: number, total?: number): void;
  /** Takes the bar away. Safe to call more than once. */
  finish(): void;
}

const silent: Progress = { update: () => {}, finish: () => {} };

/** Shows progress on stderr; silent with `quiet` or where stderr is not a terminal. */
export async function startProgress(options: ProgressOptions): Promise<Progress> {
  if (options.quiet || !process.stderr.isTTY) return silent;
  const { default: cliProgress } = await import("cli-progress");
  const started = performance.now();
  const unit = options.unit ?? "phrases";
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: false, // a killed process would leave the terminal without its cursor
    fps: 5,
    barsize: 24,
    format: (_options, { value, total }) =>
      progressLine({ label: options.label, unit, value, total, started }),
  });
  bar.start(options.total ?? 0, 0);
  return running(bar);
}

function running(bar: SingleBar): Progress {
  return {
    update: (done, total) => {
      if (total !== undefined) bar.setTotal(total);
      bar.update(done);
    },
    finish: () => bar.stop(),
  };
}

/** What one line of progress is made from. */
export interface ProgressState {
  readonly label: string;
  readonly unit: ProgressUnit;
  readonly value: number;
  /** 0 where the total is unknown. */
  readonly total: number;
  /** `performance.now()` of the start, milliseconds. */
  readonly started: number;
}

/** One line: `encoding ████░░░░ 45 % 45,000/100,000 phrases, 12,300 phrases/s, 4 s left`. */
export function progressLine(state: ProgressState, now = performance.now()): string {
  const seconds = Math.max((now - state.started) / 1000, 1e-3);
  const perSecond = state.value / seconds;
  const show = state.unit === "bytes" ? formatBytes : formatCount;
  const name = state.unit === "bytes" ? "" : ` ${state.unit}`;
  const rate = `${show(Math.round(perSecond))}${name}/s`;
  if (state.total <= 0) return `${state.label} ${show(state.value)}${name}, ${rate}`;
  const share = Math.min(state.value / state.total, 1);
  const filled = Math.round(share * 24);
  const bar = "█".repeat(filled) + "░".repeat(24 - filled);
  const left = perSecond > 0 ? `, ${formatDuration((state.total - state.value) / perSecond)} left` : "";
  const percent = `${Math.floor(share * 100)} %`;
  return `${state.label} ${bar} ${percent} ${show(state.value)}/${show(state.total)}${name}, ${rate}${left}`;
}
