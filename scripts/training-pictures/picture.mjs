/** The frame of a picture: a whole SVG that needs nothing else, after the reader's light or dark. */
import { escapeText, fontFamily, themeStyle } from "../../dist/plot/theme.js";

/** Room around everything. */
export const MARGIN = 20;
/** Below title and notes. */
export const headHeight = (notes) => 48 + notes.length * 17;

/**
 * @param {{ title: string, notes: readonly string[], width: number, height: number, body: string }} picture
 * @returns {string}
 */
export function asSvg({ title, notes, width, height, body }) {
  const lines = notes.map((note, line) =>
    text(note, { x: MARGIN, y: 52 + line * 17, size: 12, muted: true }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${round(width)} ${round(height)}" width="${round(width)}" role="img" aria-labelledby="t d" font-family="${escapeText(fontFamily)}">
<title id="t">${escapeText(title)}</title>
<desc id="d">${escapeText(notes.join(" "))}</desc>
<style>
${themeStyle("svg")}
</style>
<rect width="100%" height="100%" fill="var(--background)"/>
${text(title, { x: MARGIN, y: 31, size: 18, bold: true })}
${lines.join("\n")}
${body}
</svg>
`;
}

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
