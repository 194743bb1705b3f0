/** `pearl finetune`: a model and a table of pairs in, a better model for such phrases out. */
import { type Command, InvalidArgumentError } from "commander";
import type { DeviceChoice } from "../runtime/device.js";
import { formatCount, formatDuration } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import {
  addDeviceOption,
  addExamples,
  addQuietOption,
  fraction,
  positiveInteger,
  wholeNumber,
} from "./options.js";
import { startProgress } from "./progress.js";

interface FinetuneCommandOptions {
  readonly base: string;
  readonly pairs: string;
  readonly types?: string;
  readonly output: string;
  readonly epochs?: number;
  readonly batchSize?: number;
  readonly lr?: number;
  readonly temperature?: number;
  readonly clip?: number;
  readonly average?: number;
  readonly seed?: number;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly checkpointEvery?: number;
  readonly resume?: boolean;
  readonly evalData?: string;
  readonly quiet?: boolean;
}

export function registerFinetune(program: Command): void {
  const command = program
    .command("finetune")
    .description("train a model further on pairs of phrases that mean the same")
    .requiredOption("--base <model>", "what to start from: a folder or hub id")
    .requiredOption("--pairs <file>", "table with the columns text, positive, if wanted negative and type")
    .requiredOption("-o, --output <folder>", "folder of the new model")
    .option("--types <file>", "table of phrase and type, for pairs without a type")
    .option("--epochs <n>", "passes over the pairs (default: 2)", positiveInteger)
    .option("--batch-size <n>", "pairs in a batch at most (default: 512)", positiveInteger)
    .option("--lr <rate>", "learning rate (default: 3e-5)", positiveNumber)
    .option("--temperature <t>", "of the contrastive loss (default: 0.07)", positiveNumber)
    .option("--clip <norm>", "scale gradients of a larger norm down to it (default: never)", positiveNumber)
    .option("--average <share>", "average with the base: share of the trained weights (default: 1)", fraction)
    .option("--seed <n>", "of the order of batches (default: 0)", wholeNumber);
  addDeviceOption(command)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--checkpoint-every <n>", "steps between two checkpoints (default: 500)", positiveInteger)
    .option("--resume", "go on from the last checkpoint of an interrupted run")
    .option("--eval-data <folder>", "benchmark data: score after every epoch, keep the best weights");
  addQuietOption(command).action(run);
  addExamples(command, [
    ["pearl finetune --base intfloat/e5-small-v2 --pairs pairs.csv -o my-model", "a hub model, two epochs"],
    ["pearl finetune --base my-model --pairs more.tsv -o my-model-2 --lr 1e-5", "one's own model, again"],
    ["pearl encode phrases.csv --model my-model", "use it"],
  ]);
}

/** Parser of a number above 0, such as `--lr 3e-5`. */
function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value > 0 && Number.isFinite(value)))
    throw new InvalidArgumentError("It must be a number above 0.");
  return value;
}

async function run(options: FinetuneCommandOptions): Promise<void> {
  const [{ finetune }, { availableParallelism }] = await Promise.all([
    import("../training/index.js"),
    import("node:os"),
  ]);
  const say = (text: string): void => {
    if (!options.quiet) process.stderr.write(`${text}\n`);
  };
  const { quiet } = options;
  const download = await startProgress({ label: "downloading", unit: "bytes", quiet });
  const progress = await startProgress({ label: "training", unit: "items", quiet });
  const started = performance.now();
  try {
    const report = await finetune({
      ...{ base: options.base, pairs: options.pairs, types: options.types, output: options.output },
      ...{ epochs: options.epochs, batchSize: options.batchSize, learningRate: options.lr },
      ...{ temperature: options.temperature, clipNorm: options.clip, averageWithBase: options.average },
      ...{ seed: options.seed, device: options.device, threads: options.threads ?? availableParallelism() },
      checkpointEvery: options.checkpointEvery,
      resume: options.resume ? "continue" : "start-over",
      evaluationData: options.evalData,
      signal: interruptionSignal(),
      onDownload: ({ done, total }) => download.update(done, total),
      onNote: say,
      onStep: ({ step }, steps) => progress.update(step, steps),
      onEvaluation: (step, score) => say(`after ${formatCount(step)} steps: ${(100 * score).toFixed(1)}`),
    });
    progress.finish();
    const { resumedAt, result, output, data } = report;
    if (resumedAt > 0) say(`${formatCount(resumedAt)} steps were done by an earlier run`);
    const loss = result.loss === undefined ? "" : `, loss ${result.loss.toFixed(4)}`;
    const time = formatDuration((performance.now() - started) / 1000);
    process.stdout.write(
      `wrote ${output}: ${formatCount(data.pairs)} pairs, ${formatCount(result.steps)} steps${loss}, ${time}\n`,
    );
  } finally {
    download.finish();
    progress.finish();
  }
}
