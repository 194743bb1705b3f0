/** `pearl ablate`: what each part of the method is worth, on a budget. */
import { type Command, InvalidArgumentError } from "commander";
import type { DeviceChoice } from "../runtime/device.js";
import type { AblationReport, RemovablePart } from "../training/index.js";
import { formatCount, formatTable } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import {
  addMethodOptions,
  type MethodCommandOptions,
  methodSettings,
  positiveNumber,
} from "./method-options.js";
import { addDeviceOption, addExamples, addQuietOption, positiveInteger, wholeNumber } from "./options.js";
import { startProgress } from "./progress.js";

interface AblateCommandOptions extends MethodCommandOptions {
  readonly corpus: string;
  readonly pairs?: string;
  readonly data?: string;
  readonly output: string;
  readonly task?: readonly string[];
  readonly parts?: readonly string[];
  readonly steps?: number;
  readonly minutes?: number;
  readonly seed?: number;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly json?: string;
  readonly quiet?: boolean;
}

export function registerAblate(program: Command): void {
  const command = program
    .command("ablate")
    .description("train the method whole and without each of its parts, and score what each is worth")
    .requiredOption("--corpus <folder>", "phrases to learn from (pearl corpus build)")
    .requiredOption("-o, --output <folder>", "models and results; an interrupted run goes on from there")
    .option("--data <folder>", "benchmark data (default: as pearl bench)")
    .option("--task <names>", "tasks to score, by commas (default: all that have data)", names)
    .option("--parts <names>", "parts to leave out, by commas (default: all)", names)
    .option("--pairs <file>", "table with the columns text, positive: further positives");
  addMethodOptions(command)
    .option("--steps <n>", "steps of each run (default: 500, or as --minutes says)", positiveInteger)
    .option(
      "--minutes <n>",
      "length of the whole method's run; the others take as many steps",
      positiveNumber,
    )
    .option("--seed <n>", "of everything drawn (default: 0)", wholeNumber)
    .option("--json <file>", "write the results as JSON");
  addDeviceOption(command).option("--threads <n>", "CPU threads (default: all)", positiveInteger);
  addQuietOption(command).action(run);
  addExamples(command, [
    ["pearl ablate --corpus corpus/ -o ablation --preset from-scratch", "500 steps for each part"],
    [
      "pearl ablate --corpus corpus/ -o ablation --parts types,characters --steps 200",
      "two parts, a small budget",
    ],
  ]);
}

function names(text: string): string[] {
  const found = text.split(",").map((name) => name.trim());
  if (found.every((name) => name !== "")) return found;
  throw new InvalidArgumentError("It must be names between commas.");
}

async function run(options: AblateCommandOptions): Promise<void> {
  const [{ ablate, removableParts }, { defaultDataFolder }, { UsageError }, { availableParallelism }] =
    await Promise.all([
      import("../training/index.js"),
      import("../benchmark/index.js"),
      import("../errors.js"),
      import("node:os"),
    ]);
  const odd = options.parts?.find((part) => !(removableParts as readonly string[]).includes(part));
  if (odd !== undefined) throw new UsageError(`unknown part "${odd}": use ${removableParts.join(", ")}`);
  const say = (text: string): void => {
    if (!options.quiet) process.stderr.write(`${text}\n`);
  };
  let training = await startProgress({ label: "training", unit: "items", quiet: options.quiet });
  try {
    const report = await ablate({
      ...{ folder: options.output, corpus: options.corpus, pairs: options.pairs },
      types: typeof options.types === "string" ? options.types : undefined,
      settings: await methodSettings(options),
      otherwise:
        options.base === undefined ? await methodSettings({ ...options, preset: "from-scratch" }) : undefined,
      parts: options.parts as readonly RemovablePart[] | undefined,
      dataFolder: options.data ?? (await defaultDataFolder()),
      tasks: options.task,
      steps: options.steps ?? (options.minutes === undefined ? 500 : undefined),
      ...{ minutes: options.minutes, seed: options.seed, device: options.device },
      threads: options.threads ?? availableParallelism(),
      signal: interruptionSignal(),
      onNote: say,
      onRun: (name, state) => {
        training.finish();
        const what = name === "whole" ? "the whole method" : `without ${name}`;
        say(state === "known" ? `${what}: known from an earlier run` : `${what}:`);
        startProgress({ label: what, unit: "items", quiet: options.quiet }).then((bar) => {
          training = bar;
        });
      },
      onStep: ({ step }, steps) => training.update(step, steps),
    });
    training.finish();
    process.stdout.write(asTable(report));
    if (options.json !== undefined) await writeJson(options.json, report);
  } finally {
    training.finish();
  }
}

/** Scores × 100; the last column is what leaving the part out costs. */
function asTable({ runs, steps }: AblationReport): string {
  const tasks = Object.keys(runs[0].scores);
  const points = (score: number | undefined) => (score === undefined ? "" : (100 * score).toFixed(1));
  const rows = runs.map(({ name, scores, mean, cost }) => [
    name === "whole" ? "whole" : `without ${name}`,
    ...tasks.map((task) => points(scores[task])),
    points(mean),
    name === "whole" ? "" : points(cost),
  ]);
  const heading = ["", ...tasks, "mean", "cost"];
  const right = heading.map((_, column) => column).slice(1);
  return `${formatTable([heading, ...rows], { right })}\n${formatCount(steps)} steps each; scores × 100\n`;
}

async function writeJson(path: string, report: AblationReport): Promise<void> {
  const { rename, writeFile } = await import("node:fs/promises");
  await writeFile(`${path}.partial`, `${JSON.stringify(report, null, 2)}\n`);
  await rename(`${path}.partial`, path);
}
