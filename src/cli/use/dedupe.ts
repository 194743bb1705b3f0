/** `pearl dedupe`: removes duplicates from a table, and lists the removed rows. */
import { extname } from "node:path";
import { command } from "../command.js";
import { counted } from "../format.js";
import { option, shared } from "../options.js";
import { loadEncoder, stemOf, tableSettings } from "../session.js";
import { groupingOptions } from "./cluster.js";

export default command({
  name: "dedupe",
  summary: "remove duplicates from a table; of each group the most complete row is kept",
  arguments: [["<file>", "the table; - reads standard input"]],
  options: [
    option(
      "-o, --output <file>",
      "the kept rows: .csv, .tsv, .jsonl, .parquet; - is standard output (default: NAME.deduped.csv)",
    ),
    shared.format,
    shared.report,
    option("--groups <file>", "also write each group with its kept row and its removed rows"),
    ...groupingOptions,
    ...shared.tableEncoding,
  ],
  examples: [
    ["pearl dedupe customers.csv -c name", "write customers.deduped.csv"],
    ["pearl dedupe customers.csv --groups removed.csv", "also list what was removed, to check it"],
    ["pearl dedupe customers.csv --precision 0.98 -o sure.csv", "remove only near-certain duplicates"],
  ],
  run: async ([file], options, session) => {
    const { dedupeTable } = await import("../../group/table-groups.js");
    const { threshold, precision, groups, format, output = defaultOutput(file, format) } = options;
    const encoder = await loadEncoder(options, session);
    const settings = { ...tableSettings(options, session), encoder, threshold, precision, format };
    const report = await dedupeTable(file, { kept: output, groups }, settings);
    const estimated = report.estimatedPrecision.toFixed(2);
    session.say(`similarity at least ${report.threshold.toFixed(2)}, estimated precision ${estimated}`);
    const removed = `removed ${counted(report.removed.length, "duplicate")} from ${counted(report.rows, "row")}`;
    session.wrote(output, `${counted(report.kept.length, "row")}, ${removed}`);
    if (groups !== undefined) (output === "-" ? session.say : session.print)(`wrote ${groups}`);
    await session.record({ ...report, kept: report.kept.length, removed: report.removed.length, groups });
  },
});

/** NAME.deduped.csv in the current folder; TSV, JSONL and Parquet keep their format. */
function defaultOutput(file: string, format: string | undefined): string {
  const ending = extname(file.replace(/\.gz$/, "")).toLowerCase();
  const kept = [".tsv", ".jsonl", ".parquet"].includes(ending) ? ending : ".csv";
  return `${stemOf(file)}.deduped${format === undefined ? kept : `.${format}`}`;
}
