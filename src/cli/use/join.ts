/** `pearl join`: matches rows of two tables that mean the same, at a required precision. */
import { UsageError } from "../../errors.js";
import { isPostgresAddress } from "../../files/place.js";
import type { Sharing } from "../../files/shards/shard.js";
import type { JoinTablesReport } from "../../join/join-tables.js";
import { joinKinds } from "../../join/options.js";
import { precisionLine } from "../../match/estimates/promise.js";
import { rowsFormatOfName, stemOf } from "../../table/format.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount, formatDuration, formatPercent } from "../format.js";
import { choice, fraction, noteUnused, option, positiveInteger, shared, tableOutput } from "../options.js";
import { reviewCommand } from "../serve/review.js";
import { besideOutput, boundedSettings, loadEncoderOrNone, type Session } from "../session.js";
import { checkShare, compareLearned, learnOptions, shardOption, shareWork } from "../shards/sharing.js";
import { openIndex } from "./index-table.js";
import { comparedLines, effectLine, relatedLine, rulesLines } from "./report.js";

const options = [
  ...shared.compared,
  ...shared.rules,
  ...shared.bounded,
  option("--precision <p>", "share of matches that must be correct", fraction, 0.9),
  choice("--kind <kind>", "how many matches a row may have (default: found from the tables)", joinKinds),
  option("--top <k>", "with many-to-many: matches per right row, 1 to 8", positiveInteger),
  tableOutput("the matches", "-"),
  shared.format,
  shared.report,
  option("--keep-unmatched", "also write right rows without a match"),
  option("--explain", "add a column that says in a sentence why each pair matches"),
  option("--explain-out <file>", "write the explanations for programs: .jsonl, an object for each match"),
  ...shared.judged,
  option("--pairs-out <file>", "write the known matches as pairs for `pearl finetune`"),
  option(
    "--candidates <n>",
    "where one column is compared: candidates per row, by words and by embedding each",
    positiveInteger,
    10,
  ),
  option("--in-database", "find candidates in PostgreSQL (after `pearl sync`), and read only these rows"),
  ...shared.tableFormat,
  shared.modelOrNone,
  shared.int8,
  shardOption,
  ...learnOptions,
  ...shared.run,
] as const;

type JoinOptions = OptionsOf<typeof options>;

export default command({
  name: "join",
  summary: "join two tables whose rows mean the same but are written differently",
  arguments: [
    ["<left>", "the reference table, with few duplicates"],
    ["<right>", "the table whose rows are looked up in it"],
  ],
  options,
  examples: [
    ["pearl join companies.csv messy.csv -o joined.csv", "by all columns that tell rows apart"],
    ["pearl join companies.csv messy.csv --on name=supplier -o joined.csv", "by one column"],
    ["pearl join a.csv b.csv --kind one-to-one --precision 0.95", "each row in one match at most"],
    ["pearl join a.csv b.csv -o c.csv --memory 8g --temp .", "in 8 GB of memory, with temporary files here"],
    ["pearl join a.csv b.csv --review-out review.csv", "doubtful pairs for a person to decide"],
    ["pearl join a.csv b.csv --review review.csv --pairs-out pairs.csv", "use the decisions"],
    ["pearl join postgres://me@localhost/shop?table=customers b.csv --in-database", "a large table, synced"],
  ],
  run: async ([left, right], options, session) => {
    checkUsage(options);
    noteUnused(options, session.say);
    const { output = "-", format, reviewOut, relatedOut, pairsOut, explainOut } = options;
    const isWhole = (options.shard ?? options.learn) === undefined;
    for (const path of [format || !isWhole ? undefined : output, reviewOut, relatedOut, pairsOut]) {
      if (path !== undefined) rowsFormatOfName(path);
    }
    const { joinTables } = await import("../../join/join-tables.js");
    const decisionPaths = [options.labels ?? [], options.review ?? []].flat();
    const inputs = [left, right, ...(options.aliases ? [options.aliases] : []), ...decisionPaths];
    const stem = `${stemOf(right)}.joined`;
    const run = { command: "join", arguments: [left, right], options, inputs, stem };
    checkShare(run);
    if (await compareLearned(run, options, session)) return;
    const { inDatabase } = options;
    const likelyOut = output === "-" ? undefined : besideOutput(output, "likely", `${stem}.csv`);
    const synced = inDatabase && isPostgresAddress(left) ? await openIndex(left, session) : undefined;
    const model = options.model ?? synced?.layout.model?.name;
    const encoder = await loadEncoderOrNone({ ...options, model }, session);
    const join = (sharing?: Sharing) =>
      joinTables(left, right, output, {
        ...options,
        ...{ ...boundedSettings(options, session), encoder, sharing, decisionPaths },
        reading: inDatabase ? "candidates" : "whole",
        unmatched: options.keepUnmatched ? "keep" : "leave-out",
        explain: options.explain ? "column" : "none",
        ...{ reviewPath: reviewOut, pairsPath: pairsOut, explainPath: explainOut, likelyPath: likelyOut },
        relatedPath: relatedOut,
        onProgress: (stage, done, total) => session.show(stage, done, total),
      });
    const report = await shareWork(run, encoder, session, join);
    if (report === undefined) return;
    printReport(report, [left, right], { ...options, likelyOut }, session);
    await session.record(report);
  },
});

