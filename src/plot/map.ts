/** Draws a map of phrases as SVG or HTML: marks by category, a legend, and labels where there is room. */
import { headHeight, headMargin, svgFile } from "./svg-file.js";
import { escapeText, htmlPage, light, marks } from "./theme.js";

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

const width = 960;
const height = 680;
const margin = headMargin;
const legendRow = 20;
const labelHeight = 13;
const letterWidth = 6.1;
const longestLabel = 30;
const mostLabels = 60;
/** Above this many points, marks are smaller and labels may cover them. */
const crowd = 400;

interface Category {
  readonly name: string;
  readonly count: number;
  /** Index of its colour and mark: -1 for grey. */
  readonly colour: number;
}

/** The map as a self-contained SVG file, with hover text in the titles of the marks. */
export function mapAsSvg(drawing: MapDrawing): string {
  const { body, size } = drawMap(drawing);
  return svgFile({ ...drawing, width, height: size, body, style: mapStyle });
}

/** The map as an HTML page with a search field and a filter by category. */
export function mapAsHtml(drawing: MapDrawing): string {
  const { body, size } = drawMap({ ...drawing, notes: [] });
  const notes = drawing.notes.map((note) => `<p class="note">${escapeText(note)}</p>`).join("\n");
  return htmlPage({
    title: drawing.title,
    style: `${mapStyle}\n${pageStyle}`,
    script: pageScript,
    body: `<h1>${escapeText(drawing.title)}</h1>
${notes}
<p><label>Find <input id="find" type="search" placeholder="part of a phrase" autocomplete="off"></label> <output id="found"></output></p>
<svg id="map" viewBox="0 0 ${width} ${size}" role="img" aria-label="${escapeText(drawing.title)}">
${body}
</svg>
<div id="tip" role="status" hidden></div>`,
  });
}

/** Marks, labels and legend; the height grows with the notes above and the legend below. */
function drawMap({ points, notes, categoriesAre }: MapDrawing): { body: string; size: number } {
  const top = notes.length === 0 ? 0 : headHeight(notes);
  const categories = rankCategories(points);
  const colours = new Map(categories.map(({ name, colour }) => [name, colour]));
  const colourOf = (index: number): number => colours.get(points[index].category) ?? -1;
  const placed = placePoints(points, top);
  // Grey marks are drawn first, below the colours.
  const order = [...points.keys()].sort((a, b) => Number(colourOf(a) >= 0) - Number(colourOf(b) >= 0));
  const scale = points.length > crowd ? ' transform="scale(.72)"' : "";
  const symbols = marks.map((path, index) => `<path id="m${index}" d="${path}"${scale}/>`).join("");
  const drawn = order.map((index) => markOf(points[index], placed[index], colourOf(index))).join("\n");
  const labels = labelsOf(points, placed, top).join("\n");
  const entries = categoriesAre === undefined ? [] : legendEntries(categories);
  const legend = categoriesAre === undefined ? "" : legendOf(entries, categoriesAre, top + height + 8);
  const rows = categoriesAre === undefined ? 0 : Math.ceil(entries.length / legendColumns) + 1;
  const body = `<defs>${symbols}</defs>
<rect x="${margin / 2}" y="${top + margin / 2}" width="${width - margin}" height="${height - margin}" rx="6" fill="none" stroke="var(--line)"/>
<g class="points">
${drawn}
</g>
<g class="labels" aria-hidden="true">
${labels}
</g>
${legend}`;
  return { body, size: top + height + rows * legendRow + 8 };
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
  return `${useOf(colour, x.toFixed(1), y.toFixed(1))}><title>${escapeText(text)}</title></use>`;
}

const classOf = (colour: number): string => (colour < 0 ? "rest" : `c${colour}`);

/** The start of an element that draws a colour's mark. */
const useOf = (colour: number, x: number | string, y: number | string): string =>
  `<use href="#m${Math.max(colour, 0)}" x="${x}" y="${y}" class="${classOf(colour)}"`;

/** Labels of points with room around them, spread over the map without overlaps. */
function labelsOf(points: readonly MapPoint[], placed: readonly Place[], top: number): string[] {
  const taken: { left: number; right: number; top: number; bottom: number }[] = [];
  const labels: string[] = [];
  // A stride that visits every point once, in a scattered order.
  const stride = strideFor(points.length);
  for (let step = 0, index = 0; step < points.length && labels.length < mostLabels; step++) {
    index = (index + stride) % points.length;
    const { phrase } = points[index];
    if (phrase.length > longestLabel) continue;
    const { x, y } = placed[index];
    const length = phrase.length * letterWidth;
    const isLeft = x + 8 + length > width - margin;
    const left = isLeft ? x - 7 - length : x + 7;
    const box = { left: left - 6, right: left + length + 6, top: y - labelHeight, bottom: y + labelHeight };
    const covers = (point: Place): boolean =>
      point.x > box.left && point.x < box.right && Math.abs(point.y - y) < 11;
    const meets = (other: typeof box): boolean =>
      box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
    if (left < margin || y - labelHeight < top + margin / 2 || taken.some(meets)) continue;
    if (points.length <= crowd && placed.some((point, other) => other !== index && covers(point))) continue;
    taken.push(box);
    const anchor = isLeft ? ' text-anchor="end"' : "";
    const at = isLeft ? x - 7 : x + 7;
    labels.push(`<text x="${at.toFixed(1)}" y="${(y + 4).toFixed(1)}"${anchor}>${escapeText(phrase)}</text>`);
  }
  return labels;
}

