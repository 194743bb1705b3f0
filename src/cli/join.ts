/** `pearl join`: the rows of two tables that mean the same, at a promised precision. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../errors.js";
import type { JoinKind, JoinOn, JoinSink, JoinTablesReport, LabelledPair } from "../join/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import type { TableFormat } from "../table/index.js";
import { formatCount, formatDuration } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { loadEncoder } from "./load-encoder.js";
import {
  addDeviceOption,
  addExamples,
  addQuietOption,
  delimiterOf,
  fraction,
  positiveInteger,
  tableOptionsOf,
} from "./options.js";
import { startProgress } from "./progress.js";

interface JoinCommandOptions {
  readonly on?: readonly JoinOn[];
  readonly precision: number;
  readonly kind: JoinKind;
  readonly top?: number;
  readonly block?: JoinOn;
  readonly output?: string;
  readonly keepUnmatched?: boolean;
  readonly explain?: boolean;
  readonly labels?: string;
  readonly review?: string;
  readonly reviewOut?: string;
  readonly pairsOut?: string;
  readonly candidates: number;
  readonly delimiter?: string;
  readonly header?: boolean;
  readonly quotes: boolean;
  readonly inputFormat?: TableFormat;
  readonly model?: string;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly int8?: boolean;
  readonly quiet?: boolean;
}

export function registerJoin(program: Command): void {
  const command = program
    .command("join")
    .description("join two tables on columns that mean the same though they are written differently")
    .argument("<left>", "the reference table, nearly free of duplicates")
    .argument("<right>", "the table whose rows are looked up in it")
    .option("--on <column>", "LEFT=RIGHT or one name for both, with :WEIGHT if wanted; repeatable", onColumns)
    .option("--precision <share>", "the promised share of right matches", fraction, 0.9)
    .addOption(
      new Option("--kind <kind>", "how rows may be joined")
        .choices(["many-to-one", "one-to-one", "many-to-many"])
        .default("many-to-one"),
    )
    .option("--top <k>", "matches per right row at most, 1 to 8, for many-to-many", positiveInteger)
    .option("--block <column>", "rows meet only where this column (LEFT=RIGHT) is equal", oneColumn)
    .option("-o, --output <file>", "write .csv, .tsv or .jsonl (default: CSV on standard output)")
    .option("--keep-unmatched", "write right rows without a match too")
    .option("--explain", "a column that says which words and views decided")
    .option("--labels <file>", "known pairs (left, right, match): they calibrate the estimate")
    .option("--review-out <file>", "write the proposed pairs for review, the doubtful ones first")
    .option("--review <file>", "take the decisions of a reviewed file back")
    .option("--pairs-out <file>", "write the known matches as pairs for `pearl finetune`")
    .option("--candidates <n>", "candidates by words, and by embedding, per row", positiveInteger, 10)
    .option("--delimiter <character>", "what separates columns, or tab, comma, semicolon, pipe", delimiterOf)
    .option("--header", "the first line names the columns (default: found by its looks)")
    .option("--no-header", "the first line is a row")
    .option("--no-quotes", "quotes are ordinary characters and hold no cells together")
    .addOption(
      new Option("--input-format <name>", "format of both inputs").choices([
        "csv",
        "tsv",
        "jsonl",
        "parquet",
        "text",
      ]),
    )
    .option("-m, --model <model>", "embedded model, folder or hub id; none: compare without vectors");
  addDeviceOption(command)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--int8", "compute with weights of 8 bits: faster, nearly the same vectors");
  addQuietOption(command).action(join);
  addExamples(command, [
    ["pearl join companies.csv messy.csv --on name -o joined.csv", "at a precision of 0.9"],
    ["pearl join a.csv b.csv --on name=title:2 --on city", "two columns, the first counts double"],
    ["pearl join a.csv b.csv --kind one-to-one --precision 0.95", "no row twice"],
    ["pearl join a.csv b.csv --on name --review-out review.csv", "doubtful pairs for a person"],
    ["pearl join a.csv b.csv --on name --review review.csv --pairs-out pairs.csv", "and back again"],
  ]);
}

/** Parser of one of several `--on`. */
function onColumns(text: string, previous: readonly JoinOn[] | undefined): JoinOn[] {
  return [...(previous ?? []), oneColumn(text)];
}