function checkUsage({ top, kind, pairsOut, explainOut, labels, review }: JoinOptions): void {
  if (explainOut !== undefined && !explainOut.endsWith(".jsonl")) {
    throw new UsageError("--explain-out writes JSON lines: end its name in .jsonl");
  }
  if (top !== undefined && kind !== "many-to-many") {
    throw new UsageError("--top needs --kind many-to-many; other kinds give each right row one match");
  }
  if (top !== undefined && top > 8) throw new UsageError("--top must be at most 8");
  if (pairsOut !== undefined && labels === undefined && review === undefined) {
    throw new UsageError("--pairs-out writes the matches known from --labels or --review: give one of them");
  }
}

function printReport(
  report: JoinTablesReport,
  tables: readonly string[],
  options: JoinOptions & { readonly likelyOut: string | undefined },
  { say, wrote }: Session,
): void {
  const { matches, likely, matchedRows, rightRows, columns, kind, kindReason, promise, reviewed, pairs } =
    report;
  if (report.leftRows > 0 && rightRows > 0) {
    for (const line of comparedLines(report, options.on)) say(line);
    if (report.rules !== undefined) for (const line of rulesLines(report.rules)) say(line);
    say(kindReason === undefined ? kind : `${kind}: ${kindReason}`);
    say(precisionLine(report));
  }
  const unverified = promise.established || matches === 0 ? "" : ", not verified";
  wrote(
    options.output ?? "-",
    `${counted(matches, "match", "matches")} for ${formatCount(matchedRows)} of ${counted(rightRows, "right row")} ` +
      `(${formatPercent(matchedRows / Math.max(1, rightRows))})${unverified}, ${formatDuration(report.seconds)}`,
  );
  if (likely > 0) say(likelyLine(likely, options.likelyOut));
  for (const { left, right, probability, why } of report.leastSure)
    say(`least sure: ${left} = ${right}, ${formatPercent(probability)}: ${why}`);
  if (!promise.established) say(cure(columns.length, matches));
  if (report.labelEffect !== undefined) say(effectLine(report.labelEffect, "match"));
  if (reviewed !== undefined) {
    say(`wrote ${options.reviewOut}: ${counted(reviewed, "pair")} to decide`);
    say(`to decide them in a browser: ${reviewCommand(options.reviewOut!, tables, options)}`);
  }
  if (report.related !== undefined) say(relatedLine(options.relatedOut!, report.related));
  if (pairs !== undefined) {
    const negatives = `${formatCount(pairs.withNegative)} with a hard negative`;
    say(`wrote ${options.pairsOut}: ${counted(pairs.pairs, "pair")}, ${negatives}`);
  }
}

const likelyLine = (likely: number, file: string | undefined): string =>
  file === undefined
    ? `${counted(likely, "likely match", "likely matches")} left out: -o FILE writes them beside it`
    : `wrote ${file}: ${counted(likely, "likely match", "likely matches")} left out of it`;

function cure(columns: number, matches: number): string {
  const likely = matches > 0 ? "Each match is likelier right than wrong: check them. " : "";
  const more = columns > 1 ? "" : ", compare more columns";
  return `${likely}To establish it, decide doubtful pairs (--review-out FILE, then --review FILE)${more}, or give known pairs (--labels FILE).`;
}
