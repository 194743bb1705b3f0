/** `pearl dedupe`: removes duplicates from a table, and writes the removed rows beside it. */
import { endsEarly, type Sharing } from "../../files/shards/shard.js";
import type { DedupeOutputs, DedupeTableReport } from "../../group/tables/dedupe-table.js";
import { precisionLine } from "../../match/estimates/promise.js";
import { rowsFormatOfName, stemOf } from "../../table/format.js";
import { oneLine } from "../../text/visible.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount } from "../format.js";
import { checkGolden, noteUnused, option, shared, tableOutput } from "../options.js";
import { reviewCommand } from "../serve/review.js";
import { besideOutput, boundedSettings, loadEncoderOrNone, outputFor, type Session } from "../session.js";
import { checkShare, compareLearned, learnOptions, shardOption, shareWork } from "../shards/sharing.js";
import { groupingOptions } from "./cluster.js";
import { comparedLines, effectLine, relatedLine, rulesLines, survivorLine } from "./report.js";

const options = [
  tableOutput("the kept rows", "NAME.deduped.csv"),
  option("--no-removed", "do not write OUTPUT.removed.csv, nor OUTPUT.groups.csv (.tsv, .jsonl, .parquet)"),
  option("--groups <file>", "write each group with its kept row (default: OUTPUT.groups.csv if needed)"),
  option("--explain", "write the groups with a column that says why each row equals the kept one"),
  option("--remove-likely", "remove likely duplicates even if the precision is not established"),
  option("--no-fill", "keep rows as they are: do not fill their empty cells from the removed rows"),
  option("--golden <file>", "write one record for each thing, each cell chosen among the rows of its group"),
  ...shared.golden,
  ...shared.judged,
  shared.format,
  shared.report,
  ...shared.compared,
  ...shared.rules,
  option("--between", "match rows of different tables only: no table has duplicates within itself"),
  ...shared.bounded,
  ...groupingOptions,
  shardOption,
  ...learnOptions,
  ...shared.tableComparing,
] as const;

type Options = OptionsOf<typeof options>;

export default command({
  name: "dedupe",
  summary: "remove duplicates from a table; of each group the most complete row is kept",
  arguments: [
    ["<file>", "the table; - reads standard input"],
    ["[further...]", "more tables, whose rows follow: columns that hold the same are put together"],
  ],
  options,
  examples: [
    ["pearl dedupe customers.csv", "compare all columns; write customers.deduped.csv and what was removed"],
    ["pearl dedupe customers.csv --groups groups.csv --explain", "also list each group, with reasons"],
    ["pearl dedupe customers.csv --on name --on city", "compare two columns"],
    ["pearl dedupe shop.csv fair.xlsx web.jsonl", "the rows of three tables, as one"],
    ["pearl dedupe customers.csv --review-out review.csv", "doubtful pairs for a person to decide"],
    ["pearl dedupe customers.csv --memory 2g --temp .", "in 2 GB of memory, with temporary files here"],
    ["pearl dedupe names.csv -c name --threshold 0.8", "compare one column, without a promise"],
  ],
  run: async ([file, further = []], options, session) => {
    noteUnused(options, session.say);
    checkGolden(options);
    const { dedupeTable } = await import("../../group/tables/dedupe-table.js");
    const byDefault = outputFor(file, "deduped", options.format);
    const { labels, review, output = byDefault, compare = {} } = options;
    const beside = (part: string) => besideOutput(output, part, byDefault);
    const outputs = {
      kept: output,
      removed: options.removed ? beside("removed") : undefined,
      groups: options.groups ?? (options.explain ? beside("groups") : undefined),
      likelyGroups: options.removed ? beside("groups") : undefined,
      review: options.reviewOut,
      related: options.relatedOut,
      golden: options.golden,
      goldenOrigins: options.goldenJson,
    };
    for (const path of [options.groups, options.reviewOut, options.relatedOut, options.golden])
      if (path !== undefined) rowsFormatOfName(path, "");
    const decisionPaths = [labels ?? [], review ?? []].flat();
    const inputs = [file, ...further, options.aliases, ...Object.values(compare), ...decisionPaths];
    const run = {
      ...{ command: "dedupe", arguments: [file, further], options, inputs },
      stem: `${stemOf(file)}.deduped`,
    };
    checkShare(run);
    if (await compareLearned(run, options, session)) return;
    const encoder = await loadEncoderOrNone(options, session);
    const dedupe = (sharing?: Sharing) =>
      dedupeTable(file, endsEarly(sharing) ? { kept: byDefault } : outputs, {
        ...{ ...options, ...boundedSettings(options, session), encoder, sharing, decisionPaths, further },
        pairs: options.between ? "between tables" : "all",
        likely: options.removeLikely ? "remove" : "keep",
        fill: options.fill ? "empty" : "none",
        explain: options.explain ? "column" : "none",
        survivors: options.survivor,
        onProgress: (stage, done, total) => session.show(stage, done, total),
      });
    const report = await shareWork(run, encoder, session, dedupe);
    if (report === undefined) return;
    if (report.rows > 0) sayFindings(report, [file, ...further], options, session);
    else if (report.reviewed !== undefined) session.say(`wrote ${options.reviewOut}: 0 pairs to decide`);
    printOutputs(report, outputs, session);
    await session.record(summary(report));
  },
});

