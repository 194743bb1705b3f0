/** Draws a learning curve: a panel per loss of each stage, and a panel of task scores by step. */

import { headHeight, headMargin, marks, svgFile } from "../../dist/plot/theme.js";
import { panel, pathOf } from "./axes.mjs";
import { round, text } from "./picture.mjs";
import { formatCount, lossName, plain, stageName, taskName } from "./words.mjs";

const WIDTH = 960;
const GAP = 26;
const LOSS_HEIGHT = 170;
const SCORE_HEIGHT = 300;
const STAGE_HEADING = 30;
/** Space to the right of the scores, for the names of the tasks. */
const LABELS = 150;
/** Width of the running mean, as a fraction of the points of a stage. */
const WINDOW = 1 / 20;

/**
 * @param {any} curve output of `record`
 * @returns {string} SVG
 */
export function learningCurvePicture(curve) {
  const { name, stages, scores } = curve;
  const notes = [
    "Losses against steps. Pale: as recorded; strong: running mean over a twentieth of the steps.",
  ];
  if (scores.length > 0) notes.push("Scores × 100, each task with a mark of its own.");
  let y = headHeight(notes) + 10;
  const drawn = [];
  const extra = [...new Set(scores.map(({ stage }) => stage))].filter(
    (stage) => !stages.some((known) => known.name === stage),
  );
  for (const stage of [...stages, ...extra.map((stage) => ({ name: stage, metrics: [] }))]) {
    const { body, height } = drawStage(
      stage,
      scores.filter((score) => score.stage === stage.name),
      y,
    );
    drawn.push(body);
    y += height;
  }
  const title = `Learning curve of ${name}`;
  return svgFile({ title, notes, width: WIDTH, height: y + 4, body: drawn.join("\n") });
}

/** A heading, the panels of the losses in rows, and the scores below. */
function drawStage(stage, scores, top) {
  const losses = lossesOf(stage);
  const steps = Math.max(...stage.metrics.map(({ step }) => step), ...scores.map(({ step }) => step), 1);
  const heading = `${stageName(stage.name)}, ${formatCount(steps)} ${steps === 1 ? "step" : "steps"}`;
  const parts = [text(heading, { x: headMargin, y: top + 14, size: 15, bold: true })];
  const thinned = `a point is the mean of ${stage.stepsPerPoint} steps`;
  if (stage.stepsPerPoint > 1)
    parts.push(text(thinned, { x: WIDTH - headMargin, y: top + 14, anchor: "end", muted: true }));
  const columns = losses.length === 4 ? 2 : Math.min(3, losses.length);
  const width = (WIDTH - 2 * headMargin - (columns - 1) * GAP) / columns;
  let y = top + STAGE_HEADING;
  losses.forEach((loss, index) => {
    const x = headMargin + (index % columns) * (width + GAP);
    const row = Math.floor(index / columns);
    const box = { x, y: y + row * (LOSS_HEIGHT + 16), width, height: LOSS_HEIGHT };
    parts.push(lossPanel(loss, box, steps));
  });
  y += Math.ceil(losses.length / Math.max(columns, 1)) * (LOSS_HEIGHT + 16);
  if (scores.length > 0) {
    const box = { x: headMargin, y, width: WIDTH - 2 * headMargin - LABELS, height: SCORE_HEIGHT };
    parts.push(scorePanel(scores, box, steps));
    y += SCORE_HEIGHT + 16;
  }
  return { body: parts.join("\n"), height: y - top + 10 };
}

/**
 * The total loss and its parts in a stage. A loss without parts, or with a single part that equals it, gets
 * one panel with the more specific name.
 */
function lossesOf({ metrics, loss: name }) {
  if (metrics.length === 0) return [];
  const names = [...new Set(metrics.flatMap(({ parts = {} }) => Object.keys(parts)))];
  const whole = {
    name: lossName(name ?? "training_loss"),
    points: metrics.map((m) => [m.step, numberOf(m.loss)]),
  };
  const parts = names.map((part) => ({
    name: lossName(part),
    points: metrics.filter((m) => m.parts && part in m.parts).map((m) => [m.step, numberOf(m.parts[part])]),
  }));
  const isAll = ({ points }) =>
    points.length === metrics.length &&
    points.every(([, value], index) => near(value, whole.points[index][1]));
  return parts.length === 1 && isAll(parts[0]) ? parts : [whole, ...parts];
}

