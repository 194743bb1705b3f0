/** Reads and checks the input of a picture. Errors name the file and the location in it. */
import { readFileSync } from "node:fs";

/** Invalid input; the message is shown to the user without a stack trace. */
export class InputError extends Error {}

/** @param {string} path @returns {string} */
export function readText(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") throw new InputError(`${path} does not exist`);
    throw new InputError(`${path} cannot be read: ${error.message}`);
  }
}

/** @param {string} path @returns {unknown} */
export function readJson(path) {
  try {
    return JSON.parse(readText(path));
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${path} is not JSON: ${error.message}`);
  }
}

/** Checks of values; `place` is the file and the location in it, for messages. */
export const check = {
  object(value, place) {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    throw wrong(value, place, "an object");
  },
  list(value, place) {
    if (Array.isArray(value)) return value;
    throw wrong(value, place, "a list");
  },
  text(value, place) {
    if (typeof value === "string" && value !== "") return value;
    throw wrong(value, place, "a name");
  },
  number(value, place) {
    if (typeof value === "number") return value;
    throw wrong(value, place, "a number");
  },
  /** A number, or null, which JSON holds for NaN and which leaves a gap. */
  numberOrGap(value, place) {
    return value === null ? Number.NaN : check.number(value, place);
  },
  /** An object whose values are numbers. */
  numbers(value, place, one = check.number) {
    for (const [name, entry] of Object.entries(check.object(value, place))) one(entry, `${place}.${name}`);
    return value;
  },
};

function wrong(value, place, expected) {
  const found = value === undefined ? "nothing" : JSON.stringify(value).slice(0, 40);
  return new InputError(`${place} must be ${expected}, not ${found}`);
}

/**
 * Reads a report of `pearl ablate --json`.
 * @param {string} path
 */
export function readAblation(path) {
  const whole = check.object(readJson(path), path);
  // benchmarks/from-scratch.mjs nests the report in its record
  const report = whole.ablation === undefined ? whole : check.object(whole.ablation, `${path}: ablation`);
  check.number(report.steps, `${path}: steps`);
  check.number(report.seed, `${path}: seed`);
  const runs = check.list(report.runs, `${path}: runs`);
  runs.forEach((run, index) => {
    const place = `${path}: runs[${index}]`;
    check.text(check.object(run, place).name, `${place}.name`);
    check.numbers(run.scores, `${place}.scores`);
    check.number(run.mean, `${place}.mean`);
    check.number(run.cost, `${place}.cost`);
  });
  if (!runs.some(({ name }) => name === "whole"))
    throw new InputError(`${path}: no run is named "whole", which the other runs are compared with`);
  return report;
}

/**
 * Reads a learning curve, the output of `record`.
 * @param {string} path
 */
export function readCurve(path) {
  const curve = check.object(readJson(path), path);
  check.text(curve.name, `${path}: name`);
  const stages = check.list(curve.stages, `${path}: stages`);
  stages.forEach((stage, index) => {
    const place = `${path}: stages[${index}]`;
    check.text(check.object(stage, place).name, `${place}.name`);
    checkMetrics(stage.metrics, `${place}.metrics`);
  });
  const scores = check.list(curve.scores ?? [], `${path}: scores`);
  scores.forEach((score, index) => {
    const place = `${path}: scores[${index}]`;
    check.text(check.object(score, place).stage, `${place}.stage`);
    check.number(score.step, `${place}.step`);
    check.numbers(score.tasks, `${place}.tasks`);
  });
  if (stages.length === 0 && scores.length === 0)
    throw new InputError(`${path} has no stages and no scores: there is nothing to draw`);
  return { ...curve, scores };
}

function checkMetrics(metrics, place) {
  if (check.list(metrics, place).length === 0)
    throw new InputError(`${place} is empty: at least one step is needed`);
  metrics.forEach((step, index) => {
    checkStep(step, `${place}[${index}]`);
  });
}

/** Checks the loss of a step and its parts. */
export function checkStep(metrics, place) {
  check.number(check.object(metrics, place).step, `${place}.step`);
  check.numberOrGap(metrics.loss, `${place}.loss`);
  check.numbers(metrics.parts ?? {}, `${place}.parts`, check.numberOrGap);
}