/** How the result was found and how sure it is: on stderr. */
function sayFindings(
  report: DedupeTableReport,
  files: readonly string[],
  options: Options,
  { say }: Session,
): void {
  const { columns, groups, threshold, promise, likely, labelEffect, reviewed } = report;
  const { estimate, low, high } = report;
  if (columns.length === 0)
    say("no column tells rows apart: only rows that are equal in all columns were grouped");
  else for (const line of comparedLines(report, options.on ?? options.column)) say(line);
  if (report.rules !== undefined) for (const line of rulesLines(report.rules)) say(line);
  if (groups.length === 0) say("no two rows were found to be the same");
  else if (promise !== undefined) say(precisionLine({ estimate, low, high, promise }));
  else say(`similarity at least ${threshold?.toFixed(2)}, estimated precision ${estimate.toFixed(3)}`);
  if (likely > 0) {
    const byRule = options.same === undefined ? "" : ", and those that are the same by a rule";
    say(
      `so only rows that equal the kept row in all compared cells were removed, and those you confirmed${byRule}`,
    );
    say(
      "to remove the likely duplicates too: --remove-likely; to decide on doubtful pairs: --review-out FILE",
    );
  }
  if (labelEffect !== undefined) say(effectLine(labelEffect, "group"));
  if (report.related !== undefined) say(relatedLine(options.relatedOut!, report.related));
  if (reviewed === undefined) return;
  say(`wrote ${options.reviewOut}: ${counted(reviewed, "pair")} to decide`);
  say(
    `to decide them in a browser: ${reviewCommand(options.reviewOut!, files.length === 1 ? files : [], options)}`,
  );
}

function printOutputs(report: DedupeTableReport, outputs: DedupeOutputs, session: Session): void {
  const { rows, kept, removed, groups, likely } = report;
  const print = Object.values(outputs).includes("-") ? session.say : session.print;
  const wrote = (output: string, text: string): void =>
    print(output === "-" ? text : `wrote ${output}: ${text}`);
  const found = `${counted(groups.length, "group")} of ${likely > 0 ? "likely duplicates" : "duplicates"}`;
  wrote(outputs.kept, `${counted(rows, "row")} in, ${found}, ${counted(kept.length, "row")} out`);
  if (outputs.removed !== undefined) {
    const most = removed.length * 3 > rows ? ", more than a third of all" : "";
    wrote(outputs.removed, `${counted(removed.length, "removed row")}${most}`);
  }
  const counts = Object.entries(report.filled);
  const cells = counts.reduce((sum, [, count]) => sum + count, 0);
  const columns = counts.map(([name, count]) => `${name} ${formatCount(count)}`).join(", ");
  if (cells > 0)
    print(
      `filled ${counted(cells, "empty cell")} of kept rows from removed ones (${oneLine(columns)}); --no-fill leaves them empty`,
    );
  if (report.lacking > 0 && outputs.golden === undefined)
    session.say(
      `removed rows could fill empty cells of ${counted(report.lacking, "kept row")}; --golden FILE writes one record for each thing`,
    );
  if (outputs.golden !== undefined) {
    const merged = new Set(removed.map(({ keptRow }) => keptRow)).size;
    const open = likely > 0 ? "; likely duplicates are merged only with --remove-likely" : "";
    wrote(outputs.golden, `${counted(kept.length, "record")}, ${formatCount(merged)} of several rows${open}`);
    session.say(survivorLine(report.survivors));
  }
  if (outputs.goldenOrigins !== undefined) wrote(outputs.goldenOrigins, "the origin of each cell");
  const written = outputs.groups ?? (likely > 0 ? outputs.likelyGroups : undefined);
  const open = likely > 0 ? `: ${counted(likely, "likely duplicate")}, not removed` : "";
  if (written !== undefined) print(`wrote ${written}${open}`);
  else if (likely > 0)
    session.say(`${counted(likely, "likely duplicate")}, not removed: --groups FILE lists them`);
  for (const { rows, examples } of largestGroups(report)) {
    const shown = examples.slice(0, SHOWN_EXAMPLES).map((text) => `"${text}"`);
    const more = examples.length > SHOWN_EXAMPLES ? ` and ${examples.length - SHOWN_EXAMPLES} more` : "";
    print(`  ${counted(rows, "row")}: ${shown.join(", ")}${more}`);
  }
}

const SHOWN_GROUPS = 3;
const SHOWN_EXAMPLES = 4;

/** The largest groups with their different names, that of the kept row first. */
function largestGroups({ groups, shown }: DedupeTableReport) {
  const largest = groups.toSorted((a, b) => b.others.length - a.others.length).slice(0, SHOWN_GROUPS);
  return largest.map(({ kept, others }) => ({
    rows: others.length + 1,
    examples: shown([kept, ...others.map(({ row }) => row)]),
  }));
}

/** The report without its rows, which the written tables hold. */
function summary(report: DedupeTableReport) {
  const { estimate, low, high, promise, threshold, columns, dropped, rules, rows, kept, removed, groups } =
    report;
  const pairs = groups.map(({ others }) => (others.length * (others.length + 1)) / 2);
  return {
    matches: pairs.reduce((sum, count) => sum + count, 0),
    ...{ estimate, low, high, promise, threshold, kind: "many-to-many", columns, dropped, rules },
    ...{ rows, kept: kept.length, removed: removed.length, groups: groups.length, likely: report.likely },
    ...{ filled: report.filled, lacking: report.lacking, survivors: report.survivors },
    ...{ labelEffect: report.labelEffect, reviewed: report.reviewed, largestGroups: largestGroups(report) },
  };
}
