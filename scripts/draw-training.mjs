/**
 * Records a training, and draws its learning curve. Needs `npm run build`.
 *
 *     node scripts/draw-training.mjs [CURVE.json] [-o FILE.svg]
 *     node scripts/draw-training.mjs record STAGE=METRICS.jsonl... [--scores STAGE:STEP=BENCH.json]... -o CURVE.json
 *
 * CURVE.json is what `record` wrote (default: benchmarks/results/learning-curve.json); the picture lies beside it. `record`
 * reads the metrics.jsonl of model folders, whose trainings may still run, and the output of `pearl bench --json` for
 * models at some steps.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeWholeFile } from "../dist/files/whole-file.js";
import { taskScores } from "../dist/methods/benchmark-score.js";
import { lineChart } from "../dist/plot/line-chart.js";
import { mean } from "../dist/statistics.js";

/** Points of a stage in a record at most, and in a panel. */
const most = { recorded: 300, drawn: 24 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { output: { type: "string", short: "o" }, scores: { type: "string", multiple: true } },
});
const [command, ...stages] = positionals;
if (command === "record") {
  if (values.output === undefined || stages.length === 0)
    throw new Error("record needs STAGE=METRICS.jsonl and -o CURVE.json");
  await writeWholeFile(values.output, `${JSON.stringify(recordOf(stages, values.scores ?? []))}\n`);
} else {
  const results = new URL("../benchmarks/results/learning-curve.json", import.meta.url);
  const path = command ?? fileURLToPath(results);
  const curve = JSON.parse(readFileSync(path, "utf8"));
  await writeWholeFile(values.output ?? path.replace(/\.json$/, ".svg"), curvePicture(curve));
}

/** The parts of "NAME=FILE". @param {string} text @returns {[string, string]} */
function named(text) {
  const at = text.indexOf("=");
  if (at < 1) throw new Error(`${text}: expected NAME=FILE`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** @param {string[]} stages @param {string[]} scores */
function recordOf(stages, scores) {
  return {
    stages: stages.map(named).map(([name, path]) => {
      const lines = readFileSync(path, "utf8").split("\n");
      // the text after the last line break is empty or an incomplete line; lines without a loss are evaluations
      const steps = lines.slice(0, -1).map((line) => JSON.parse(line));
      return {
        name,
        metrics: averaged(
          steps.filter((entry) => "loss" in entry),
          most.recorded,
        ),
      };
    }),
    scores: scores.map(named).map(([when, path]) => {
      const [stage, step] = when.split(":");
      const [report] = [JSON.parse(readFileSync(path, "utf8"))].flat();
      return { stage, step: Number(step), tasks: taskScores(report) };
    }),
  };
}

/**
 * The means of few equal runs of steps; the number of a run is that of its last step. JSON holds null for a loss that is no
 * number, which counts in no mean.
 * @param {{ step: number, loss: number | null, parts?: Record<string, number | null> }[]} metrics @param {number} most
 */
function averaged(metrics, most) {
  const size = Math.ceil(metrics.length / most);
  const meanOf = (/** @type {(number | null | undefined)[]} */ values) => {
    const known = values.filter((value) => typeof value === "number");
    return known.length === 0 ? null : mean(known);
  };
  return Array.from({ length: Math.ceil(metrics.length / (size || 1)) }, (_, place) => {
    const run = metrics.slice(place * size, (place + 1) * size);
    const names = [...new Set(run.flatMap(({ parts = {} }) => Object.keys(parts)))];
    return {
      step: run[run.length - 1].step,
      loss: meanOf(run.map(({ loss }) => loss)),
      parts: Object.fromEntries(names.map((name) => [name, meanOf(run.map(({ parts }) => parts?.[name]))])),
    };
  });
}

/** @param {ReturnType<typeof recordOf>} curve */
function curvePicture({ stages, scores }) {
  const losses = stages.flatMap(({ name, metrics }) => {
    const points = averaged(metrics, most.drawn);
    const parts = [...new Set(points.flatMap((point) => Object.keys(point.parts)))];
    const series = [
      { title: `${name}: loss`, of: points.map(({ step, loss }) => ({ step, value: loss })) },
      ...parts.map((part) => ({
        title: `${name}: ${part.replaceAll("_", " ")}`,
        of: points.map(({ step, parts }) => ({ step, value: parts[part] })),
      })),
    ];
    return series.map(({ title, of }) => ({
      title,
      points: of.flatMap(({ step, value }) =>
        typeof value === "number" ? [{ label: String(step), value }] : [],
      ),
    }));
  });
  const tasks = [...new Set(scores.flatMap((score) => Object.keys(score.tasks)))];
  const ofTasks = tasks.map((task) => ({
    title: task,
    range: /** @type {const} */ ([0, 1]),
    points: scores
      .filter((score) => task in score.tasks)
      .map(({ stage, step, tasks }) => ({ label: `${stage} ${step}`, value: tasks[task] })),
  }));
  const notes = ["Losses by step, each point the mean of several steps; then the scores of the tasks."];
  return lineChart("Learning curve", notes, [...losses, ...ofTasks]);
}