const numberOf = (value) => value ?? Number.NaN;
const near = (a, b) => Object.is(a, b) || Math.abs(a - b) <= 1e-6 * Math.abs(b);

function lossPanel({ name, points }, box, steps) {
  const values = points.map(([, value]) => value).filter(Number.isFinite);
  if (values.length === 0) return text(`${name}: no number`, { x: box.x, y: box.y + 12, size: 13 });
  const smooth = runningMean(points);
  const ends = smooth.filter(([, value]) => Number.isFinite(value)).map(([, value]) => value);
  const [first, last] = [ends[0], ends.at(-1)].map((value) => plain(value, 2));
  const remark = ends.length === 1 ? first : `${first} → ${last}`;
  const range = { least: Math.min(...values), greatest: Math.max(...values) };
  const { frame, at } = panel({ box, title: name, remark, steps, ...range });
  const line = (path, width, opacity) =>
    `<path d="${path}" fill="none" stroke="var(--c0)" stroke-width="${width}" stroke-linejoin="round" stroke-linecap="round"${opacity}/>`;
  const pale = line(pathOf(points, at), 1, ' stroke-opacity="0.35"');
  return [frame, pale, line(pathOf(smooth, at), 2, "")].join("\n");
}

/**
 * A centred running mean. At the start the window shrinks to stay symmetric, which keeps the initial fall; at
 * the end it is truncated.
 */
function runningMean(points) {
  const known = points.filter(([, value]) => Number.isFinite(value));
  const most = Math.floor((known.length * WINDOW) / 2);
  return known.map(([step], index) => {
    const half = Math.min(most, index);
    const around = known.slice(index - half, index + half + 1);
    return [step, around.reduce((sum, [, value]) => sum + value, 0) / around.length];
  });
}

/**
 * A line per task, labelled with the task and its last score. The first eight tasks have distinct colours and
 * marks.
 */
function scorePanel(scores, box, steps) {
  const ordered = [...scores].sort((a, b) => a.step - b.step);
  const lines = [...new Set(ordered.flatMap(({ tasks }) => Object.keys(tasks)))].map((task, index) => ({
    task,
    colour: index < marks.length ? `var(--c${index})` : "var(--rest)",
    mark: marks[index % marks.length],
    points: ordered.filter(({ tasks }) => task in tasks).map(({ step, tasks }) => [step, 100 * tasks[task]]),
  }));
  const values = lines.flatMap(({ points }) => points.map(([, value]) => value));
  const range = { least: Math.min(...values), greatest: Math.max(...values) };
  const { frame, at, right } = panel({ box, title: "scores", steps, ...range });
  const ends = lines.map(({ points }) => at(...points.at(-1))[1]);
  const heights = apart(ends, 16, box.y + box.height - 4);
  const drawn = lines.map(({ task, colour, mark, points }, index) => {
    const path = `<path d="${pathOf(points, at)}" fill="none" stroke="${colour}" stroke-width="1.6"/>`;
    const symbols = [...points.map((point) => at(...point)), [right + 16, heights[index]]].map(
      ([x, y]) => `<path transform="translate(${x} ${round(y)})" d="${mark}" fill="${colour}"/>`,
    );
    const label = `${taskName(task)} ${plain(points.at(-1)[1], 1)}`;
    return [path, ...symbols, text(label, { x: right + 26, y: heights[index] + 4, size: 12 })].join("\n");
  });
  return [frame, ...drawn].join("\n");
}

/** Moves heights apart so that labels do not overlap, with none below `lowest`. */
function apart(heights, distance, lowest) {
  const order = heights.map((_, index) => index).sort((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  order.forEach((index, rank) => {
    if (rank > 0) placed[index] = Math.max(placed[index], placed[order[rank - 1]] + distance);
  });
  let limit = lowest;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index], limit);
    limit = placed[index] - distance;
  }
  return placed;
}
