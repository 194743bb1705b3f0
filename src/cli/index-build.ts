/** `pearl index`: builds an index of a table's phrases, adds to it, deletes from it, and says what is in it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { PhraseEncoder } from "../encoder/index.js";
import { UsageError } from "../errors.js";
import type { DeviceChoice } from "../runtime/device.js";
import type { IndexTableReport } from "../search/index.js";
import type { IndexBackend, IndexDescription, VectorPrecision } from "../search/index-types.js";
import type { TableDescription } from "../table/index.js";
import { formatBytes, formatCount, formatDuration } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { type EncoderChoice, loadEncoder } from "./load-encoder.js";
import {
  addDeviceOption,
  addExamples,
  addQuietOption,
  addTableOptions,
  positiveInteger,
  type TableReadingOptions,
  tableOptionsOf,
} from "./options.js";
import { stageDisplay } from "./progress.js";

interface WorkOptions extends TableReadingOptions, EncoderChoice {
  readonly device: DeviceChoice;
  readonly batchSize?: number;
}

interface BuildOptions extends WorkOptions {
  readonly output: string;
  readonly key?: string;
  readonly backend: IndexBackend;
  readonly storage: VectorPrecision;
  readonly prompt?: string;
  readonly truncateDim?: number;
  readonly resume?: boolean;
}

interface AddOptions extends WorkOptions {
  readonly replace?: boolean;
}

interface DeleteOptions {
  readonly keys?: readonly string[];
  readonly phrases?: readonly string[];
}

export function registerIndex(program: Command): void {
  const index = program
    .command("index")
    .description("build an index of a table's phrases to search in, add rows, delete rows");
  addExamples(index, [
    ["pearl index build companies.csv -o companies.index", "then: pearl search companies.index NYTimes"],
    ["pearl index add companies.index more.csv", "rows are safe on disk as they are added"],
    ["pearl index info companies.index", "what is in it"],
  ]);
  registerBuild(index);
  registerAdd(index);
  const remove = index
    .command("delete")
    .description("delete rows by key or by phrase")
    .argument("<index>", "the index")
    .option("--keys <keys...>", "keys, as `pearl search` shows them")
    .option("--phrases <phrases...>", "phrases, exactly as they stand in the index")
    .action(deleteRows);
  addExamples(remove, [
    ["pearl index delete companies.index --keys 17 23", "two rows"],
    ['pearl index delete companies.index --phrases "Toyota Motor"', "every row with this phrase"],
  ]);
  const info = index
    .command("info")
    .description("say what is in an index")
    .argument("<index>", "the index")
    .option("--json", "print JSON")
    .option("--check", "also compare every stored row with its checksum")
    .action(tellAbout);
  addExamples(info, [
    ["pearl index info companies.index", "rows, model, columns, size"],
    ["pearl index info companies.index --check", "whether all of it is as it was written"],
  ]);
}

function registerBuild(index: Command): void {
  const backends = ["auto", "exact", "hnsw", "faiss", "lancedb"];
  const build = index
    .command("build")
    .description("build an index of a table's phrases, with all the table's columns")
    .argument("<file>", "the table; - reads standard input")
    .requiredOption("-o, --output <index>", "folder of the index, or a LanceDB URI (s3://..., db://...)")
    .option("--key <column>", "column of keys, each of them once (default: rows are numbered from 1)")
    .addOption(
      new Option("--backend <name>", "what finds neighbours; auto: exact below 50,000 rows, hnsw from there")
        .choices(backends)
        .default("auto"),
    )
    .addOption(
      new Option("--storage <type>", "how vectors are kept")
        .choices(["float32", "float16"])
        .default("float32"),
    )
    .option("--prompt <text>", 'text put before every phrase and query, such as "query: "')
    .option("--truncate-dim <n>", "keep only the first n coordinates", positiveInteger)
    .option("--resume", "go on with an interrupted build of the same table");
  addWorkOptions(build, "embedded model, folder or hub id (default: the embedded model)").action(buildIndex);
  addExamples(build, [
    ["pearl index build companies.csv -o companies.index", "numbered rows, the embedded model"],
    ["pearl index build names.parquet -o names.index -c name --key id", "with keys of the table's own"],
    ["pearl index build names.parquet -o names.index --resume", "after an interruption"],
    ["pearl index build names.csv -o s3://bucket/names", "in LanceDB (pearl doctor says how to get it)"],
  ]);
}

function registerAdd(index: Command): void {
  const add = index
    .command("add")
    .description("add a table's rows to an index")
    .argument("<index>", "the index")
    .argument("<file>", "the table; - reads standard input")
    .option("--replace", "rows whose key is in the index take the old ones' place");
  addWorkOptions(add, "the index's model, where it has moved").action(addRows);
  addExamples(add, [
    ["pearl index add companies.index more.csv", "columns are found by name"],
    ["pearl index add companies.index changed.csv --replace", "new versions of rows with the same key"],
  ]);
}

function addWorkOptions(command: Command, modelHelp: string): Command {
  addTableOptions(command).option("-m, --model <model>", modelHelp);
  addDeviceOption(command)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--batch-size <n>", "phrases in one run of the model at most", positiveInteger)
    .option("--int8", "compute with weights of 8 bits; queries must do the same");
  return addQuietOption(command);
}

async function buildIndex(file: string, options: BuildOptions): Promise<void> {
  const { indexTable } = await import("../search/index.js");
  const { output, key, backend, storage, prompt, truncateDim } = options;
  const report = await withEncoder(options, (work) =>
    indexTable(file, output, work.start, {
      ...work.settings,
      keyColumn: key,
      backend,
      precision: storage,
      prompt,
      truncateDim,
      modelName: modelNameOf(options),
      resume: options.resume ? "continue" : "start-over",
    }),
  );
  tell(report, options);
}

async function addRows(path: string, file: string, options: AddOptions): Promise<void> {
  const { addTable, VectorIndex } = await import("../search/index.js");
  const index = await VectorIndex.open(path);
  try {
    const model = options.model ?? index.layout.model?.name;
    const report = await withEncoder({ ...options, model }, (work) =>
      addTable(index, file, work.start, {
        ...work.settings,
        existing: options.replace ? "replace" : "refuse",
      }),
    );
    tell(report, options);
  } finally {
    await index.close();
  }
}

/** A folder is remembered by its whole path, so that the index finds it from anywhere. */
function modelNameOf({ model }: EncoderChoice): string | undefined {
  return model !== undefined && existsSync(model) ? resolve(model) : model;
}

