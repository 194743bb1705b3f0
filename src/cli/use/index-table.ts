/** `pearl index`: builds an index of a table's phrases, adds to it, deletes from it, and describes it. */
import { UsageError } from "../../errors.js";
import type { IndexDescription } from "../../search/index-types.js";
import type { IndexTableReport } from "../../search/phrase-index.js";
import type { VectorIndex } from "../../search/vector-index.js";
import { type AnyCommand, command } from "../command.js";
import { counted, formatBytes, formatCount, formatDuration } from "../format.js";
import { choice, option, required, resumption, shared } from "../options.js";
import { encoderAfterTable, loadEncoder, type Session, sourceOf, tableSettings } from "../session.js";

const workOptions = [
  shared.report,
  ...shared.table,
  ...shared.run,
  shared.batchSize,
  option("--int8", "compute with 8-bit weights; searches must use --int8 too"),
] as const;

const build = command({
  name: "build",
  summary: "build an index of a table's phrases that keeps all the table's columns",
  arguments: [["<file>", "the table; - reads standard input"]],
  options: [
    required("-o, --output <index>", "folder of the index, s3://bucket/key, or postgres://...?table=NAME"),
    option("--key <column>", "column of unique keys (default: row numbers from 1)"),
    choice(
      "--backend <name>",
      "search method; auto takes exact below 50,000 rows, else hnsw",
      ["auto", "exact", "hnsw", "postgres"],
      "auto",
    ),
    choice("--storage <type>", "number format of stored embeddings", ["float32", "float16"], "float32"),
    option("--prompt <text>", 'text put before each phrase and query, such as "query: "'),
    shared.truncate,
    option("--resume", "continue an interrupted build of the same table"),
    shared.model,
    ...workOptions,
  ],
  examples: [
    ["pearl index build companies.csv -o companies.index", "row numbers as keys, the embedded model"],
    ["pearl index build names.parquet -o names.index -c name --key id", "keys from a column"],
    ["pearl index build names.parquet -o names.index --resume", "after an interruption"],
    ["pearl index build names.csv -o s3://bucket/names", "in object storage, for searches everywhere"],
    ["pearl index build names.csv -o postgres://me@localhost/shop?table=names", "a table in PostgreSQL"],
  ],
  run: async ([file], options, session) => {
    const { indexTable } = await import("../../search/phrase-index.js");
    const { output, key, backend, storage, prompt, truncateDim, resume } = options;
    const report = await indexTable(file, output, encoderAfterTable(options, session), {
      ...{ ...tableSettings(options, session), batchSize: options.batchSize, onProgress: session.show },
      ...{ keyColumn: key, backend, precision: storage, prompt, truncateDim },
      modelName: sourceOf(options).source,
      resume: resumption(resume),
    });
    printReport(report, session);
    await session.record(report);
  },
});

const add = command({
  name: "add",
  summary: "add a table's rows to an index",
  arguments: [
    ["<index>", "the index"],
    ["<file>", "the table; - reads standard input"],
  ],
  options: [
    option("--replace", "replace rows whose key is already in the index"),
    option("-m, --model <model>", "the index's model, if it has moved"),
    ...workOptions,
  ],
  examples: [
    ["pearl index add companies.index more.csv", "columns are matched by name"],
    ["pearl index add companies.index changed.csv --replace", "new versions of rows with the same key"],
  ],
  run: async ([path, file], options, session) => {
    const { addTable } = await import("../../search/phrase-index.js");
    const index = await openIndex(path, session);
    const model = options.model ?? index.layout.model?.name;
    const report = await addTable(index, file, encoderAfterTable({ ...options, model }, session), {
      ...{ ...tableSettings(options, session), batchSize: options.batchSize, onProgress: session.show },
      existing: options.replace ? "replace" : "refuse",
    });
    printReport(report, session);
    await session.record(report);
  },
});

const remove = command({
  name: "delete",
  summary: "delete rows by key or by phrase",
  arguments: [["<index>", "the index"]],
  options: [
    option("--keys <keys...>", "keys, as `pearl search` prints them"),
    option("--phrases <phrases...>", "phrases, exactly as they are in the index"),
    shared.json,
  ],
  examples: [
    ["pearl index delete companies.index --keys 17 23", "two rows"],
    ['pearl index delete companies.index --phrases "Toyota Motor"', "every row with this phrase"],
  ],
  run: async ([path], { keys, phrases, json }, session) => {
    if ((keys === undefined) === (phrases === undefined)) {
      throw new UsageError('give the rows to delete: either --keys 17 23 or --phrases "Toyota Motor"');
    }
    const index = await openIndex(path, session);
    const count = await index.delete(keys === undefined ? { phrases: phrases ?? [] } : { keys });
    await index.optimise({ signal: session.signal });
    const { rows } = await index.describe();
    if (json) session.printJson({ path, deleted: count, rows });
    else session.print(`${path}: ${counted(count, "row")} deleted, ${formatCount(rows)} left`);
  },
});

