/** Draws a map of phrases as SVG: marks by category, a legend, and labels where there is room. */
import stringWidth from "string-width";
import { labelText, placeLabels, scattered } from "./labels.js";
import { escapeText, headHeight, headMargin, light, marks, svgFile } from "./theme.js";

interface Place {
  readonly x: number;
  readonly y: number;
}

export interface MapPoint extends Place {
  readonly phrase: string;
  /** The category that sets the colour, or an empty string. */
  readonly category: string;
}

export interface MapDrawing {
  readonly title: string;
  /** Lines under the title: model, method, how many of how many rows. */
  readonly notes: readonly string[];
  /** What the categories are, such as the name of a column; undefined without categories. */
  readonly categoriesAre?: string;
  readonly points: readonly MapPoint[];
}

/** Fewer phrases than this have no neighbourhoods to draw. */
export const leastPhrases = 4;

const width = 960;
const height = 680;
const margin = headMargin;
const legendRow = 20;
const mostLabels = 60;
/** Above this many points, marks are smaller and labels may cover them. */
const crowd = 400;

export interface Category {
  readonly name: string;
  readonly count: number;
  /** Index of its colour and mark: -1 for grey. */
  readonly colour: number;
}

/** A drawn map, below `top`: marks and labels, and what a legend lists. */
export interface DrawnMap {
  readonly width: number;
  readonly height: number;
  readonly body: string;
  readonly entries: readonly Category[];
}

/** The map as a self-contained SVG file, with hover text in the titles of the marks. */
export function mapAsSvg(drawing: MapDrawing): string {
  const { notes, categoriesAre } = drawing;
  const top = headHeight(notes);
  const { body, entries } = drawMap(drawing, top);
  const frame = `<rect x="${margin / 2}" y="${top + margin / 2}" width="${width - margin}" height="${height - margin}" rx="6" fill="none" stroke="var(--line)"/>`;
  const legend = categoriesAre === undefined ? "" : legendOf(entries, categoriesAre, top + height + 8);
  const rows = categoriesAre === undefined ? 0 : Math.ceil(entries.length / legendColumns) + 1;
  const size = top + height + rows * legendRow + 8;
  return svgFile({
    ...{ ...drawing, width, height: size, style: mapStyle },
    body: [frame, body, legend].join("\n"),
  });
}

export function drawMap({ points }: MapDrawing, top: number): DrawnMap {
  const categories = rankCategories(points);
  const colours = new Map(categories.map(({ name, colour }) => [name, colour]));
  const colourOf = (index: number): number => colours.get(points[index].category) ?? -1;
  const placed = placePoints(points, top);
  // Grey marks are drawn first, below the colours.
  const order = [...points.keys()].sort((a, b) => Number(colourOf(a) >= 0) - Number(colourOf(b) >= 0));
  const scale = points.length > crowd ? ' transform="scale(.72)"' : "";
  const symbols = marks.map((path, index) => `<path id="m${index}" d="${path}"${scale}/>`).join("");
  const drawn = order.map((index) => markOf(points[index], placed[index], colourOf(index))).join("\n");
  const body = `<defs>${symbols}</defs>
<g class="points">
${drawn}
</g>
<g class="labels" aria-hidden="true">
${labelsOf(points, placed, top).join("\n")}
</g>`;
  return { width, height, body, entries: legendEntries(categories) };
}

/** Categories by frequency. The first eight have a colour and a mark; the others and the empty one are grey. */
function rankCategories(points: readonly MapPoint[]): Category[] {
  const counts = new Map<string, number>();
  for (const { category } of points) counts.set(category, (counts.get(category) ?? 0) + 1);
  return [...counts]
    .sort(([a, many], [b, more]) => Number(a === "") - Number(b === "") || more - many || (a < b ? -1 : 1))
    .map(([name, count], index) => ({ name, count, colour: name && index < marks.length ? index : -1 }));
}

/** Positions in the frame. Both axes have one scale, and the outermost 1 % of points do not affect it. */
function placePoints(points: readonly MapPoint[], top: number): Place[] {
  const across = rangeOf(points.map(({ x }) => x));
  const down = rangeOf(points.map(({ y }) => y));
  const inner = { width: width - 4 * margin, height: height - 4 * margin };
  const scale = Math.min(inner.width / across.span, inner.height / down.span);
  const middle = { x: width / 2, y: top + height / 2 };
  const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));
  return points.map(({ x, y }) => ({
    x: clamp(middle.x + (x - across.middle) * scale, margin, width - margin),
    y: clamp(middle.y + (y - down.middle) * scale, top + margin, top + height - margin),
  }));
}

