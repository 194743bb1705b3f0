/** `pearl search`: the rows of an index that are most like a phrase; one query, a file of them, or a conversation. */
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { PhraseEncoder } from "../encoder/index.js";
import { UsageError } from "../errors.js";
import type { DeviceChoice } from "../runtime/device.js";
import type { SearchHit, VectorIndex } from "../search/index.js";
import { formatCount, formatDuration, formatTable } from "./format.js";
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
import { startProgress } from "./progress.js";

interface SearchCommandOptions extends TableReadingOptions, EncoderChoice {
  readonly device: DeviceChoice;
  readonly top: number;
  readonly queries?: string;
  readonly output?: string;
  readonly json?: boolean;
  readonly prompt?: string;
}

export function registerSearch(program: Command): void {
  const command = program
    .command("search")
    .description("find the rows of an index that are most like a phrase")
    .argument("<index>", "an index made by `pearl index build`")
    .argument("[queries...]", "phrases; none: they are asked for on a terminal, or read from standard input")
    .option("-k, --top <n>", "rows per query", positiveInteger, 10)
    .option("--queries <file>", "a table of queries (CSV, TSV, JSONL, Parquet, a phrase a line)")
    .option("-o, --output <file>", "write the hits as .csv, .tsv or .jsonl")
    .option("--json", "print JSON: a line for each query")
    .option("--prompt <text>", "text put before every query (default: the index's)")
    .option("-m, --model <model>", "the index's model, where it has moved");
  addTableOptions(command);
  addDeviceOption(command)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--int8", "compute queries with weights of 8 bits, for an index that was built so");
  addQuietOption(command).action(search);
  addExamples(command, [
    ['pearl search companies.index "NYTimes"', "the ten best rows"],
    ['pearl search companies.index "NYTimes" -k 1 --json', "the best one, for a program"],
    ["pearl search companies.index", "ask again and again"],
    ["pearl search companies.index --queries names.csv -o hits.csv", "a file of queries"],
  ]);
}

async function search(
  path: string,
  queries: readonly string[],
  options: SearchCommandOptions,
): Promise<void> {
  if (queries.length > 0 && options.queries !== undefined) {
    throw new UsageError("give phrases, or a file of them with --queries, not both");
  }
  if (options.output !== undefined) {
    const { checkRowsName } = await import("../table/index.js");
    checkRowsName(options.output);
  }
  const { VectorIndex } = await import("../search/index.js");
  const signal = interruptionSignal();
  const index = await VectorIndex.open(path);
  let encoder: PhraseEncoder | undefined;
  try {
    await warnOfUnfinished(index, options);
    const model = options.model ?? index.layout.model?.name;
    encoder = await loadEncoder({ ...options, model }, signal);
    index.checkModel(await encoder.fingerprint());
    const session = { index, encoder, options, signal };
    if (queries.length === 0 && options.queries === undefined && process.stdin.isTTY) await converse(session);
    else await answer(session, queries.length > 0 ? [queries] : queriesOf(options));
  } finally {
    await index.close();
    await encoder?.dispose();
  }
}

interface Session {
  readonly index: VectorIndex;
  readonly encoder: PhraseEncoder;
  readonly options: SearchCommandOptions;
  readonly signal: AbortSignal;
}

/** A query with its hits. */
type Answered = readonly [query: string, hits: readonly SearchHit[]];

async function warnOfUnfinished(index: VectorIndex, { quiet }: SearchCommandOptions): Promise<void> {
  const { unfinished, rows } = await index.describe();
  if (unfinished === undefined || quiet) return;
  const planned = formatCount(unfinished.rows);
  process.stderr.write(
    `${index.path} is unfinished: ${formatCount(rows)} of ${planned} rows; \`pearl index build --resume\` goes on\n`,
  );
}

/** Phrases of the file, or of standard input, some thousands at a time. */
async function* queriesOf(options: SearchCommandOptions): AsyncGenerator<string[]> {
  const { Table } = await import("../table/index.js");
  const reading = tableOptionsOf(options);
  const fromPipe = options.queries === undefined || options.queries === "-";
  const table = await Table.open(
    options.queries ?? "-",
    fromPipe && reading.format === undefined ? { ...reading, format: "text" } : reading,
  );
  try {
    if (!options.quiet) process.stderr.write(`${table.description.summary}\n`);
    yield* table.phrases({ chunkRows: 2048 });
  } finally {
    await table.close();
  }
}

