/** `pearl dedupe`: a table without its duplicates, and a list of what went. */
import { basename, extname } from "node:path";
import type { Command } from "commander";
import type { DeviceChoice } from "../runtime/device.js";
import { formatCount } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { type EncoderChoice, loadEncoder } from "./load-encoder.js";
import {
  addExamples,
  addGroupingOptions,
  addTableEncodingOptions,
  type TableReadingOptions,
  tableOptionsOf,
} from "./options.js";
import { stageDisplay } from "./progress.js";

interface DedupeCommandOptions extends TableReadingOptions, EncoderChoice {
  readonly device: DeviceChoice;
  readonly output?: string;
  readonly groups?: string;
  readonly threshold?: number;
  readonly precision?: number;
}

export function registerDedupe(program: Command): void {
  const command = program
    .command("dedupe")
    .description("take duplicates out of a table: of each group the most complete row stays, or the first")
    .argument("<file>", "the table; - reads standard input")
    .option("-o, --output <file>", "the rows that stay: .csv, .tsv or .jsonl (default: NAME.deduped.csv)")
    .option("--groups <file>", "also list each group, with the row that stays and those that went");
  addGroupingOptions(command, { promised: "rows that go" });
  addTableEncodingOptions(command).action(run);
  addExamples(command, [
    ["pearl dedupe customers.csv -c name", "into customers.deduped.csv"],
    ["pearl dedupe customers.csv --groups went.csv", "also what went, to look through"],
    ["pearl dedupe customers.csv --precision 0.98 -o sure.csv", "only what is nearly certain"],
  ]);
}

async function run(file: string, options: DedupeCommandOptions): Promise<void> {
  const { dedupeTable } = await import("../join/table-groups.js");
  const signal = interruptionSignal();
  const display = stageDisplay({ quiet: options.quiet });
  const kept = options.output ?? defaultOutput(file);
  const encoder = await loadEncoder(options, signal);
  try {
    const { threshold, precision, groups } = options;
    const report = await dedupeTable(
      file,
      { kept, groups },
      {
        ...{ encoder, threshold, precision, signal, table: tableOptionsOf(options) },
        onNote: display.say,
        onProgress: (done, total) => display.show("encoding", done, total),
      },
    );
    await display.finish();
    const estimated = report.estimatedPrecision.toFixed(2);
    display.say(`similarity ${report.threshold.toFixed(2)} or more, estimated precision ${estimated}`);
    const went = `${formatCount(report.removed.length)} duplicates of ${formatCount(report.rows)} rows went`;
    process.stdout.write(`wrote ${kept}: ${formatCount(report.kept.length)} rows, ${went}\n`);
    if (groups !== undefined) process.stdout.write(`wrote ${groups}\n`);
  } finally {
    await display.finish();
    await encoder.dispose();
  }
}

/** NAME.deduped.csv in the current folder; another table format keeps its ending where rows can be written so. */
function defaultOutput(file: string): string {
  const plain = basename(file === "-" ? "stdin" : file).replace(/\.gz$/, "");
  const ending = extname(plain).toLowerCase();
  const name = plain.slice(0, plain.length - ending.length) || plain;
  return `${name}.deduped${ending === ".tsv" || ending === ".jsonl" ? ending : ".csv"}`;
}
