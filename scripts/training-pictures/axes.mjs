/** Draws a panel with two axes, round ticks and grid lines, and maps values to coordinates. */
import { round, text } from "./picture.mjs";
import { formatCount, plain } from "./words.mjs";

/** Space for the tick labels and the title of the panel. */
const INSET = { left: 42, top: 24, bottom: 22 };

/**
 * Returns round numbers that cover the range from `least` to `greatest`.
 * @param {number} least
 * @param {number} greatest
 * @param {number} count approximate number of ticks
 * @returns {number[]}
 */
export function roundTicks(least, greatest, count) {
  const span = greatest - least || Math.abs(greatest) || 1;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= count);
  const first = Math.floor(least / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(greatest / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/**
 * @typedef {{ x: number, y: number, width: number, height: number }} Box
 * @param {{ box: Box, title: string, remark?: string, steps: number, least: number, greatest: number }} panel
 * `box` is the outer box; x is the step, from 0 to `steps`
 * @returns {{ frame: string, at: (step: number, value: number) => [number, number], right: number }}
 */
export function panel({ box, title, remark = "", steps, least, greatest }) {
  const ticks = roundTicks(least, greatest, 4);
  const [low, high] = [ticks[0], ticks.at(-1)];
  const left = box.x + INSET.left;
  const right = box.x + box.width;
  const top = box.y + INSET.top;
  const bottom = box.y + box.height - INSET.bottom;
  const at = (step, value) => [
    round(left + ((right - left) * step) / steps),
    round(bottom - ((bottom - top) * (value - low)) / (high - low)),
  ];
  const digits = Math.max(0, -Math.floor(Math.log10(ticks[1] - ticks[0]) + 1e-9));
  const lines = ticks.map((tick) => {
    const y = at(0, tick)[1];
    const label = text(plain(tick, digits), { x: left - 7, y: y + 4, size: 11, anchor: "end", muted: true });
    return `<path d="M${round(left)} ${y}H${round(right)}" stroke="var(--line)"/>${label}`;
  });
  const marks = roundTicks(0, steps, Math.max(2, Math.floor(box.width / 75)))
    .filter((tick) => tick <= steps && Number.isInteger(tick))
    .map((tick) => {
      const anchor = tick > 0.97 * steps ? "end" : "middle";
      return text(formatCount(tick), { x: at(tick, low)[0], y: bottom + 16, size: 11, anchor, muted: true });
    });
  const heading = text(title, { x: box.x, y: box.y + 12, size: 13, bold: true });
  const note = remark && text(remark, { x: right, y: box.y + 12, size: 12, anchor: "end", muted: true });
  return { frame: [heading, note, ...lines, ...marks].join("\n"), at, right };
}

/**
 * A line with gaps at values that are not finite.
 * @param {readonly (readonly [number, number])[]} points
 * @param {(step: number, value: number) => [number, number]} at
 * @returns {string} the `d` attribute of a path
 */
export function pathOf(points, at) {
  let pen = "M";
  let path = "";
  for (const [step, value] of points) {
    if (!Number.isFinite(value)) {
      pen = "M";
      continue;
    }
    path += `${pen}${at(step, value).join(" ")}`;
    pen = "L";
  }
  return path;
}
