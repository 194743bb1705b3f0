/** `pearl cluster`: spellings and variants of the same thing in groups, each with a phrase that stands for it. */
import type { Command } from "commander";
import type { ClusterTableReport } from "../join/table-groups.js";
import type { DeviceChoice } from "../runtime/device.js";
import { formatCount } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { type EncoderChoice, loadEncoder } from "./load-encoder.js";
import {
  addExamples,
  addGroupingOptions,
  addTableEncodingOptions,
  positiveInteger,
  type TableReadingOptions,
  tableOptionsOf,
  wholeNumber,
} from "./options.js";
import { stageDisplay } from "./progress.js";

interface ClusterCommandOptions extends TableReadingOptions, EncoderChoice {
  readonly device: DeviceChoice;
  readonly output?: string;
  readonly threshold?: number;
  readonly k?: number;
  readonly precision?: number;
  readonly seed?: number;
}

export function registerCluster(program: Command): void {
  const command = program
    .command("cluster")
    .description("put a table's phrases into groups that mean the same")
    .argument("<file>", "the table; - reads standard input")
    .option(
      "-o, --output <file>",
      "the rows with their group: .csv, .tsv or .jsonl (default: groups are printed)",
    );
  addGroupingOptions(command, { promised: "rows that join a group" })
    .option("--k <n>", "exactly so many groups instead (spherical k-means): for topics", positiveInteger)
    .option("--seed <n>", "of k-means (default: 0)", wholeNumber);
  addTableEncodingOptions(command).action(run);
  addExamples(command, [
    ["pearl cluster companies.csv", "print the groups of several"],
    ["pearl cluster companies.csv -c name -o grouped.csv", "all rows with group and representative"],
    ["pearl cluster companies.csv --precision 0.97", "fewer, surer groups"],
    ["pearl cluster keywords.txt --k 20 -o topics.csv", "twenty topics"],
  ]);
}

async function run(file: string, options: ClusterCommandOptions): Promise<void> {
  const { clusterTable } = await import("../join/table-groups.js");
  const signal = interruptionSignal();
  const display = stageDisplay({ quiet: options.quiet });
  const encoder = await loadEncoder(options, signal);
  try {
    const { threshold, k, precision, seed, output } = options;
    const report = await clusterTable(file, output, {
      ...{ encoder, threshold, k, precision, seed, signal, table: tableOptionsOf(options) },
      onNote: display.say,
      onProgress: (done, total) => display.show("encoding", done, total),
    });
    await display.finish();
    display.say(summary(report));
    const written = `wrote ${output}: ${formatCount(report.rows)} rows in ${formatCount(report.groups.length)} groups`;
    process.stdout.write(output === undefined ? groupLines(report) : `${written}\n`);
  } finally {
    await display.finish();
    await encoder.dispose();
  }
}

function summary({ groups, threshold, estimatedPrecision }: ClusterTableReport): string {
  const several = groups.filter(({ rows }) => rows.length > 1).length;
  const counts = `${formatCount(groups.length)} groups, ${formatCount(several)} of several rows`;
  if (threshold === undefined || estimatedPrecision === undefined) return counts;
  return `${counts}; similarity ${threshold.toFixed(2)} or more, estimated precision ${estimatedPrecision.toFixed(2)}`;
}

/** Groups of several, the largest first: the representative, and the other phrases below it. */
function groupLines({ groups, phrases, similarity }: ClusterTableReport): string {
  const several = groups.filter(({ rows }) => rows.length > 1);
  several.sort((a, b) => b.rows.length - a.rows.length || a.rows[0] - b.rows[0]);
  return several
    .map(({ rows, representative }) => {
      const others = rows.filter((row) => row !== representative);
      const lines = others.map((row) => `  ${similarity[row].toFixed(2)}  ${phrases[row]}\n`);
      return `${phrases[representative]}\n${lines.join("")}`;
    })
    .join("");
}