/** Answers all queries, to a file or to standard output. */
async function answer(
  session: Session,
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): Promise<void> {
  const { index, options } = session;
  const answered = answers(session, batches);
  if (options.output === undefined) {
    let isFirst = true;
    for await (const part of answered) {
      for (const [query, hits] of part) {
        const text = options.json ? asJson(query, hits) : asText(query, hits, index);
        process.stdout.write(`${isFirst || options.json ? "" : "\n"}${text}\n`);
        isFirst = false;
      }
    }
    return;
  }
  const { writeRows } = await import("../table/index.js");
  const started = performance.now();
  let queries = 0;
  const rows = async function* (): AsyncGenerator<string[][]> {
    for await (const part of answered) {
      queries += part.length;
      yield part.flatMap(([query, hits]) => hits.map((hit, rank) => hitCells(query, hit, rank + 1, index)));
    }
  };
  const columns = ["query", "rank", "score", "key", ...index.layout.columns.map((name) => `row_${name}`)];
  const count = await writeRows(options.output, columns, rows());
  const seconds = formatDuration((performance.now() - started) / 1000);
  process.stdout.write(
    `wrote ${options.output}: ${formatCount(count)} hits of ${formatCount(queries)} queries, ${seconds}\n`,
  );
}

async function* answers(
  { index, encoder, options, signal }: Session,
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
): AsyncGenerator<Answered[]> {
  const { searchPhrases } = await import("../search/index.js");
  const progress = await startProgress({ label: "searching", quiet: options.quiet || !options.output });
  let done = 0;
  try {
    for await (const queries of batches) {
      const { top: k, prompt } = options;
      const hits = await searchPhrases(index, encoder, queries, { k, prompt, signal });
      done += queries.length;
      progress.update(done);
      yield queries.map((query, row) => [query, hits[row]] as const);
    }
  } finally {
    progress.finish();
  }
}

/** Asks for phrases until an empty line or the end of input. */
async function converse(session: Session): Promise<void> {
  const { index, signal } = session;
  const { rows } = await index.describe();
  process.stderr.write(`${formatCount(rows)} rows. A phrase and Enter searches; an empty line ends.\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // readline takes Ctrl-C as a key of its own.
  terminal.on("SIGINT", () => terminal.close());
  const prompt = (): void => {
    terminal.setPrompt("> ");
    terminal.prompt();
  };
  prompt();
  for await (const line of terminal) {
    if (line.trim() === "" || signal.aborted) break;
    for await (const [[query, hits]] of answers(session, [[line.trim()]])) {
      process.stdout.write(`${asText(query, hits, index)}\n`);
    }
    prompt();
  }
  terminal.close();
}

function hitCells(query: string, hit: SearchHit, rank: number, { layout }: VectorIndex): string[] {
  const cells = layout.columns.map((name) => hit.cells[name]);
  return [query, String(rank), hit.score.toFixed(4), hit.key, ...cells];
}

function asJson(query: string, hits: readonly SearchHit[]): string {
  const shown = hits.map(({ key, score, cells }) => ({ key, score: Number(score.toFixed(6)), row: cells }));
  return JSON.stringify({ query, hits: shown });
}

const longestCell = 60;

/** Hits under their query: score, key, phrase, and the other columns, each cut where it is long. */
function asText(query: string, hits: readonly SearchHit[], { layout }: VectorIndex): string {
  if (hits.length === 0) return `${query}\n  nothing found`;
  const { phraseColumn, keyColumn, columns } = layout;
  const others = columns.filter((name) => name !== phraseColumn && name !== keyColumn);
  const shown = [...(phraseColumn === undefined ? [] : [phraseColumn]), ...others];
  const heading = ["SCORE", "KEY", ...shown];
  const rows = hits.map(({ score, key, cells }) => [
    score.toFixed(3),
    key,
    ...shown.map((name) => shortened(cells[name])),
  ]);
  const table = formatTable([heading, ...rows], { right: [0] });
  return `${query}\n${table.replace(/^/gm, "  ")}`;
}

function shortened(cell: string): string {
  const line = cell.replaceAll(/\s+/g, " ");
  return line.length > longestCell ? `${line.slice(0, longestCell - 1)}…` : line;
}