function rangeOf(values: readonly number[]): { middle: number; span: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const edge = Math.floor(sorted.length * 0.005);
  const low = sorted[edge];
  const high = sorted[sorted.length - 1 - edge];
  return { middle: (low + high) / 2, span: Math.max(high - low, 1e-9) };
}

function markOf({ phrase, category }: MapPoint, { x, y }: Place, colour: number): string {
  const text = category === "" ? phrase : `${phrase} (${category})`;
  // where the phrase ends in the title, for a page's labels
  const length = category === "" ? "" : ` data-length="${phrase.length}"`;
  return `${useOf(colour, x.toFixed(1), y.toFixed(1))}${length}><title>${escapeText(text)}</title></use>`;
}

/** The class of a colour's marks. */
export const classOf = (colour: number): string => (colour < 0 ? "rest" : `c${colour}`);

/** The start of an element that draws a colour's mark. */
const useOf = (colour: number, x: number | string, y: number | string): string =>
  `<use href="#m${Math.max(colour, 0)}" x="${x}" y="${y}" class="${classOf(colour)}"`;

/** Labels of points with room around them, spread over the map. */
function labelsOf(points: readonly MapPoint[], placed: readonly Place[], top: number): string[] {
  const order = scattered(points.length);
  const texts = order.map((index) => labelText(points[index].phrase));
  const spots = order.map((index, place) => {
    const { x, y } = placed[index];
    return { x: x - margin, y: y - top - margin, length: lengthOf(texts[place]) };
  });
  const room = { width: width - 2 * margin, height: height - 2 * margin, most: mostLabels, crowd };
  return placeLabels(spots, room).map(({ index, x, y, isLeft }) => {
    const anchor = isLeft ? ' text-anchor="end"' : "";
    const at = `x="${(x + margin).toFixed(1)}" y="${(y + top + margin).toFixed(1)}"`;
    return `<text ${at}${anchor}>${escapeText(texts[index])}</text>`;
  });
}

/** An upper estimate of a label's width in pixels: of capitals, and of wide characters. */
const lengthOf = (text: string): number =>
  6.4 * stringWidth(text) + 1.6 * (text.match(/[\p{Lu}mw@%]/gu)?.length ?? 0);

const legendColumns = 4;

function legendEntries(categories: readonly Category[]): readonly Category[] {
  const coloured = categories.filter(({ colour }) => colour >= 0);
  const others = categories.filter(({ colour }) => colour < 0);
  if (others.length === 0) return coloured;
  const count = others.reduce((sum, category) => sum + category.count, 0);
  const named = others.filter(({ name }) => name !== "").length;
  const rest = named === 1 ? "1 other" : `${named} others`;
  const name = others.length === 1 ? others[0].name || "none" : rest;
  return [...coloured, { name, colour: -1, count }];
}

/** The name of a category, cut for a legend. */
export const shownName = (name: string): string => name.replace(/^(.{25}).{2,}$/su, "$1…");

function legendOf(entries: readonly Category[], categoriesAre: string, top: number): string {
  const drawn = entries.map(({ name, colour, count }, index) => {
    const x = margin + (index % legendColumns) * ((width - 2 * margin) / legendColumns);
    const y = top + legendRow * (1 + Math.floor(index / legendColumns)) + 6;
    return `<g class="entry" data-class="${classOf(colour)}">${useOf(colour, x + 6, y)}/><text x="${x + 18}" y="${y + 4}">${escapeText(shownName(name))} (${count.toLocaleString("en-US")})</text></g>`;
  });
  return `<g class="legend">
<text x="${margin}" y="${top + 10}" class="head">${escapeText(categoriesAre)}</text>
${drawn.join("\n")}
</g>`;
}

/** The style of marks, labels and legend. */
export const mapStyle = `${light.categories.map((_, index) => `.c${index}{fill:var(--c${index})}`).join("")}.rest{fill:var(--rest)}
.points use{fill-opacity:.8}
.labels text{font-size:11px;fill:var(--ink);paint-order:stroke;stroke:var(--background);stroke-width:3px;pointer-events:none}
.legend text{font-size:13px;fill:var(--ink)}.legend text.head{fill:var(--muted)}`;