const rebuild = command({
  name: "rebuild",
  summary: "encode all rows of an index again, by another model; keys and columns stay",
  arguments: [["<index>", "the index"]],
  options: [
    required("-m, --model <model>", "embedded model, folder or hub id"),
    option("--prompt <text>", 'text put before each phrase and query, such as "query: "'),
    shared.truncate,
    shared.report,
    ...shared.run,
    shared.batchSize,
    shared.int8,
  ],
  examples: [
    ["pearl index rebuild companies.index --model pearl-small", "searches use the new model from then on"],
  ],
  run: async ([path], options, session) => {
    const { rebuildIndex } = await import("../../search/phrase-index.js");
    const index = await openIndex(path, session);
    await index.lock();
    const { model: before } = index.layout;
    const { prompt, truncateDim, batchSize } = options;
    const report = await rebuildIndex(index, await loadEncoder(options, session), {
      ...{ prompt, truncateDim, batchSize, modelName: sourceOf(options).source },
      ...{ signal: session.signal, onNote: session.say, onProgress: session.show },
    });
    sayRows(report, session);
    const { rows, dimension, searchedBy } = report;
    const model = `${before?.name ?? "another model"} → ${options.model}`;
    session.print(
      `${path}: ${counted(rows, "row")} encoded again, ${model} × ${dimension} dimensions; ${searchedBy}`,
    );
    await session.record(report);
  },
});

const info = command({
  name: "info",
  summary: "describe an index",
  arguments: [["<index>", "the index"]],
  options: [shared.json],
  examples: [["pearl index info companies.index", "rows, model, columns, size"]],
  run: async ([path], { json }, session) => {
    const index = await openIndex(path, session);
    const description = await index.describe();
    if (json) session.printJson(description);
    else session.print(describe(description));
  },
});

const check = command({
  name: "check",
  summary: "compare every file of an index with its checksum",
  arguments: [["<index>", "the index"]],
  options: [option("--repair", "first build the graph again, from the stored rows"), shared.json],
  examples: [
    ["pearl index check companies.index", "is everything as it was written?"],
    ["pearl index check companies.index --repair", "after damage to the graph"],
  ],
  run: async ([path], { repair, json }, session) => {
    const { VectorIndex } = await import("../../search/vector-index.js");
    const onProgress = (done: number, all: number) => session.show("building the graph", done, all);
    if (repair) await VectorIndex.rebuildGraph(path, { signal: session.signal, onProgress });
    const index = await openIndex(path, session);
    await index.verify();
    if (json) session.printJson({ path });
    else session.print(`${path}: every row is as it was written`);
  },
});

export default {
  name: "index",
  summary: "build an index of a table's phrases to search, add rows, delete rows, change its model",
  commands: [build, add, remove, rebuild, info, check],
  examples: [
    ["pearl index build companies.csv -o companies.index", "then: pearl search companies.index NYTimes"],
    ["pearl index add companies.index more.csv", "added rows are on disk at once"],
    ["pearl index info companies.index", "what it contains"],
    ["pearl index rebuild companies.index --model pearl-small", "another model"],
  ],
} satisfies AnyCommand;

/** Opens an index that is closed when the command ends. */
export async function openIndex(path: string, session: Session): Promise<VectorIndex> {
  const { VectorIndex } = await import("../../search/vector-index.js");
  const index = await VectorIndex.open(path, session.onDownload);
  session.atEnd(() => index.close());
  return index;
}

/** Says what a user of the index should know: that searches are slow, or that rows are missing. */
export async function sayState(index: VectorIndex, { say }: Session): Promise<void> {
  const { path, unfinished, rows, note } = await index.describe();
  if (note !== undefined) say(note);
  if (unfinished === undefined) return;
  const state = `${formatCount(rows)} of ${counted(unfinished.rows, "row")}`;
  say(`${path} is unfinished: ${state}. Continue with \`pearl index build --resume\`.`);
}

/** Says which rows of an index are not searched as they are, and how long it took. */
export function sayRows(
  { empty, truncated, seconds }: Pick<IndexTableReport, "empty" | "truncated" | "seconds">,
  { say, sayCut }: Session,
): void {
  if (empty > 0) say(`${counted(empty, "row")} without a phrase: kept, but no search finds them`);
  sayCut(truncated);
  say(formatDuration(seconds));
}

function printReport(report: IndexTableReport, session: Session): void {
  const { path, added, rows, dimension, resumedRows, searchedBy } = report;
  if (resumedRows > 0) session.say(`${counted(resumedRows, "row")} already added by an earlier run`);
  sayRows(report, session);
  const total = `${formatCount(rows)} in all × ${dimension} dimensions`;
  session.print(`${path}: ${counted(added, "row")} added, ${total}; ${searchedBy}`);
}

function describe(index: IndexDescription): string {
  const { model, unfinished } = index;
  const deleted =
    index.deleted > 0 ? `, and ${formatCount(index.deleted)} deleted ones that still use space` : "";
  const lines: [string, string][] = [
    ["rows", `${formatCount(index.rows)}${deleted}`],
    ["vectors", `${index.dimension} dimensions, ${index.metric}, ${index.precision}`],
    ["search", `${index.searchedBy} (backend ${index.backend})`],
    ["model", model === undefined ? "unknown" : `${model.name ?? "?"}, fingerprint ${model.fingerprint}`],
    ["columns", index.columns.join(", ") || "none"],
    ["phrases", index.phraseColumn ?? "none"],
    ["keys", index.keyColumn ?? "row numbers"],
  ];
  if (model?.prompt) lines.push(["prompt", JSON.stringify(model.prompt)]);
  if (index.bytes > 0) lines.push(["size", formatBytes(index.bytes)]);
  if (unfinished !== undefined) {
    const planned = `${counted(unfinished.rows, "row")} planned`;
    lines.push(["state", `unfinished, ${planned}; continue with \`pearl index build --resume\``]);
  }
  return lines.map(([name, value]) => `${name.padEnd(8)} ${value}`).join("\n");
}
