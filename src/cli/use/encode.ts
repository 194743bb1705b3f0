/** `pearl encode`: writes a table with the embeddings of its phrases. */
import type { EncodeTableReport } from "../../encoder/encode-table.js";
import { embeddingFormats, stemOf } from "../../table/format.js";
import { command } from "../command.js";
import { counted, formatBytes, formatCount, formatDuration } from "../format.js";
import { choice, option, resumption, shared } from "../options.js";
import { encoderAfterTable, type Session, tableSettings } from "../session.js";
import { checkShare, partHead, partPath, type ShareOptions, shardOption } from "../shards/sharing.js";

export default command({
  name: "encode",
  summary:
    "encode the phrases of a table (CSV, TSV, JSONL, Parquet, Excel, SQLite, DuckDB, plain text) into embeddings",
  arguments: [["<file>", "the table, such as names.csv or shop.db?table=customers; - reads standard input"]],
  options: [
    option(
      "-o, --output <file>",
      ".parquet, .csv, .tsv, .jsonl or .npy; - is standard output (default: NAME.embeddings.parquet)",
    ),
    choice("--format <name>", "format of the output (default: by its name; csv on standard output)", [
      ...embeddingFormats,
    ]),
    ...shared.tableEncoding,
    shared.batchSize,
    shared.truncate,
    shared.int8,
    option("--prompt <text>", 'text put before each phrase, such as "query: " (default: the model\'s)'),
    option("--prompt-name <name>", "a prompt of the model by its name, such as query"),
    option("--no-normalize", "keep the lengths that the model gives embeddings (default: scale them to 1)"),
    option("--embedding-column <name>", 'name of the new column (default: "embedding")'),
    shardOption,
    option("--resume", "continue an interrupted run"),
    shared.report,
  ],
  examples: [
    ["pearl encode phrases.csv", "write phrases.embeddings.parquet"],
    ["pearl encode companies.tsv -c name -o companies.npy", "choose column and format"],
    ["pearl encode names.txt --model intfloat/e5-small-v2 --int8", "a hub model with 8-bit weights"],
    ["pearl encode big.parquet --shard 2/4 --resume", "continue the second quarter, for pearl merge"],
  ],
  run: async ([file], options, session) => {
    const { encodeTable } = await import("../../encoder/encode-table.js");
    const { shard, resume } = options;
    const { parts } = options as ShareOptions;
    const format = options.format ?? (options.output === "-" ? "csv" : undefined);
    const stem = `${stemOf(file)}.embeddings`;
    const run = { command: "encode", arguments: [file], options, inputs: [file], stem };
    checkShare(run);
    const part = shard && (await partHead({ ...run, options: { ...options, shard } }));
    const output = part ? partPath(run) : (options.output ?? `${stem}.${format ?? "parquet"}`);
    const settings = { ...options, ...tableSettings(options, session), format, part };
    const { mergeEncoded } = await import("../../encoder/encode-table.js");
    const report =
      parts === undefined
        ? await encodeTable(file, output, encoderAfterTable(options, session), {
            ...{ ...settings, resume: resumption(resume) },
          })
        : await mergeEncoded(file, output, parts, settings);
    printReport(report, session);
    await session.record(report);
  },
});

function printReport(report: EncodeTableReport, { say, sayCut, wrote }: Session): void {
  const { rows, dimension, bytes, seconds, resumedRows, empty, truncated, keysPath } = report;
  if (resumedRows > 0) say(`${counted(resumedRows, "row")} already encoded by an earlier run`);
  if (empty > 0) say(`${counted(empty, "empty phrase")} encoded as the zero vector`);
  sayCut(truncated);
  const rate = (rows - resumedRows) / Math.max(seconds, 1e-3);
  say(`${formatDuration(seconds)}, ${formatCount(rate)} phrases/s`);
  const keys = keysPath === undefined ? "" : `, keys in ${keysPath}`;
  const size = `${counted(rows, "row")} × ${dimension} dimensions, ${formatBytes(bytes)}`;
  wrote(report.path, `${size}${keys}`);
}
