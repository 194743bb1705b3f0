/** `pearl bench`: measures models and baselines on the benchmark's tasks. */
import { access, rename, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import type { ModelReport, RunProgress } from "../benchmark/index.js";
import { UsageError } from "../errors.js";
import type { DeviceChoice } from "../runtime/device.js";
import { interruptionSignal } from "./interruption.js";
import {
  addDeviceOption,
  addExamples,
  addQuietOption,
  positiveInteger,
  repeatable,
  wholeNumber,
} from "./options.js";
import { type Progress, startProgress } from "./progress.js";

interface BenchCommandOptions {
  readonly task?: readonly string[];
  readonly data?: string;
  readonly model?: readonly string[];
  readonly protocol: string;
  readonly json?: string;
  readonly report?: string;
  readonly dataset?: string;
  readonly seed: number;
  readonly truncateDim?: number;
  readonly device: DeviceChoice;
  readonly verbose?: boolean;
  readonly quiet?: boolean;
}

export function registerBench(program: Command): void {
  const command = program
    .command("bench")
    .description("measure models and baselines on the benchmark's tasks")
    .option(
      "-t, --task <names...>",
      "ppdb, ppdb-filtered, turney, bird, yago, umls, conll, bc5cdr, autofj, strings or all (default: all)",
      commaSeparated,
    )
    .option(
      "--data <folder>",
      "the data folder (default: $PEARL_DATA, else ./data/bench, else ~/.cache/pearl/bench)",
    )
    .option(
      "-m, --model <model>",
      "embedded model, folder, hub id, or tfidf, tfidf-words, jaccard, levenshtein, jaro-winkler, glove; " +
        "may be repeated (default: the embedded model)",
      repeatable,
    )
    .option("--protocol <name>", "fair, or published (as the paper's code computes)", "fair")
    .option("--json <file>", "also write the results there as JSON")
    .option("--report <file>", "also write a page there: scores, bars, the worst misses (.html)")
    .option("--dataset <name>", "one of AutoFJ's sets, such as Drug")
    .option("--seed <n>", "seed of whatever is drawn by lot", wholeNumber, 0)
    .option("--truncate-dim <n>", "judge the first n coordinates of vectors alone", positiveInteger)
    .option("--verbose", "print each of AutoFJ's sets");
  addDeviceOption(command);
  addQuietOption(command).action(bench);
  addExamples(command, [
    ["pearl bench --task autofj", "the embedded model beside the untrained floor"],
    ["pearl bench --task autofj --model tfidf --model jaccard", "a table of several models"],
    ["pearl bench --task all --data bench --json scores.json", "every task whose data is there"],
    ["pearl bench --task all --data bench --report report.html", "the same as a page to look at"],
    ["pearl bench --task turney,bird --protocol published", "scores by the paper's own rules"],
    ["pearl bench --task autofj --dataset Drug --model ./my-model", "one set"],
  ]);
}

async function bench(options: BenchCommandOptions): Promise<void> {
  const benchmark = await import("../benchmark/index.js");
  const { defaultDataFolder, formatReports, parseProtocol, runBenchmark } = benchmark;
  const protocol = parseProtocol(options.protocol);
  if (options.json) await checkFolder("--json", options.json);
  if (options.report) await checkFolder("--report", options.report);
  const display = progressDisplay(options.quiet ?? false);
  let reports: ModelReport[];
  try {
    reports = await runBenchmark({
      tasks: options.task ?? ["all"],
      models: options.model ?? [undefined],
      dataFolder: options.data ?? (await defaultDataFolder()),
      protocol,
      dataset: options.dataset,
      seed: options.seed,
      truncateDim: options.truncateDim,
      device: options.device,
      signal: interruptionSignal(),
      ...display,
    });
  } finally {
    display.finish();
  }
  const everySet = options.verbose === true || options.dataset !== undefined;
  process.stdout.write(`${formatReports(reports, { everySet })}\n`);
  if (options.json) await writeWhole(options.json, benchmark.reportsAsJson(reports));
  if (options.report) await writeWhole(options.report, benchmark.reportsAsPage(reports));
}

/** Values of `--task`: repeated, listed after one another, or separated by commas. */
function commaSeparated(value: string, previous: readonly string[] | undefined): string[] {
  const names = value.split(",").map((name) => name.trim());
  return [...(previous ?? []), ...names.filter((name) => name !== "")];
}

/** A bar per step of a task on a terminal, and a line per task for the record. */
function progressDisplay(quiet: boolean) {
  let bar: Promise<Progress> | undefined;
  let shown = "";
  const finish = (): void => {
    bar?.then((progress) => progress.finish());
    bar = undefined;
    shown = "";
  };
  const update = (label: string, done: number, total: number | undefined, unit: "bytes" | "items"): void => {
    if (label !== shown) {
      finish();
      shown = label;
      bar = startProgress({ label, total, unit, quiet });
    }
    bar?.then((progress) => progress.update(done, total));
  };
  return {
    finish,
    onTask: (model: string, task: string): void => {
      finish();
      if (!quiet) process.stderr.write(`${task}: ${model}\n`);
    },
    onProgress: ({ task, label, done, total }: RunProgress): void =>
      update(`${task}: ${label}`, done, total, "items"),
    onDownload: ({ done, total }: { done: number; total?: number }): void =>
      update("downloading", done, total, "bytes"),
  };
}

/** An hour of measuring must not end in a folder that is not there. */
async function checkFolder(option: string, file: string): Promise<void> {
  const folder = dirname(resolve(file));
  await access(folder).catch(() => {
    throw new UsageError(`${option} ${file}: there is no folder ${folder}. Make it first.`);
  });
}

async function writeWhole(file: string, text: string): Promise<void> {
  const partial = `${file}.${process.pid}.partial`;
  await writeFile(partial, text);
  await rename(partial, file);
}