/** Settings for the library, a way to load the encoder once the table is known to be sound, and an end to both. */
async function withEncoder<Result>(
  options: WorkOptions,
  run: (work: {
    start: (table: TableDescription) => Promise<PhraseEncoder>;
    settings: ReturnType<typeof settingsOf>;
  }) => Promise<Result>,
): Promise<Result> {
  const signal = interruptionSignal();
  const display = stageDisplay({ quiet: options.quiet });
  let encoder: PhraseEncoder | undefined;
  const start = async ({ summary }: TableDescription): Promise<PhraseEncoder> => {
    display.say(summary);
    encoder = await loadEncoder(options, signal);
    display.say(`model: ${encoder.model.name}, ${encoder.dimension} dimensions, on ${encoder.device}`);
    return encoder;
  };
  try {
    return await run({ start, settings: settingsOf(options, signal, display) });
  } finally {
    await display.finish();
    await encoder?.dispose();
  }
}

function settingsOf(options: WorkOptions, signal: AbortSignal, display: ReturnType<typeof stageDisplay>) {
  return {
    table: tableOptionsOf(options),
    batchSize: options.batchSize,
    signal,
    onNote: display.say,
    onProgress: display.show,
  };
}

function tell(report: IndexTableReport, { quiet }: { readonly quiet?: boolean }): void {
  const { path, added, rows, dimension, resumedRows, empty, truncated, searchedBy, seconds } = report;
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  if (resumedRows > 0) say(`${formatCount(resumedRows)} rows were in from an earlier run`);
  if (empty > 0) say(`${formatCount(empty)} rows have no phrase: they are kept, and no search finds them`);
  if (truncated > 0) say(`${formatCount(truncated)} phrases are longer than the model reads, and were cut`);
  say(`${formatDuration(seconds)}`);
  process.stdout.write(
    `${path}: ${formatCount(added)} rows added, ${formatCount(rows)} in all × ${dimension} dimensions; ${searchedBy}\n`,
  );
}

async function deleteRows(path: string, { keys, phrases }: DeleteOptions): Promise<void> {
  if ((keys === undefined) === (phrases === undefined)) {
    throw new UsageError('say which rows to delete: --keys 17 23, or --phrases "Toyota Motor"');
  }
  const { VectorIndex } = await import("../search/index.js");
  const index = await VectorIndex.open(path);
  try {
    const count = await index.delete(keys === undefined ? { phrases: phrases ?? [] } : { keys });
    await index.optimise({ signal: interruptionSignal() });
    const { rows } = await index.describe();
    process.stdout.write(`${path}: ${formatCount(count)} rows deleted, ${formatCount(rows)} left\n`);
  } finally {
    await index.close();
  }
}

async function tellAbout(path: string, { json, check }: { json?: boolean; check?: boolean }): Promise<void> {
  const { VectorIndex } = await import("../search/index.js");
  const index = await VectorIndex.open(path);
  try {
    const description = await index.describe();
    if (check) await index.verify();
    const text = json ? JSON.stringify(description, null, 2) : describe(description, check ?? false);
    process.stdout.write(`${text}\n`);
  } finally {
    await index.close();
  }
}

function describe(index: IndexDescription, isChecked: boolean): string {
  const { model, unfinished } = index;
  const gone = index.deleted > 0 ? `, ${formatCount(index.deleted)} deleted ones still take space` : "";
  const lines: [string, string][] = [
    ["rows", `${formatCount(index.rows)}${gone}`],
    ["vectors", `${index.dimension} dimensions, ${index.metric}, ${index.precision}`],
    ["search", `${index.searchedBy} (backend ${index.backend})`],
    ["model", model === undefined ? "unknown" : `${model.name ?? "?"}, fingerprint ${model.fingerprint}`],
    ["columns", index.columns.join(", ") || "none"],
    ["phrases", index.phraseColumn ?? "none"],
    ["keys", index.keyColumn ?? "running numbers"],
  ];
  if (model?.prompt) lines.push(["prompt", JSON.stringify(model.prompt)]);
  if (index.bytes > 0) lines.push(["size", formatBytes(index.bytes)]);
  if (unfinished !== undefined) {
    lines.push(["state", `unfinished: ${formatCount(unfinished.rows)} rows were planned; --resume goes on`]);
  }
  if (isChecked) lines.push(["check", "every row is as it was written"]);
  return lines.map(([name, value]) => `${name.padEnd(8)} ${value}`).join("\n");
}
