/** Draws the grid of an ablation as the paper's figure 5: a panel per setting, the mean score at each of its values. */
import { groupBy } from "../match/group-by.js";
import { headHeight, headMargin, svgFile } from "../plot/svg-file.js";
import { escapeText } from "../plot/theme.js";
import type { AblationReport, AblationRun } from "./ablate.js";

const panel = { width: 240, height: 190, gap: 36, left: 34 };

/** The picture as SVG. A dashed line shows the whole method; bars show the standard deviation over seeds. */
export function gridChart({ runs, steps, seeds }: AblationReport): string {
  const points = runs.flatMap((run) => (run.point ? [{ run, ...run.point }] : []));
  const whole = runs.find(({ name }) => name === "whole");
  const shown = points.map(({ run }) => run).concat(whole ?? []);
  const ends = shown.flatMap(({ mean, deviation = 0 }) => [
    100 * (mean - deviation),
    100 * (mean + deviation),
  ]);
  const [low, high] = [
    Math.floor(Math.min(...ends)),
    Math.max(Math.ceil(Math.max(...ends)), Math.floor(Math.min(...ends)) + 1),
  ];
  const trainings =
    seeds > 1
      ? `, ${seeds} trainings each; bars: standard deviation`
      : ", one training each: small differences may be chance";
  const notes = [`Mean score × 100 after ${steps} steps${trainings}. Dashed: the whole method.`];
  const top = headHeight(notes) + 26;
  const bottom = top + panel.height;
  const y = (mean: number): number => round(bottom - ((100 * mean - low) / (high - low)) * panel.height);
  const axes = [...groupBy(points, ({ setting }) => setting)];
  const body = axes.flatMap(([setting, own], column) => {
    const left = headMargin + panel.left + column * (panel.width + panel.gap);
    const sorted = own.toSorted((a, b) => a.value - b.value);
    // values are evenly spaced, as they often grow by factors
    const x = (place: number): number => round(left + ((place + 0.5) * panel.width) / sorted.length);
    const line = sorted
      .map(({ run }, place) => `${place === 0 ? "M" : "L"}${x(place)} ${y(run.mean)}`)
      .join("");
    return [
      text(setting, left, top - 10, "start", 13),
      ...[low, high].map((tick) => text(`${tick}`, left - 6, y(tick / 100) + 4, "end")),
      `<path d="M${left} ${top}V${bottom}H${left + panel.width}" fill="none" stroke="var(--line)"/>`,
      ...(whole ? [dashed(left, y(whole.mean))] : []),
      `<path d="${line}" fill="none" stroke="var(--c0)" stroke-width="2"/>`,
      ...sorted.flatMap(({ run, value }, place) => [
        mark(run, x(place), y),
        text(`${value}`, x(place), bottom + 16),
      ]),
    ];
  });
  const width = 2 * headMargin + axes.length * (panel.width + panel.gap);
  return svgFile({
    title: "Settings of the method",
    notes,
    width: Math.max(width, 640),
    height: bottom + 36,
    body: body.join("\n"),
  });
}

function mark({ mean, deviation = 0 }: AblationRun, x: number, y: (mean: number) => number): string {
  const bar = `<path d="M${x} ${y(mean - deviation)}V${y(mean + deviation)}" stroke="var(--c0)"/>`;
  return `${deviation > 0 ? bar : ""}<circle cx="${x}" cy="${y(mean)}" r="4" fill="var(--c0)"/>`;
}

const dashed = (left: number, y: number): string =>
  `<path d="M${left} ${y}h${panel.width}" stroke="var(--muted)" stroke-dasharray="4 3"/>`;

const text = (content: string, x: number, y: number, anchor = "middle", size = 11): string =>
  `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}" fill="var(--ink)">${escapeText(content)}</text>`;

const round = (value: number): number => Number(value.toFixed(1));
