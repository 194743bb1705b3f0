/** `pearl dedupe`: removes duplicates from a table, and writes the removed rows beside it. */
import { extname } from "node:path";
import type { DedupeTableReport } from "../../group/table-groups.js";
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
    option("-o, --output <file>", "the kept rows: .csv, .tsv or .jsonl (default: NAME.deduped.csv)"),
    option("--no-removed", "do not write the removed rows to OUTPUT.removed.csv (.tsv, .jsonl)"),
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
    const { threshold, precision, groups, output = defaultOutput(file) } = options;
    const encoder = await loadEncoder(options, session);
    const settings = { ...tableSettings(options, session), encoder, threshold, precision };
    const removed = options.removed
      ? removedOutput(output === "-" ? defaultOutput(file) : output)
      : undefined;
    const report = await dedupeTable(file, { kept: output, removed, groups }, settings);
    const estimated = report.estimatedPrecision.toFixed(2);
    session.say(`similarity at least ${report.threshold.toFixed(2)}, estimated precision ${estimated}`);
    const counts = `${counted(report.rows, "row")} in, ${counted(report.groups.length, "group")} of duplicates`;
    session.print(`wrote ${output}: ${counts}, ${counted(report.kept.length, "row")} out`);
    if (removed !== undefined)
      session.print(`wrote ${removed}: ${counted(report.removed.length, "removed row")}`);
    if (groups !== undefined) session.print(`wrote ${groups}`);
    for (const line of largestGroups(report)) session.print(line);
  },
});

const SHOWN_GROUPS = 3;
const SHOWN_PHRASES = 4;

/** A line for each of the largest groups: `3 rows: "Acme Inc.", "Acme, Inc", "ACME"`, the kept phrase first. */
function largestGroups({ groups, phrases }: DedupeTableReport): string[] {
  const largest = [...groups].sort((a, b) => b.removed.length - a.removed.length).slice(0, SHOWN_GROUPS);
  return largest.map(({ kept, removed }) => {
    const different = [...new Set([kept, ...removed.map(({ row }) => row)].map((row) => phrases[row]))];
    const shown = different.slice(0, SHOWN_PHRASES).map((phrase) => `"${phrase}"`);
    const more = different.length > SHOWN_PHRASES ? ` and ${different.length - SHOWN_PHRASES} more` : "";
    return `  ${counted(removed.length + 1, "row")}: ${shown.join(", ")}${more}`;
  });
}

/** The name of the removed rows' file beside the output. */
const removedOutput = (output: string): string => output.replace(/(\.[^.]*)?$/, ".removed$1");

/** NAME.deduped.csv in the current folder; TSV and JSONL keep their format. */
function defaultOutput(file: string): string {
  const ending = extname(file.replace(/\.gz$/, "")).toLowerCase();
  return `${stemOf(file)}.deduped${ending === ".tsv" || ending === ".jsonl" ? ending : ".csv"}`;
}