/** `name`, `name=title`, `name=title:2`. */
function oneColumn(text: string): JoinOn {
  const match = /^([^=]+?)(?:=([^=]+?))?(?::(\d+(?:\.\d+)?))?$/.exec(text);
  const weight = match?.[3] === undefined ? undefined : Number(match[3]);
  if (match === null || weight === 0) {
    throw new InvalidArgumentError(
      "It must be COLUMN or LEFT=RIGHT, with a weight above 0 as in name=title:2 where wanted.",
    );
  }
  return { left: match[1], right: match[2], weight };
}

async function join(left: string, right: string, options: JoinCommandOptions): Promise<void> {
  checkUsage(options);
  const { checkRowsName } = await import("../table/index.js");
  for (const path of [options.output, options.reviewOut, options.pairsOut]) if (path) checkRowsName(path);
  const { joinTables } = await import("../join/index.js");
  const signal = interruptionSignal();
  const say = (text: string): void => {
    if (!options.quiet) process.stderr.write(`${text}\n`);
  };
  const labels = await readLabels(options);
  const encoder = options.model === "none" ? "none" : await loadEncoder(options, signal);
  const progress = await startProgress({ label: "joining", unit: "items", quiet: options.quiet });
  try {
    const report = await joinTables(left, right, options.output ?? toStandardOutput, {
      ...options,
      labels,
      encoder,
      table: tableOptionsOf(options),
      unmatched: options.keepUnmatched ? "keep" : "leave-out",
      explain: options.explain ? "column" : "none",
      reviewPath: options.reviewOut,
      pairsPath: options.pairsOut,
      signal,
      onNote: say,
      onProgress: (_, done, total) => progress.update(done, total),
    });
    progress.finish();
    tell(report, options, say);
  } finally {
    progress.finish();
    if (encoder !== "none") await encoder.dispose();
  }
}

function checkUsage({ top, kind, pairsOut, labels, review }: JoinCommandOptions): void {
  if (top !== undefined && kind !== "many-to-many") {
    throw new UsageError("--top goes with --kind many-to-many; the other kinds give a row one match");
  }
  if (top !== undefined && top > 8) throw new UsageError("--top can be 8 at most");
  if (pairsOut !== undefined && labels === undefined && review === undefined) {
    throw new UsageError("--pairs-out writes what --labels or --review say is right; give one of them");
  }
}

async function readLabels({ labels, review }: JoinCommandOptions): Promise<LabelledPair[]> {
  const { readLabelsFile } = await import("../join/index.js");
  const known: LabelledPair[] = [];
  for (const path of [labels, review]) if (path !== undefined) known.push(...(await readLabelsFile(path)));
  return known;
}

const toStandardOutput: JoinSink = async (columns, rows) => {
  const { csvLine } = await import("../table/index.js");
  process.stdout.write(`${csvLine(columns)}\n`);
  for (const batch of rows) process.stdout.write(batch.map((cells) => `${csvLine(cells)}\n`).join(""));
};

function tell(report: JoinTablesReport, options: JoinCommandOptions, say: (text: string) => void): void {
  const { matches, matchedRows, rightRows, estimatedPrecision, threshold, reviewed, pairs, seconds } = report;
  const share = ((100 * matchedRows) / rightRows).toFixed(1);
  const estimate = matches === 0 ? "" : `, estimated precision ${estimatedPrecision.toFixed(3)}`;
  const summary =
    `${formatCount(matches)} matches for ${formatCount(matchedRows)} of ${formatCount(rightRows)} right rows ` +
    `(${share} %)${estimate}, ${formatDuration(seconds)}`;
  if (options.output === undefined) say(summary);
  else process.stdout.write(`wrote ${options.output}: ${summary}\n`);
  if (matches > 0) say(`joined from an estimate of ${threshold.toFixed(2)} on`);
  else say(`nothing can be joined at a precision of ${options.precision}; a lower --precision joins more`);
  if (reviewed !== undefined) say(`wrote ${options.reviewOut}: ${formatCount(reviewed)} pairs to decide`);
  if (pairs !== undefined) {
    const { pairs: count, withNegative } = pairs;
    say(
      `wrote ${options.pairsOut}: ${formatCount(count)} pairs, ${formatCount(withNegative)} with a hard negative`,
    );
  }
}
