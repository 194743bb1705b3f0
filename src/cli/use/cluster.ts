/** `pearl cluster`: groups phrases that mean the same, each group with a representative. */
import { UsageError } from "../../errors.js";
import type { ClusterTableReport } from "../../group/tables/cluster-table.js";
import { precisionLine } from "../../match/estimates/promise.js";
import { command } from "../command.js";
import { counted } from "../format.js";
import { checkFormat, fraction, option, positiveInteger, shared, tableOutput } from "../options.js";
import { boundedSettings, loadEncoderOrNone } from "../session.js";

export const groupingOptions = [
  option("--precision <p>", "expected share of correct links; sets the threshold (default: 0.9)", fraction),
  option(
    "--threshold <t>",
    "instead: group phrases that are at least so similar on average",
    fraction,
  ).conflicts("precision"),
] as const;

export default command({
  name: "cluster",
  summary: "group the phrases of a table that mean the same",
  arguments: [["<file>", "the table; - reads standard input"]],
  options: [
    tableOutput("all rows with their group", "print groups"),
    shared.format,
    shared.report,
    ...groupingOptions,
    option("--k <n>", "instead: make exactly n clusters by topic (spherical k-means)", positiveInteger),
    shared.seed,
    ...shared.bounded,
    ...shared.tableComparing,
  ],
  examples: [
    ["pearl cluster companies.csv", "print groups of two or more rows"],
    ["pearl cluster companies.csv -c name -o grouped.csv", "write all rows with group and representative"],
    ["pearl cluster companies.csv --precision 0.97", "fewer links, fewer mistakes"],
    ["pearl cluster companies.csv -o c.csv --memory 4g --temp .", "in 4 GB, with temporary files here"],
    ["pearl cluster keywords.txt --k 20 -o topics.csv", "twenty topics"],
  ],
  run: async ([file], options, session) => {
    checkFormat(options);
    const { clusterTable } = await import("../../group/tables/cluster-table.js");
    const { format, threshold, k, precision, seed, output } = options;
    if (k !== undefined && options.model === "none")
      throw new UsageError("--k makes topics of embeddings: leave --model none out");
    const encoder = await loadEncoderOrNone(options, session);
    const settings = boundedSettings(options, session);
    const report = await clusterTable(file, output, {
      ...{ ...settings, encoder, threshold, k, precision, seed, format },
    });
    if (report.rows > 0) session.say(summary(report));
    const { rows, representatives, threshold: used, estimate, low, high, promise } = report;
    const groupsOfSeveral = report.groupsOfSeveral().length;
    const sizes = { rows, groups: representatives.length, groupsOfSeveral };
    await session.record({ ...sizes, threshold: used, estimate, low, high, promise });
    if (output === undefined) process.stdout.write(groupLines(report));
    else
      session.wrote(output, `${counted(report.rows, "row")} in ${counted(representatives.length, "group")}`);
  },
});

/** How many groups, and how sure they are. */
function summary(report: ClusterTableReport): string {
  const { representatives, threshold, estimate = 1, low = 1, high = 1, promise } = report;
  const counts = `${counted(representatives.length, "group")}, ${report.groupsOfSeveral().length} with two or more rows`;
  const alike = threshold === undefined ? counts : `${counts}; similarity at least ${threshold.toFixed(2)}`;
  if (promise !== undefined) return `${alike}\n${precisionLine({ estimate, low, high, promise })}`;
  return threshold === undefined ? counts : `${alike}, estimated precision ${estimate.toFixed(2)}`;
}

/** Groups of two or more rows, the largest first: the representative, then the other phrases. */
function groupLines({ groupsOfSeveral, phrases, similarity }: ClusterTableReport): string {
  return groupsOfSeveral()
    .sort((a, b) => b.rows.length - a.rows.length || a.rows[0] - b.rows[0])
    .map(({ rows, representative }) => {
      const others = rows.filter((row) => row !== representative);
      const lines = others.map((row) => `  ${similarity[row].toFixed(2)}  ${phrases[row]}\n`);
      return `${phrases[representative]}\n${lines.join("")}`;
    })
    .join("");
}
