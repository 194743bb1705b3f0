/** Collects the numbers of a learning curve from records of training and of benchmarks. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { check, checkStep, InputError, readJson, readText } from "./read.mjs";

/** Maximum points per stage: more are not visible in a picture. */
const MOST_POINTS = 300;

/** Name of the loss of pretraining, whose metrics list no parts. */
const pretrainingLoss = "context_loss";

/**
 * Reads one stage of a curve, and the evaluations among its metrics.
 * @param {string} name
 * @param {string} path a metrics.jsonl; the training may still be running
 */
export function recordStage(name, path) {
  const entries = readMetrics(path);
  const steps = entries.filter((entry) => "loss" in entry);
  if (steps.length === 0) throw new InputError(`${path} has no step with a loss: is it a metrics.jsonl?`);
  const evaluations = entries.filter((entry) => "score" in entry && !("loss" in entry));
  const loss = isOfPretraining(path) ? pretrainingLoss : undefined;
  const stepsPerPoint = Math.ceil(steps.length / MOST_POINTS);
  return {
    stage: { name, ...(loss && { loss }), stepsPerPoint, metrics: thin(steps, stepsPerPoint) },
    scores: evaluations.map(({ step, score }) => ({ stage: name, step, tasks: { evaluation: score } })),
  };
}

/**
 * Reads the task scores of the first model in the output of `pearl bench --json`.
 * @param {string} stage
 * @param {number} step
 * @param {string} path
 */
export async function recordScores(stage, step, path) {
  const { taskScores } = await import("../../dist/methods/benchmark-score.js");
  const content = readJson(path);
  const report = check.object(Array.isArray(content) ? content[0] : content, path);
  check.list(report.results, `${path}: results`);
  const tasks = taskScores(report);
  if (Object.keys(tasks).length === 0) throw new InputError(`${path} has no score of a task`);
  return { stage, step, tasks };
}

function readMetrics(path) {
  const lines = readText(path).split("\n");
  // the text after the last line break is empty or an incomplete line
  lines.pop();
  return lines.map((line, index) => {
    const place = `${path} line ${index + 1}`;
    let entry;
    try {
      entry = JSON.parse(line);
    } catch {
      throw new InputError(
        `${place} is not JSON: give a metrics.jsonl from pearl pretrain or pearl finetune`,
      );
    }
    if ("score" in check.object(entry, place) && !("loss" in entry)) {
      check.number(entry.step, `${place}: step`);
      check.number(entry.score, `${place}: score`);
    } else checkStep(entry, `${place}: metrics`);
    return entry;
  });
}

/**
 * True if training.json next to the metrics is from `pearl pretrain`: only it holds the sizes of a word
 * encoder.
 */
function isOfPretraining(path) {
  const record = join(dirname(path), "training.json");
  return existsSync(record) && readJson(record)?.sizes !== undefined;
}

/** Averages every `count` steps; the step number is that of the last one. */
function thin(steps, count) {
  const points = [];
  for (let start = 0; start < steps.length; start += count) {
    const group = steps.slice(start, start + count);
    const names = [...new Set(group.flatMap(({ parts = {} }) => Object.keys(parts)))];
    const meanOf = (values) => {
      const known = values.filter((value) => typeof value === "number");
      return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    points.push({
      step: group.at(-1).step,
      loss: meanOf(group.map(({ loss }) => loss)),
      parts: Object.fromEntries(names.map((name) => [name, meanOf(group.map(({ parts }) => parts?.[name]))])),
    });
  }
  return points;
}
