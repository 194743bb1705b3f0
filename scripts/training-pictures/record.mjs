/** Collects the numbers of a learning curve from records of training and of benchmarks. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { PearlError } from "../../dist/errors.js";
import { parseJson, readJson } from "../../dist/files/json.js";
import { taskScores } from "../../dist/methods/benchmark-score.js";
import { read, stepSchema, trouble } from "./read.mjs";

/** Maximum points per stage: more are not visible in a picture. */
const MOST_POINTS = 300;

/** Name of the loss of pretraining, whose metrics list no parts. */
const pretrainingLoss = "context_loss";

/**
 * Reads one stage of a curve, and the evaluations among its metrics.
 * @param {string} name
 * @param {string} path a metrics.jsonl; the training may still be running
 */
export async function recordStage(name, path) {
  const entries = await readMetrics(path);
  const steps = entries.filter((entry) => "loss" in entry);
  if (steps.length === 0) throw new PearlError(`${path} has no step with a loss: is it a metrics.jsonl?`);
  const evaluations = entries.filter((entry) => !("loss" in entry));
  const loss = (await isOfPretraining(path)) ? pretrainingLoss : undefined;
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
  const [report] = [await read(path, v.any())].flat();
  const tasks = taskScores(report);
  if (Object.keys(tasks).length === 0) throw new PearlError(`${path} has no score of a task`);
  return { stage, step, tasks };
}

const evaluationSchema = v.looseObject({ step: v.number(), score: v.number() });

/** @param {string} path */
async function readMetrics(path) {
  const lines = (await readFile(path, "utf8")).split("\n");
  // the text after the last line break is empty or an incomplete line
  lines.pop();
  const wanted = { ...trouble, cure: "Give a metrics.jsonl from pearl pretrain or pearl finetune." };
  return lines.map((line, index) =>
    parseJson(line, `${path}, line ${index + 1}`, v.union([stepSchema, evaluationSchema]), wanted),
  );
}

/**
 * True if training.json next to the metrics is from `pearl pretrain`: only it holds the sizes of a word
 * encoder.
 */
async function isOfPretraining(path) {
  const record = await readJson(join(dirname(path), "training.json"), v.looseObject({}), trouble);
  return record?.sizes !== undefined;
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
