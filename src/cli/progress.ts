/** Progress on a terminal: a bar with rate and time left on stderr; nothing where stderr is not a terminal. */
import { formatBytes, formatCount, formatDuration } from "./format.js";

/** What a progress bar counts; the rate is shown in it. */
export type ProgressUnit = "phrases" | "bytes" | "items";

/** Settings of a progress bar. */
export interface ProgressOptions {
  /** What is being done, in a word or two, e.g. `encoding`. */
  readonly label: string;
  /** Number of units; where it is absent, count and rate are shown without a bar. */
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
  /** Removes the bar. Safe to call more than once. */
  finish(): void;
}

const silent: Progress = { update: () => {}, finish: () => {} };

/** Shows progress on stderr; silent with `quiet` or where stderr is not a terminal. */
export async function startProgress(options: ProgressOptions): Promise<Progress> {
  if (options.quiet || !process.stderr.isTTY) return silent;
  const { default: cliProgress } = await import("cli-progress");
  const unit = options.unit ?? "phrases";
  const meter = rateMeter();
  const bar = new cliProgress.SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    fps: 5,
    // The terminal's state is not changed, so there is nothing to restore when the process is killed.
    hideCursor: false,
    linewrap: true,
    gracefulExit: false,
    format: (_options, { value, total }) => {
      const state = { label: options.label, unit, value, total, perSecond: meter.perSecond() };
      return progressLine(state).slice(0, (process.stderr.columns || 80) - 1);
    },
  });
  let isShown = false;
  return {
    update: (done, total) => {
      meter.note(done);
      // The bar appears with the first step: notes printed before that keep their own lines.
      if (!isShown) bar.start(total ?? options.total ?? 0, done);
      isShown = true;
      if (total !== undefined) bar.setTotal(total);
      bar.update(done);
    },
    finish: () => bar.stop(),
  };
}

/** A bar for each stage of the work, one after the other, with lines in between. */
export function stageDisplay({ quiet = false }: Pick<ProgressOptions, "quiet">) {
  let stage = "";
  let bar: Promise<Progress> | undefined;
  const finish = async (): Promise<void> => {
    const last = bar;
    bar = undefined;
    stage = "";
    (await last)?.finish();
  };
  return {
    finish,
    /** Prints a line, unless quiet. */
    say: (text: string): void => {
      if (!quiet) process.stderr.write(`${text}\n`);
    },
    /** Shows how much of a stage is done; a stage of another name replaces the bar. */
    show: (name: string, done: number, total?: number, unit: ProgressUnit = "items"): void => {
      if (name !== stage) {
        void finish();
        stage = name;
        bar = startProgress({ label: name, unit, quiet });
      }
      void bar?.then((progress) => progress.update(done, total));
    },
  };
}

const windowMs = 15_000;

/** The rate over the last 15 seconds; the work of an earlier run or of an earlier file does not count. */
export function rateMeter(now: () => number = () => performance.now()): {
  /** Notes that `done` units are finished now; a smaller count than before starts anew. */
  note(done: number): void;
  /** Units per second; 0 until there are two notes. */
  perSecond(): number;
} {
  const notes: { done: number; at: number }[] = [];
  return {
    note: (done) => {
      const at = now();
      if (notes.length > 0 && done < notes[notes.length - 1].done) notes.length = 0;
      // Bytes may be noted thousands of times a second: one note per 100 ms is kept.
      if (notes.length > 1 && at - notes[notes.length - 2].at < 100) notes.pop();
      notes.push({ done, at });
      while (notes.length > 2 && at - notes[1].at > windowMs) notes.shift();
    },
    perSecond: () => {
      if (notes.length < 2) return 0;
      const [first, last] = [notes[0], notes[notes.length - 1]];
      return ((last.done - first.done) / Math.max(last.at - first.at, 1)) * 1000;
    },
  };
}

/** What one line of progress is made from. */
export interface ProgressState {
  readonly label: string;
  readonly unit: ProgressUnit;
  readonly value: number;
  /** 0 where the total is unknown. */
  readonly total: number;
  readonly perSecond: number;
}

const barWidth = 12;

/**
 * One line: `encoding █████░░░░░░░ 45 %, 4 s left, 12,300 phrases/s, 45,000/100,000`; the least
 * important part comes last, where a narrow terminal cuts the line.
 */
export function progressLine({ label, unit, value, total, perSecond }: ProgressState): string {
  const show = unit === "bytes" ? formatBytes : formatCount;
  const name = unit === "bytes" ? "" : ` ${unit}`;
  const rate = `${show(Math.round(perSecond))}${name}/s`;
  if (total <= 0) return `${label} ${show(value)}${name}, ${rate}`;
  const share = Math.min(value / total, 1);
  const filled = Math.round(share * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const left = perSecond > 0 ? `, ${formatDuration(Math.max(total - value, 0) / perSecond)} left` : "";
  return `${label} ${bar} ${Math.floor(share * 100)} %${left}, ${rate}, ${show(value)}/${show(total)}`;
}
