/** The frame of a picture: a self-contained SVG file with a light and a dark theme. */
import { escapeText, fontFamily, themeStyle, withPlainColours } from "./theme.js";

/** "reader": light or dark by the reader's preference. "light": plain colours alone, for programs without CSS. */
export type Colours = "reader" | "light";

interface Picture {
  readonly title: string;
  readonly notes: readonly string[];
  readonly width: number;
  readonly height: number;
  /** Elements below {@link headHeight}; colours as the theme's variables, `fill="var(--ink)"`. */
  readonly body: string;
  readonly style?: string;
  /** Default "reader". */
  readonly colours?: Colours;
}

export const headMargin = 20;
export const headHeight = (notes: readonly string[]): number => 48 + notes.length * 17;

/** The picture as a file. Viewers without CSS variables show it in light colours. */
export function svgFile({ title, notes, width, height, body, style = "", colours }: Picture): string {
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
${[colours === "light" ? "" : themeStyle("svg"), withPlainColours(style, colours)].filter(Boolean).join("\n")}
</style>
${paintedPlainly([...head, body].join("\n"), colours)}
</svg>
`;
}

/** Viewers without CSS variables draw an attribute that uses one in black, but ignore such a style. */
const paintedPlainly = (elements: string, colours?: Colours): string =>
  elements.replaceAll(/<\w[^>]*var\(--[^>]*>/g, (tag) => {
    const rules: string[] = [];
    const bare = tag.replaceAll(/ (fill|stroke)="(var\(--\w+\))"/g, (_, property, colour) => {
      rules.push(`${property}:${colour}`);
      return "";
    });
    return bare.replace(/\s*\/?>$/, (end) => ` style="${withPlainColours(rules.join(";"), colours)}"${end}`);
  });
