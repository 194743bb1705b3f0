/** Text and number elements of a picture. */
import { escapeText } from "../../dist/plot/theme.js";

/**
 * @param {string} content
 * @param {{ x: number, y: number, size?: number, anchor?: "start" | "middle" | "end", bold?: boolean, muted?: boolean }} how
 */
export function text(content, { x, y, size = 12, anchor = "start", bold, muted }) {
  const anchored = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
  const weight = bold ? ' font-weight="600"' : "";
  const ink = muted ? "muted" : "ink";
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}"${anchored}${weight} fill="var(--${ink})">${escapeText(content)}</text>`;
}

/** A tenth of a pixel is finer than anybody sees. @param {number} value */
export const round = (value) => Number(value.toFixed(1));
