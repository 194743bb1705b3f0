/** Draws an ablation as a table with a row per removed part and a column per task. */
import { headHeight, headMargin, svgFile } from "../../dist/plot/theme.js";
import { round, text } from "./picture.mjs";
import { formatCount, plain, rowName, signed, taskName } from "./words.mjs";

const CELL = { width: 82, height: 44 };
const NAMES = 240;
const HEADING = 26;
/** Between the tasks and the columns for mean and cost. */
const GAP = 14;
/**
 * Bounds of the classes of differences, in points; fixed, so that colours are comparable between pictures.
 */
const BOUNDS = [0.5, 2, 5, 10];
/** Opacity of each class; text stays readable on the strongest. */
const STRENGTHS = [0, 0.12, 0.24, 0.36, 0.48];
const LEGEND = { cell: 44, height: 14, room: 62 };

/**
 * @param {any} report output of `pearl ablate --json`
 * @returns {string} SVG
 */
export function ablationPicture(report) {
  const whole = report.runs.find(({ name }) => name === "whole");
  const others = report.runs.filter((run) => run !== whole).sort((a, b) => b.cost - a.cost);
  const tasks = [...new Set(report.runs.flatMap(({ scores }) => Object.keys(scores)))];
  const title = `Ablation: ${formatCount(report.steps)} steps each, seed ${report.seed}, protocol “fair”, half of each set`;
  const notes = [
    "Scores × 100; below them the difference to the whole method. The parts that cost most come first.",
    "Cost: what leaving the part out takes from the mean. One run each: small differences may be chance.",
  ];
  const top = headHeight(notes) + HEADING;
  const rows = [whole, ...others];
  const columns = tasks.map((_, column) => headMargin + NAMES + column * CELL.width);
  const sums = headMargin + NAMES + tasks.length * CELL.width + GAP;
  const heads = [...tasks.map(taskName), "mean", "cost"].map((name, column) =>
    text(name, {
      x: (columns[column] ?? sums + (column - tasks.length) * CELL.width) + CELL.width / 2,
      ...{ y: top - 9, anchor: "middle", bold: true, size: 11 },
    }),
  );
  const body = rows.flatMap((run, row) => {
    const y = top + row * CELL.height;
    return [
      text(rowName(run.name), { x: headMargin, y: y + CELL.height / 2 + 5, size: 14, bold: run === whole }),
      ...tasks.map((task, column) => {
        const base = run === whole ? undefined : whole.scores[task];
        return scoreCell(run.scores[task], base, columns[column], y);
      }),
      ...sumCells(run, whole, sums, y),
    ];
  });
  const bottom = top + rows.length * CELL.height;
  const width = Math.max(sums + 2 * CELL.width + headMargin, 720);
  return svgFile({
    ...{ title, notes, width, height: bottom + LEGEND.room },
    body: [...heads, rule(top, width), ...body, legend(bottom + 18)].join("\n"),
  });
}

/** The line below the heading. */
const rule = (y, width) =>
  `<path d="M${headMargin} ${y - 1}H${round(width - headMargin)}" stroke="var(--line)" stroke-width="1.5"/>`;

/** A score, above its difference to the score of the whole method if there is one. */
function scoreCell(score, whole, x, y) {
  const middle = { x: x + CELL.width / 2, anchor: "middle" };
  if (score === undefined) return text("–", { ...middle, y: y + 26, size: 14, muted: true });
  const points = plain(100 * score, 1);
  if (whole === undefined) return ground(0, x, y) + text(points, { ...middle, y: y + 27, size: 14 });
  const difference = 100 * (score - whole);
  return (
    ground(difference, x, y) +
    text(points, { ...middle, y: y + 20, size: 14 }) +
    text(signed(difference, 1), { ...middle, y: y + 35, size: 12 })
  );
}

/** The mean and its loss; a positive cost has the colour of lower scores. */
function sumCells(run, whole, x, y) {
  const mean = text(plain(100 * run.mean, 1), {
    ...{ x: x + CELL.width / 2, y: y + 27, size: 14, anchor: "middle", bold: true },
  });
  if (run === whole) return [mean];
  const cost = text(signed(100 * run.cost, 1), {
    ...{ x: x + 1.5 * CELL.width, y: y + 27, size: 14, anchor: "middle", bold: true },
  });
  return [mean, ground(-100 * run.cost, x + CELL.width, y) + cost];
}

/**
 * Blue if the score is higher without the part, orange if it is lower: most people can distinguish these
 * colours.
 */
function ground(difference, x, y, { width, height } = CELL) {
  const strength = STRENGTHS[BOUNDS.filter((bound) => Math.abs(difference) >= bound).length];
  const fill = strength === 0 ? "var(--panel)" : difference > 0 ? "var(--c0)" : "var(--c1)";
  const opacity = strength === 0 ? "" : ` fill-opacity="${strength}"`;
  return `<rect x="${round(x + 1)}" y="${round(y + 1)}" width="${width - 2}" height="${height - 2}" rx="4" fill="${fill}"${opacity}/>`;
}

/** The classes with their bounds below. */
function legend(y) {
  const start = headMargin + NAMES;
  const bounds = [...BOUNDS.map((bound) => -bound).reverse(), ...BOUNDS];
  const samples = bounds.toSpliced(BOUNDS.length, 0, 0);
  const cells = samples.map((sample, index) => ground(sample, start + index * LEGEND.cell, y, box));
  const marks = bounds.map((bound, index) =>
    text(signed(bound, 1).replace(/\.0$/, ""), {
      ...{ x: start + (index + 1) * LEGEND.cell, y: y + LEGEND.height + 14, size: 11, anchor: "middle" },
      muted: true,
    }),
  );
  const words = text("worse without it … better", { x: headMargin, y: y + 12, muted: true });
  return [words, ...cells, ...marks].join("\n");
}

const box = { width: LEGEND.cell, height: LEGEND.height };
