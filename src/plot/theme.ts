/** Colours that remain distinguishable in print and with colour blindness, light and dark; the frames of pages and pictures. */
import { createHash } from "node:crypto";

/**
 * The colours of categories, the most frequent first; `rest` is for everything without a category of its own. The
 * contrast to the background is at least 3 : 1 (WCAG 2.1, 1.4.11), of text 4.5 : 1.
 */
export const light = {
  background: "#ffffff",
  panel: "#f4f6f8",
  ink: "#17202a",
  muted: "#55606c",
  line: "#d5dbe1",
  categories: ["#0067a5", "#c8500a", "#00795a", "#a8368c", "#8a6a00", "#5b4fcf", "#c2173f", "#3f7480"],
  rest: "#858d96",
};

/** The same for dark mode. */
export const dark: typeof light = {
  background: "#12171d",
  panel: "#1b222a",
  ink: "#e8edf2",
  muted: "#a5b0bb",
  line: "#333d48",
  categories: ["#5ab4f0", "#ff9455", "#35c99c", "#ec96d3", "#e6c33f", "#ada1ff", "#ff7a94", "#86cfdb"],
  rest: "#7d8792",
};

/** Marks of categories, for readers who cannot distinguish the colours. Each about the size of a circle of radius 4. */
export const marks: readonly string[] = [
  "M0-3.6A3.6 3.6 0 1 1 0 3.6A3.6 3.6 0 1 1 0-3.6Z", // circle
  "M0-4.6L4.2 3H-4.2Z", // triangle
  "M-3.2-3.2H3.2V3.2H-3.2Z", // square
  "M0-4.8L4.8 0L0 4.8L-4.8 0Z", // diamond
  "M-4.6-1.4H-1.4V-4.6H1.4V-1.4H4.6V1.4H1.4V4.6H-1.4V1.4H-4.6Z", // plus
  "M0 4.6L-4.2-3H4.2Z", // triangle on its tip
  "M0-4.8L1.3-1.5L4.6-1.5L2 .7L3 4L0 2L-3 4L-2 .7L-4.6-1.5L-1.3-1.5Z", // star
  "M-2.8-4.6L0-1.8L2.8-4.6L4.6-2.8L1.8 0L4.6 2.8L2.8 4.6L0 1.8L-2.8 4.6L-4.6 2.8L-1.8 0L-4.6-2.8Z", // cross
];

const named = ({ categories, ...others }: typeof light): Record<string, string> => ({
  ...others,
  ...Object.fromEntries(categories.map((colour, index) => [`c${index}`, colour])),
});

const variables = (theme: typeof light): string =>
  Object.entries(named(theme))
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";");

/** A text, such as a style, with the theme's colours in the place of their variables. */
const painted = (text: string, theme: typeof light): string =>
  text.replaceAll(/var\(--(\w+)\)/g, (_, name) => named(theme)[name]);

/** Dark mode for a picture whose attributes hold plain light colours. */
const darkStyle = (style: string): string =>
  `@media (prefers-color-scheme:dark){${Object.entries(named(light))
    .map(([name, colour]) => {
      const other = named(dark)[name];
      return `[fill="${colour}"]{fill:${other}}[stroke="${colour}"]{stroke:${other}}`;
    })
    .join("")}
${painted(style, dark)}}`;

/** System fonts: nothing is downloaded. */
export const fontFamily = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif';

/** Escapes text for HTML and SVG, including attributes. Characters that XML does not allow are removed. */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\uFFFE\uFFFF]|\p{Cs}/gu, (character) => (/[\t\n\r]/.test(character) ? " " : ""))
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

interface Page {
  readonly title: string;
  readonly body: string;
  readonly style?: string;
  readonly script?: string;
}

/** A page loads nothing, and runs no script but its own. */
function policyOf(script: string | undefined): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  if (script === undefined) return policy;
  return `${policy}; script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`;
}

/** A self-contained HTML page: no network, fonts or external scripts. */
export function htmlPage({ title, body, style = "", script }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(script)}">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeText(title)}</title>
<style>
:root{color-scheme:light dark;${variables(light)}}
@media (prefers-color-scheme:dark){:root{${variables(dark)}}}
body{margin:0 auto;max-width:72rem;padding:1.5rem 1rem 3rem;background:var(--background);color:var(--ink);
font:15px/1.5 ${fontFamily}}
h1{font-size:1.4rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p.note{color:var(--muted);margin:.25rem 0 .75rem}
${style}
</style>
</head>
<body>
${body}
${script === undefined ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
}

interface Picture {
  readonly title: string;
  readonly notes: readonly string[];
  readonly width: number;
  readonly height: number;
  /** Elements below {@link headHeight}; colours as the theme's variables, `fill="var(--ink)"`. */
  readonly body: string;
  readonly style?: string;
}

export const headMargin = 20;
export const headHeight = (notes: readonly string[]): number => 48 + notes.length * 17;

/** The picture as a file. Its colours are plain, as some viewers draw variables in black; a style replaces them in dark mode. */
export function svgFile({ title, notes, width, height, body, style = "" }: Picture): string {
  const head = [
    `<rect width="100%" height="100%" fill="var(--background)"/>`,
    `<text x="${headMargin}" y="31" font-size="18" font-weight="600" fill="var(--ink)">${escapeText(title)}</text>`,
    ...notes.map(
      (note, line) =>
        `<text x="${headMargin}" y="${52 + line * 17}" font-size="12" fill="var(--muted)">${escapeText(note)}</text>`,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-labelledby="t d" font-family="${escapeText(fontFamily)}">
<title id="t">${escapeText(title)}</title>
<desc id="d">${escapeText(notes.join(" "))}</desc>
<style>
${painted(style, light)}
${darkStyle(style)}
</style>
${[...head, body].join("\n").replaceAll(/<\w[^>]*>/g, (tag) => painted(tag, light))}
</svg>
`;
}
