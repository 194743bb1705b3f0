/** Progress on stderr: on a terminal one line with bar, rate and time left, elsewhere at most one line a minute. */
import { basename } from "node:path";
import stringWidth from "string-width";
import { redacted } from "../errors.js";
import type { ReadingProgress } from "../table/table.js";
import { formatBytes, formatCount, formatDuration } from "./format.js";

export type ProgressUnit = "phrases" | "bytes" | "cells" | "items" | "shards";

/** Milliseconds between two updates of the line, and over which the rate is measured. */
const updateMs = 200;
const windowMs = 15_000;
/** Milliseconds between two lines where stderr is a file or a pipe, as in the log of a CI run. */
const logMs = 60_000;
/** Milliseconds after which the reading of a table is shown; most tables are read by then. */
const patienceMs = 1500;
/** Time left is shown after this many milliseconds of a stage and, where items differ in time, after this part of them. */
const leftMs = 5000;
const leastPart = 0.05;
const longestName = 24;
const barWidth = 12;
const eraseLine = "\r\u001b[K";

export function progressDisplay({ quiet = false }: { readonly quiet?: boolean }) {
  const isTerminal = process.stderr.isTTY;
  let stage = "";
  let updatedAt = 0;
  let loggedAt = performance.now();
  let rate = rateMeter();
  let begun = { done: 0, at: 0 };
  let last = 0;
  const finish = (): void => {
    if (stage !== "" && isTerminal) process.stderr.write(eraseLine);
    stage = "";
  };
  return {
    finish,
    say: (text: string): void => {
      finish();
      if (!quiet) process.stderr.write(`${redacted(text)}\n`);
    },
    /** Shows how much of a stage is done: an absolute count; a stage of another name replaces the line. */
    show: (name: string, done: number, total = 0, unit: ProgressUnit = "items"): void => {
      const now = performance.now();
      if (quiet || (name === stage && now - updatedAt < updateMs)) return;
      // Shards end one by one, minutes apart, and workers end theirs at about the same time.
      if (name !== stage) rate = rateMeter(unit === "shards" ? Infinity : windowMs);
      if (name !== stage || done < last) begun = { done, at: now };
      [stage, last, updatedAt] = [name, done, now];
      const perSecond = rate(done, now);
      // A stage that slows down or speeds up does not say how long it still takes.
      const average = ((done - begun.done) / Math.max(now - begun.at, 1)) * 1000;
      const isSteady = perSecond < 2 * average && average < 2 * perSecond;
      const isFar = now - begun.at >= leftMs && (unit !== "items" || done >= leastPart * total);
      const state = { label: name, unit, done, total, perSecond, isSteady: isSteady && isFar };
      if (!isTerminal) {
        if (now - loggedAt < logMs) return;
        loggedAt = now;
        process.stderr.write(`${progressLine(state, "without bar")}\n`);
        return;
      }
      const line = progressLine(state);
      process.stderr.write(eraseLine + cutToWidth(line, (process.stderr.columns || 80) - 1));
    },
  };
}

/** The start of a line that fits a terminal, where some characters are two columns wide. */
function cutToWidth(line: string, columns: number): string {
  const cut = [...line].slice(0, columns);
  while (stringWidth(cut.join("")) > columns) cut.pop();
  return cut.join("");
}

/** Shows how far a table is read: `reading companies.csv ███░░ ...`. */
export function readingDisplay(show: ReturnType<typeof progressDisplay>["show"]) {
  const starts = new Map<string, number>();
  return ({ path, stage, done, total }: ReadingProgress): void => {
    const now = performance.now();
    const start = starts.get(path) ?? now;
    starts.set(path, start);
    if (now - start < patienceMs) return;
    const name = path === "-" ? "standard input" : basename(path);
    const cut = cutToWidth(name, longestName);
    const shown = cut === name ? name : `${cut}…`;
    show(`${stage} ${shown}`, done, total, stage === "loading" ? "cells" : "bytes");
  };
}

/** Notes a count at a time in ms; returns units per second over the last 15 s. A smaller count starts anew. */
export function rateMeter(window = windowMs): (done: number, now: number) => number {
  const notes: { done: number; at: number }[] = [];
  return (done, at) => {
    if (done < (notes.at(-1)?.done ?? 0)) notes.length = 0;
    notes.push({ done, at });
    while (notes.length > 2 && at - notes[1].at > window) notes.shift();
    const [first] = notes;
    return ((done - first.done) / Math.max(at - first.at, 1)) * 1000;
  };
}

interface ProgressState {
  readonly label: string;
  readonly unit: ProgressUnit;
  readonly done: number;
  /** 0 if unknown. */
  readonly total: number;
  readonly perSecond: number;
  /** False where the rate does not tell the time left. Default true. */
  readonly isSteady?: boolean;
}

/**
 * One line: `encoding █████░░░░░░░ 45 %, 4 s left, 12,300 phrases/s, 45,000/100,000`; the least
 * important part comes last, where a narrow terminal cuts the line.
 */
export function progressLine(
  { label, unit, done, total, perSecond, isSteady = true }: ProgressState,
  form: "with bar" | "without bar" = "with bar",
): string {
  const show = unit === "bytes" ? formatBytes : formatCount;
  const name = unit === "bytes" ? "" : ` ${unit}`;
  // A rate that rounds to 0 would say that nothing is done. Shards end one by one, a fraction of one in a second.
  const rounded = unit === "shards" ? 0 : Math.round(perSecond);
  const rate = rounded > 0 ? `, ${show(rounded)}${name}/s` : "";
  if (total <= 0) return `${label} ${show(done)}${name}${rate}`;
  const part = Math.min(done / total, 1);
  const filled = Math.round(part * barWidth);
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const left =
    isSteady && perSecond > 0 ? `, ${formatDuration(Math.max(total - done, 0) / perSecond)} left` : "";
  const shown = form === "with bar" ? `${bar} ` : "";
  return `${label} ${shown}${Math.floor(part * 100)} %${left}${rate}, ${show(done)}/${show(total)}`;
}
