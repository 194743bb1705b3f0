/** Text elements and rounding for pictures. */
import { escapeText } from "../../dist/plot/theme.js";

/**
 * @typedef {{ size?: number, anchor?: "start" | "middle" | "end", bold?: boolean, muted?: boolean }} Style
 * @param {string} content
 * @param {{ x: number, y: number } & Style} options
 */
export function text(content, { x, y, size = 12, anchor = "start", bold, muted }) {
  const anchored = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
  const weight = bold ? ' font-weight="600"' : "";
  const ink = muted ? "muted" : "ink";
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}"${anchored}${weight} fill="var(--${ink})">${escapeText(content)}</text>`;
}

/** Rounds to a tenth of a pixel. @param {number} value */
export const round = (value) => Number(value.toFixed(1));
