/** Draws values as lines, a panel beside the other: a point for each value, in order and evenly spaced. */
import { escapeText, headHeight, headMargin, svgFile } from "./theme.js";

export interface LinePoint {
  /** What stands below the point. */
  readonly label: string;
  readonly value: number;
  /** Half the length of a bar through the point; default: no bar. */
  readonly deviation?: number;
}

export interface LinePanel {
  readonly title: string;
  readonly points: readonly LinePoint[];
  /** Values of another line over the same places, drawn thin and without points. */
  readonly thin?: readonly number[];
  /** Drawn as dashed lines across the panel. */
  readonly references?: readonly number[];
  /** The values at the lower and the upper end of the axis; default: the smallest and the largest of the points. */
  readonly range?: readonly [number, number];
}

const panel = { width: 240, height: 190, left: 34, column: 288, row: 252, inRow: 4 };

/** The panels as an SVG file, four in a row. */
export function lineChart(title: string, notes: readonly string[], panels: readonly LinePanel[]): string {
  const top = headHeight(notes);
  const body = panels.flatMap((own, place) => {
    const row = Math.floor(place / panel.inRow);
    const left = headMargin + panel.left + (place % panel.inRow) * panel.column;
    return drawPanel(own, left, top + row * panel.row + 26);
  });
  const width = Math.max(2 * headMargin + Math.min(panels.length, panel.inRow) * panel.column, 640);
  const height = top + Math.ceil(panels.length / panel.inRow) * panel.row;
  return svgFile({ title, notes, width, height, body: body.join("\n") });
}

function drawPanel(
  { title, points, thin = [], references = [], range }: LinePanel,
  left: number,
  top: number,
) {
  const bottom = top + panel.height;
  const values = [...points.map(({ value }) => value), ...thin];
  const [low, high] = range ?? [Math.min(...values), Math.max(...values)];
  const y = (value: number): number => round(bottom - ((value - low) / (high - low || 1)) * panel.height);
  const path = (d: string, style: string) => `<path d="${d}" fill="none" ${style}/>`;
  const step = panel.width / points.length;
  const placed = points.map((point, place) => ({ ...point, x: round(left + (place + 0.5) * step) }));
  // labels that would touch are left out, at 8 pixels for a character
  const longest = Math.max(...points.map(({ label }) => label.length));
  const every = Math.ceil((8 * longest) / step);
  const through = (all: readonly number[]) =>
    `M${all.map((value, place) => `${placed[place].x} ${y(value)}`).join("L")}`;
  return [
    text(title, left, top - 10, "start", 13),
    ...[...new Set([low, high])].map((tick) =>
      text(`${Number(tick.toPrecision(3))}`, left - 6, y(tick) + 4, "end"),
    ),
    path(`M${left} ${top}V${bottom}H${left + panel.width}`, 'stroke="var(--line)"'),
    ...references.map((value) =>
      path(`M${left} ${y(value)}h${panel.width}`, 'stroke="var(--muted)" stroke-dasharray="4 3"'),
    ),
    path(through(points.map(({ value }) => value)), 'stroke="var(--c0)" stroke-width="2"'),
    ...(thin.length > 0 ? [path(through(thin), 'stroke="var(--c0)"')] : []),
    ...placed.flatMap(({ x, label, value, deviation = 0 }, place) => [
      path(`M${x} ${y(value - deviation)}V${y(value + deviation)}`, 'stroke="var(--c0)"'),
      `<circle cx="${x}" cy="${y(value)}" r="4" fill="var(--c0)"/>`,
      ...(place % every === 0 ? [text(label, x, bottom + 16)] : []),
    ]),
  ];
}

const text = (content: string, x: number, y: number, anchor = "middle", size = 11): string =>
  `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}" fill="var(--ink)">${escapeText(content)}</text>`;

const round = (value: number): number => Number(value.toFixed(1));
