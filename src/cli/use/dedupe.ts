/** `pearl dedupe`: removes duplicates from a table, and writes the removed rows beside it. */
import { extname } from "node:path";
import type { DedupeTableReport } from "../../group/table-groups.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { option, shared } from "../options.js";
import { loadEncoder, stemOf, tableSettings } from "../session.js";
import { groupingOptions } from "./cluster.js";
import { promiseLines } from "./report.js";

export default command({
  name: "dedupe",
  summary: "remove duplicates from a table; of each group the most complete row is kept",
  arguments: [["<file>", "the table; - reads standard input"]],
  options: [
    option(
      "-o, --output <file>",
      "the kept rows: .csv, .tsv, .jsonl, .parquet; - is standard output (default: NAME.deduped.csv)",
    ),
    option("--no-removed", "do not write the removed rows to OUTPUT.removed.csv (.tsv, .jsonl, .parquet)"),
    shared.format,
    shared.report,
    option("--groups <file>", "also write each group with its kept row and its removed rows"),
    ...groupingOptions,
    ...shared.tableEncoding,
  ],
  examples: [
    ["pearl dedupe customers.csv -c name", "write customers.deduped.csv and customers.deduped.removed.csv"],
    ["pearl dedupe customers.csv -c name --groups groups.csv", "also list each group, to check it"],
    [
      "pearl dedupe customers.csv -c name --precision 0.98 -o sure.csv",
      "remove only near-certain duplicates",
    ],
  ],
  run: async ([file], options, session) => {
    const { dedupeTable } = await import("../../group/table-groups.js");
    const { threshold, precision, groups, format, output = defaultOutput(file, format) } = options;
    const encoder = await loadEncoder(options, session);
    const settings = { ...tableSettings(options, session), encoder, threshold, precision, format };
    const beside = output === "-" ? defaultOutput(file, format) : output;
    const removed = options.removed ? removedOutput(beside) : undefined;
    const report = await dedupeTable(file, { kept: output, removed, groups }, settings);
    const estimated = report.estimatedPrecision.toFixed(2);
    for (const line of promiseLines(report.promise, "group")) session.say(line);
    if (report.promise?.isKept === false)
      session.say(
        "only equal phrases were grouped; name a more telling column (-c), or check --groups at a --threshold",
      );
    else session.say(`similarity at least ${report.threshold.toFixed(2)}, estimated precision ${estimated}`);
    const print = output === "-" ? session.say : session.print;
    const counts = `${counted(report.rows, "row")} in, ${counted(report.groups.length, "group")} of duplicates`;
    session.wrote(output, `${counts}, ${counted(report.kept.length, "row")} out`);
    if (removed !== undefined) print(`wrote ${removed}: ${counted(report.removed.length, "removed row")}`);
    if (groups !== undefined) print(`wrote ${groups}`);
    for (const { rows, phrases } of largestGroups(report)) {
      const shown = phrases.slice(0, SHOWN_PHRASES).map((phrase) => `"${phrase}"`);
      const more = phrases.length > SHOWN_PHRASES ? ` and ${phrases.length - SHOWN_PHRASES} more` : "";
      print(`  ${counted(rows, "row")}: ${shown.join(", ")}${more}`);
    }
    await session.record(summary(report));
  },
});

const SHOWN_GROUPS = 3;
const SHOWN_PHRASES = 4;

/** The largest groups with their different phrases, the kept one first. */
function largestGroups({ groups, phrases }: DedupeTableReport) {
  const largest = [...groups].sort((a, b) => b.removed.length - a.removed.length).slice(0, SHOWN_GROUPS);
  return largest.map(({ kept, removed }) => ({
    rows: removed.length + 1,
    phrases: [...new Set([kept, ...removed.map(({ row }) => row)].map((row) => phrases[row]))],
  }));
}

/** The report without its rows, which the written tables hold. */
function summary(report: DedupeTableReport) {
  const { rows, kept, removed, groups, threshold, estimatedPrecision, promise } = report;
  return {
    ...{ rows, kept: kept.length, removed: removed.length, groups: groups.length },
    ...{ threshold, estimatedPrecision, promise, largestGroups: largestGroups(report) },
  };
}

/** The name of the removed rows' file beside the output. */
const removedOutput = (output: string): string => output.replace(/(\.[^.]*)?$/, ".removed$1");

/** NAME.deduped.csv in the current folder; TSV, JSONL and Parquet keep their format. */
function defaultOutput(file: string, format: string | undefined): string {
  const ending = extname(file.replace(/\.gz$/, "")).toLowerCase();
  const kept = [".tsv", ".jsonl", ".parquet"].includes(ending) ? ending : ".csv";
  return `${stemOf(file)}.deduped${format === undefined ? kept : `.${format}`}`;
}
