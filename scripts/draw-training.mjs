/**
 * Draws an ablation as a table, or a learning curve, from records of training. Needs `npm run build`.
 *
 *     node scripts/draw-training.mjs ablation REPORT.json [-o benchmarks/results/ablation.svg]
 *     node scripts/draw-training.mjs learning-curve CURVE.json [-o benchmarks/results/learning-curve.svg]
 *     node scripts/draw-training.mjs record PRETRAIN_METRICS.jsonl [FINETUNE_METRICS.jsonl] -o CURVE.json
 *         [--name pearl-mini] [--scores STAGE:STEP=BENCH.json]...
 *
 * REPORT.json is the output of `pearl ablate --json`, or benchmarks/results/from-scratch.json, which contains
 * it. `record` writes CURVE.json from the metrics.jsonl of model folders, at most 300 points per stage, and
 * from `pearl bench --json` scores of intermediate models. The exit code is 1 for invalid input and 2 for
 * wrong usage.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PearlError, UsageError } from "../dist/errors.js";
import { writeWholeFile } from "../dist/files/whole-file.js";
import { ablationPicture } from "./training-pictures/ablation.mjs";
import { learningCurvePicture } from "./training-pictures/learning-curve.mjs";
import { readAblation, readCurve } from "./training-pictures/read.mjs";
import { recordScores, recordStage } from "./training-pictures/record.mjs";

const usage = `usage: draw-training.mjs ablation REPORT.json [-o FILE.svg]
       draw-training.mjs learning-curve CURVE.json [-o FILE.svg]
       draw-training.mjs record PRETRAIN_METRICS.jsonl [FINETUNE_METRICS.jsonl] -o CURVE.json
           [--name pearl-mini] [--scores STAGE:STEP=BENCH.json]...

  ablation        draws the output of pearl ablate --json or of benchmarks/from-scratch.mjs
                  (default: benchmarks/results/ablation.svg)
  learning-curve  draws the output of record (default: benchmarks/results/learning-curve.svg)
  record          merges the metrics.jsonl of model folders and scores of pearl bench --json into one file
                  (STAGE: pretrain or finetune)`;

const stageNames = ["pretrain", "finetune"];
const commands = { ablation: drawAblation, "learning-curve": drawCurve, record };

try {
  await run(process.argv.slice(2));
} catch (error) {
  // what parseArgs throws
  const isUsage = error instanceof UsageError || String(error.code).startsWith("ERR_PARSE_ARGS");
  if (!isUsage && !(error instanceof PearlError) && error.syscall === undefined) throw error;
  console.error(`error: ${error.message}${isUsage ? `\n${usage}` : ""}`);
  process.exitCode = isUsage ? 2 : 1;
}

/** @param {string[]} parameters */
async function run(parameters) {
  const { values, positionals } = parseArgs({
    args: parameters,
    allowPositionals: true,
    options: {
      output: { type: "string", short: "o" },
      name: { type: "string" },
      scores: { type: "string", multiple: true },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return console.log(usage);
  const [command, ...files] = positionals;
  if (command === undefined || !Object.hasOwn(commands, command))
    throw new UsageError(command === undefined ? "give a command" : `unknown command "${command}"`);
  await commands[command](files, values);
}

async function drawAblation(files, options) {
  const report = await readAblation(onlyFile(files, options));
  await write(options.output ?? inResults("ablation.svg"), ablationPicture(report));
}

async function drawCurve(files, options) {
  const curve = await readCurve(onlyFile(files, options));
  await write(options.output ?? inResults("learning-curve.svg"), learningCurvePicture(curve));
}

async function record(files, { output, name = "pearl-mini", scores: given = [] }) {
  if (files.length === 0 || files.length > stageNames.length)
    throw new UsageError("give record the metrics.jsonl of pretraining, and optionally that of fine-tuning");
  if (output === undefined) throw new UsageError("record needs -o CURVE.json");
  const reports = given.map(parseScores);
  const recorded = await Promise.all(files.map((path, index) => recordStage(stageNames[index], path)));
  const scores = recorded.flatMap((stage) => stage.scores);
  for (const { stage, step, path } of reports) scores.push(await recordScores(stage, step, path));
  const stages = recorded.map(({ stage }) => stage);
  await write(output, `${JSON.stringify({ name, stages, scores })}\n`);
}

/** Parses STAGE:STEP=FILE. */
function parseScores(text) {
  const [, stage, step, path] = /^(\w+):(\d+)=(.+)$/.exec(text) ?? [];
  if (path === undefined || !stageNames.includes(stage))
    throw new UsageError(
      `--scores ${text}: expected STAGE:STEP=FILE, where STAGE is ${stageNames.join(" or ")}`,
    );
  return { stage, step: Number(step), path };
}

function onlyFile(files, { name, scores }) {
  if (files.length !== 1) throw new UsageError(`expected one JSON file, found ${files.length}`);
  if (name !== undefined || scores !== undefined)
    throw new UsageError("--name and --scores are options of record");
  return files[0];
}

/** Path in benchmarks/results, independent of the working directory. */
function inResults(file) {
  return fileURLToPath(new URL(`../benchmarks/results/${file}`, import.meta.url));
}

async function write(path, content) {
  await writeWholeFile(path, content);
  console.log(`wrote ${path}: ${Math.ceil(content.length / 1000)} kB`);
}