function strideFor(count: number): number {
  const divides = (a: number, b: number): number => (b === 0 ? a : divides(b, a % b));
  let stride = Math.max(1, Math.floor(count * 0.618));
  while (divides(count, stride) !== 1) stride++;
  return stride;
}

const legendColumns = 4;

function legendEntries(categories: readonly Category[]): readonly Category[] {
  const coloured = categories.filter(({ colour }) => colour >= 0);
  const others = categories.filter(({ colour }) => colour < 0);
  if (others.length === 0) return coloured;
  const count = others.reduce((sum, category) => sum + category.count, 0);
  const named = others.filter(({ name }) => name !== "").length;
  const name = named === 0 ? "none" : named === 1 && others.length === 1 ? others[0].name : `${named} others`;
  return [...coloured, { name, colour: -1, count }];
}

function legendOf(entries: readonly Category[], categoriesAre: string, top: number): string {
  const drawn = entries.map(({ name, colour, count }, index) => {
    const x = margin + (index % legendColumns) * ((width - 2 * margin) / legendColumns);
    const y = top + legendRow * (1 + Math.floor(index / legendColumns)) + 6;
    const shown = name.length > 26 ? `${name.slice(0, 25)}…` : name;
    return `<g class="entry" data-class="${classOf(colour)}">${useOf(colour, x + 6, y)}/><text x="${x + 18}" y="${y + 4}">${escapeText(shown)} (${count.toLocaleString("en-US")})</text></g>`;
  });
  return `<g class="legend">
<text x="${margin}" y="${top + 10}" class="head">${escapeText(categoriesAre)}</text>
${drawn.join("\n")}
</g>`;
}

const mapStyle = `${light.categories.map((_, index) => `.c${index}{fill:var(--c${index})}`).join("")}.rest{fill:var(--rest)}
.points use{fill-opacity:.8}
.labels text{font-size:11px;fill:var(--ink);paint-order:stroke;stroke:var(--background);stroke-width:3px;pointer-events:none}
.legend text{font-size:13px;fill:var(--ink)}.legend text.head{fill:var(--muted)}`;

const pageStyle = `svg{display:block;width:100%;height:auto;font-family:inherit}
.entry{cursor:pointer}.faded{opacity:.12}.hit{stroke:var(--ink);stroke-width:2px;fill-opacity:1}
#tip{position:fixed;pointer-events:none;background:var(--panel);color:var(--ink);border:1px solid var(--line);
border-radius:4px;padding:.2rem .5rem;max-width:24rem}
input{font:inherit;padding:.2rem .4rem;color:inherit;background:var(--panel);border:1px solid var(--muted);border-radius:4px}
output{color:var(--muted)}`;

const pageScript = `const map=document.getElementById("map"),tip=document.getElementById("tip");
const points=[...map.querySelectorAll(".points use")];
for(const point of points){const title=point.querySelector("title");point.dataset.text=title.textContent;title.remove()}
map.addEventListener("pointermove",event=>{const text=event.target.dataset&&event.target.dataset.text;
tip.hidden=!text;if(!text)return;tip.textContent=text;
tip.style.left=Math.min(event.clientX+12,innerWidth-tip.offsetWidth-8)+"px";tip.style.top=event.clientY+14+"px"});
map.addEventListener("pointerleave",()=>{tip.hidden=true});
const find=document.getElementById("find"),found=document.getElementById("found");
find.addEventListener("input",()=>{const wanted=find.value.trim().toLowerCase();let count=0;
for(const point of points){const hit=wanted!==""&&point.dataset.text.toLowerCase().includes(wanted);
point.classList.toggle("hit",hit);if(hit){count++;point.parentNode.append(point)}}
found.textContent=wanted===""?"":count+" found"});
let picked="";for(const entry of map.querySelectorAll(".entry"))entry.addEventListener("click",()=>{
picked=picked===entry.dataset.class?"":entry.dataset.class;
for(const point of points)point.classList.toggle("faded",picked!==""&&!point.classList.contains(picked))});`;
