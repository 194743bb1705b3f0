/** `pearl join`: matches rows of two tables that mean the same, at a required precision. */
import { InvalidArgumentError } from "commander";
import { UsageError } from "../../errors.js";
import type { JoinTablesReport } from "../../join/join-tables.js";
import type { JoinOn, LabelledPair } from "../../join/options.js";
import { rowsFormatOfName } from "../../table/format.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatCount, formatDuration, formatPercent } from "../format.js";
import { choice, fraction, option, positiveInteger, shared, tableOptionsOf } from "../options.js";
import { loadEncoder, type Session } from "../session.js";
import { promiseLines } from "./report.js";

const options = [
  option("--on <column>", "one name for both, or LEFT=RIGHT; with :WEIGHT if needed; repeatable", onColumns),
  option("--precision <p>", "expected share of correct matches; sets the threshold", fraction, 0.9),
  choice(
    "--kind <kind>",
    "how many matches a row may have",
    ["many-to-one", "one-to-one", "many-to-many"],
    "many-to-one",
  ),
  option("--top <k>", "with many-to-many: matches per right row, 1 to 8", positiveInteger),
  option("--block <column>", "compare only rows with equal values in this column (or LEFT=RIGHT)", oneColumn),
  option("-o, --output <file>", "output: .csv, .tsv, .jsonl or .parquet; - is standard output (the default)"),
  shared.format,
  shared.report,
  option("--keep-unmatched", "also write right rows without a match"),
  option("--explain", "add a column that says in a sentence why each pair matches"),
  option("--explain-out <file>", "write the explanations for programs: .jsonl, an object for each match"),
  option("--labels <file>", "known pairs (left, right, match), to calibrate the estimated precision"),
  option("--review-out <file>", "write the proposed pairs for review, the most doubtful first"),
  option("--review <file>", "read back the decisions of a reviewed file"),
  option("--pairs-out <file>", "write the known matches as pairs for `pearl finetune`"),
  option("--candidates <n>", "candidate pairs per row, by words and by embedding each", positiveInteger, 10),
  ...shared.tableFormat,
  option("-m, --model <model>", "embedded model, folder or hub id; none: compare without embeddings"),
  shared.int8,
  ...shared.run,
] as const;

type JoinOptions = OptionsOf<typeof options>;

export default command({
  name: "join",
  summary: "join two tables on columns that mean the same but are written differently",
  arguments: [
    ["<left>", "the reference table, with few duplicates"],
    ["<right>", "the table whose rows are looked up in it"],
  ],
  options,
  examples: [
    ["pearl join companies.csv messy.csv --on name -o joined.csv", "at a precision of 0.9"],
    ["pearl join a.csv b.csv --on name=title:2 --on city", "two columns, the first counts twice"],
    ["pearl join a.csv b.csv --kind one-to-one --precision 0.95", "each row in one match at most"],
    ["pearl join a.csv b.csv --on name --review-out review.csv", "doubtful pairs for a person to decide"],
    ["pearl join a.csv b.csv --on name --review review.csv --pairs-out pairs.csv", "use the decisions"],
  ],
  run: async ([left, right], options, session) => {
    checkUsage(options);
    const { output = "-", format, reviewOut, pairsOut, explainOut } = options;
    for (const path of [format ? undefined : output, reviewOut, pairsOut]) {
      if (path !== undefined) rowsFormatOfName(path);
    }
    const { joinTables } = await import("../../join/join-tables.js");
    const labels = await readLabels(options);
    const encoder = options.model === "none" ? "none" : await loadEncoder(options, session);
    const report = await joinTables(left, right, output, {
      ...options,
      ...{ labels, encoder, signal: session.signal },
      table: { ...tableOptionsOf(options), onProgress: session.onReading },
      unmatched: options.keepUnmatched ? "keep" : "leave-out",
      explain: options.explain ? "column" : "none",
      ...{ reviewPath: reviewOut, pairsPath: pairsOut, explainPath: explainOut },
      onNote: session.say,
      onProgress: (stage, done, total) => session.show(stage, done, total),
    });
    printReport(report, options, session);
    await session.record(report);
  },
});

function onColumns(text: string, previous: readonly JoinOn[] | undefined): JoinOn[] {
  return [...(previous ?? []), oneColumn(text)];
}

/** Parser of `name`, `name=title`, `name=title:2`. */
function oneColumn(text: string): JoinOn {
  const match = /^([^=]+?)(?:=([^=]+?))?(?::(\d+(?:\.\d+)?))?$/.exec(text);
  const weight = match?.[3] === undefined ? undefined : Number(match[3]);
  if (match === null || weight === 0) {
    throw new InvalidArgumentError(
      "It must be COLUMN or LEFT=RIGHT, with a weight above 0 if needed: name=title:2.",
    );
  }
  return { left: match[1], right: match[2], weight };
}

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

async function readLabels({ labels, review }: JoinOptions): Promise<LabelledPair[]> {
  const { readLabelsFile } = await import("../../join/labels-file.js");
  const known: LabelledPair[] = [];
  for (const path of [labels, review]) if (path !== undefined) known.push(...(await readLabelsFile(path)));
  return known;
}

function printReport(report: JoinTablesReport, options: JoinOptions, { say, wrote }: Session): void {
  const { matches, matchedRows, rightRows, estimatedPrecision, threshold, reviewed, pairs, seconds } = report;
  const estimate = matches === 0 ? "" : `, estimated precision ${estimatedPrecision.toFixed(3)}`;
  const summary =
    `${counted(matches, "match", "matches")} for ${formatCount(matchedRows)} of ${counted(rightRows, "right row")} ` +
    `(${formatPercent(matchedRows / rightRows)})${estimate}, ${formatDuration(seconds)}`;
  wrote(options.output ?? "-", summary);
  if (matches > 0) say(`matched where the estimated precision is at least ${threshold.toFixed(2)}`);
  for (const line of promiseLines(report.promise, "match")) say(line);
  if (!report.promise.isKept)
    say(
      "decide doubtful pairs (--review-out FILE), compare more columns (--on), or give known pairs (--labels FILE)",
    );
  if (report.labelEffect !== undefined) say(effectLine(report.labelEffect));
  if (reviewed !== undefined) say(`wrote ${options.reviewOut}: ${counted(reviewed, "pair")} to decide`);
  if (pairs !== undefined) {
    const negatives = `${formatCount(pairs.withNegative)} with a hard negative`;
    say(`wrote ${options.pairsOut}: ${counted(pairs.pairs, "pair")}, ${negatives}`);
  }
}

/** `3 rows changed by your answers; 2 more matched and 5 fewer, ... (mean estimate 0.81, before 0.84)`. */
function effectLine({ rows, meanEstimate }: NonNullable<JoinTablesReport["labelEffect"]>): string {
  const { decided, gained, lost, replaced } = rows;
  const [before, after] = [meanEstimate.without, meanEstimate.with].map((mean) => mean.toFixed(3));
  const others = `${formatCount(gained)} gained, ${formatCount(lost)} lost and ${formatCount(replaced)} changed theirs`;
  return (
    `the known pairs changed ${counted(decided, "row")} themselves; of the other rows ${others}, because the mean ` +
    `estimate of all pairs moved from ${before} to ${after}`
  );
}
