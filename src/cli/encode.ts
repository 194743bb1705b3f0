/** `pearl encode`: a table of phrases in, the same table with vectors out. */
import { basename, extname } from "node:path";
import { type Command, Option } from "commander";
import type { EncodeTableReport } from "../encoder/encode-table.js";
import type { PhraseEncoder } from "../encoder/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import type { EmbeddingFormat, TableDescription } from "../table/index.js";
import { formatBytes, formatCount, formatDuration } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { loadEncoder } from "./load-encoder.js";
import {
  addDeviceOption,
  addExamples,
  addQuietOption,
  addTableOptions,
  positiveInteger,
  type Shard,
  shardOf,
  type TableReadingOptions,
  tableOptionsOf,
} from "./options.js";
import { type Progress, startProgress } from "./progress.js";

interface EncodeCommandOptions extends TableReadingOptions {
  readonly output?: string;
  readonly format?: EmbeddingFormat;
  readonly model?: string;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly batchSize?: number;
  readonly truncateDim?: number;
  readonly int8?: boolean;
  readonly prompt?: string;
  readonly normalize: boolean;
  readonly embeddingColumn?: string;
  readonly shard?: Shard;
  readonly resume?: boolean;
  readonly quiet?: boolean;
}

export function registerEncode(program: Command): void {
  const command = program
    .command("encode")
    .description("encode the phrases of a table (CSV, TSV, JSONL, Parquet, plain text) into vectors")
    .argument("<file>", "the table; - reads standard input")
    .option(
      "-o, --output <file>",
      "where to write: .parquet, .csv, .jsonl or .npy (default: NAME.embeddings.parquet)",
    )
    .addOption(
      new Option("--format <name>", "format of the output").choices(["parquet", "csv", "jsonl", "npy"]),
    );
  addTableOptions(command).option(
    "-m, --model <model>",
    "embedded model, folder or hub id (default: the embedded model)",
  );
  addDeviceOption(command)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--batch-size <n>", "phrases in one run of the model at most", positiveInteger)
    .option("--truncate-dim <n>", "keep only the first n coordinates", positiveInteger)
    .option("--int8", "compute with weights of 8 bits: faster, nearly the same vectors")
    .option("--prompt <text>", 'text put before every phrase, such as "query: "')
    .option("--no-normalize", "leave the vectors' lengths as the model gives them")
    .option("--embedding-column <name>", 'name of the new column (default: "embedding")')
    .option("--shard <i/n>", "encode only the i-th of n parts of the table", shardOf)
    .option("--resume", "go on from the finished part of an interrupted run");
  addQuietOption(command).action(encode);
  addExamples(command, [
    ["pearl encode phrases.csv", "into phrases.embeddings.parquet"],
    ["pearl encode companies.tsv -c name -o companies.npy", "choose column and format"],
    ["pearl encode names.txt --model intfloat/e5-small-v2 --int8", "a hub model, computed in int8"],
    ["pearl encode big.parquet --shard 2/4 --resume", "a quarter of a table, continued"],
  ]);
}

async function encode(file: string, options: EncodeCommandOptions): Promise<void> {
  const { encodeTable } = await import("../encoder/encode-table.js");
  const signal = interruptionSignal();
  const say = (text: string): void => {
    if (!options.quiet) process.stderr.write(`${text}\n`);
  };
  let encoder: PhraseEncoder | undefined;
  let progress: Progress | undefined;
  const start = async ({ summary }: TableDescription): Promise<PhraseEncoder> => {
    say(summary);
    encoder = await loadEncoder(options, signal);
    say(`model: ${encoder.model.name}, ${encoder.dimension} dimensions, on ${encoder.device}`);
    for (const note of options.device === "auto" ? encoder.notes : []) say(`  not ${note}`);
    progress = await startProgress({ label: "encoding", quiet: options.quiet });
    return encoder;
  };
  try {
    const report = await encodeTable(file, options.output ?? defaultOutput(file, options), start, {
      ...options,
      table: tableOptionsOf(options),
      resume: options.resume ? "continue" : "start-over",
      signal,
      onNote: say,
      onProgress: (finished, total) => progress?.update(finished, total),
    });
    progress?.finish();
    tell(report, encoder?.model.name ?? "", say);
  } finally {
    progress?.finish();
    await encoder?.dispose();
  }
}

/** NAME.embeddings.parquet in the current folder, with the shard's number where there is one. */
function defaultOutput(file: string, { shard, format = "parquet" }: EncodeCommandOptions): string {
  const plain = basename(file === "-" ? "stdin" : file).replace(/\.gz$/, "");
  const stem = plain.slice(0, plain.length - extname(plain).length) || plain;
  const part = shard === undefined ? "" : `.${shard.index}-of-${shard.count}`;
  return `${stem}.embeddings${part}.${format}`;
}

const were = (count: number): string => (count === 1 ? "was" : "were");

function phraseCount(count: number): string {
  return `${formatCount(count)} phrase${count === 1 ? "" : "s"} ${were(count)}`;
}

function tell(report: EncodeTableReport, model: string, say: (text: string) => void): void {
  const { rows, dimension, bytes, seconds, resumedRows, empty, truncated, keysPath } = report;
  if (resumedRows > 0) say(`${formatCount(resumedRows)} rows were finished by an earlier run`);
  if (empty > 0) say(`${phraseCount(empty)} empty and got the zero vector`);
  if (truncated > 0) say(`${phraseCount(truncated)} longer than the model reads and ${were(truncated)} cut`);
  const rate = Math.round((rows - resumedRows) / Math.max(seconds, 1e-3));
  say(`${model}: ${formatDuration(seconds)}, ${formatCount(rate)} phrases/s`);
  const keys = keysPath === undefined ? "" : `, keys in ${keysPath}`;
  process.stdout.write(
    `wrote ${report.path}: ${formatCount(rows)} rows × ${dimension} dimensions, ${formatBytes(bytes)}${keys}\n`,
  );
}
