/** `pearl search`: finds the rows of an index most similar to a query; queries are arguments, a file, or typed in. */
import { createInterface } from "node:readline/promises";
import { UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import { type IndexLayout, rankings, type SearchHit } from "../../search/index-types.js";
import type { VectorIndex } from "../../search/vector-index.js";
import { type Cell, cellOfStored, jsonLine, numberCell } from "../../table/cell.js";
import { type RowsFormat, rowsFormatOfName } from "../../table/format.js";
import type { WholeTable } from "../../table/whole-table.js";
import { command, type OptionsOf } from "../command.js";
import { counted, formatDuration } from "../format.js";
import { checkFormat, choice, option, positiveInteger, shared } from "../options.js";
import { loadEncoder, type Session, tableSettings } from "../session.js";
import { openIndex, sayState } from "./index-table.js";
import { looksLikeFile, splitAtDashes } from "./phrases-or-table.js";

const options = [
  option("-k, --top <n>", "rows per query", positiveInteger, 10),
  option("--where <condition>", "search only these rows, as in \"city = 'Ulm' and employees >= 50\""),
  choice("--ranking <name>", "what orders the rows found", rankings, "both"),
  option("--queries <file>", "a table of queries (CSV, TSV, JSONL, Parquet, plain text)"),
  shared.phrase,
  option(
    "-o, --output <file>",
    "write the hits: .csv, .tsv, .jsonl, .parquet or .xlsx; - is standard output",
  ),
  shared.format,
  shared.json,
  option("--prompt <text>", "text put before each query (default: the index's)"),
  option("-m, --model <model>", "the index's model, if it has moved"),
  ...shared.table,
  ...shared.run,
  option("--int8", "compute queries with 8-bit weights, for an index built with --int8"),
] as const;

type SearchOptions = OptionsOf<typeof options>;
type HitFormat = "json" | "text";
type Answers = AsyncGenerator<(readonly [query: string, hits: readonly SearchHit[]])[]>;

export default command({
  name: "search",
  summary: "find the rows of an index that are most similar to a phrase",
  arguments: [
    ["<index>", "an index made by `pearl index build`, or postgres://...?table=NAME after `pearl sync`"],
    ["[queries...]", "phrases to find (default: typed in on a terminal, otherwise read from standard input)"],
  ],
  options,
  examples: [
    ['pearl search companies.index "NYTimes"', "the ten best rows"],
    ['pearl search companies.index "NYTimes" -k 1 --json', "the best row, for a program"],
    [`pearl search companies.index "Toyota" --where "city = 'Toyota'"`, "only rows that meet a condition"],
    ["pearl search companies.index", "type one query after the other"],
    ["pearl search companies.index --queries names.csv -o hits.csv", "a file of queries"],
    ['pearl search postgres://me@localhost/shop?table=customers "NYTimes"', "rows of a table in PostgreSQL"],
  ],
  run: async ([path, given], options, session) => {
    checkFormat(options);
    const queries = await queryPhrases(given, options.phrase);
    if (queries.length > 0 && options.queries !== undefined) {
      throw new UsageError("give phrases or --queries FILE, not both");
    }
    if (options.output !== undefined) rowsFormatOfName(options.format ? "-" : options.output);
    const index = await openIndex(path, session);
    await sayState(index, session);
    const model = options.model ?? index.layout.model?.name;
    const encoder = await loadEncoder({ ...options, model }, session);
    index.checkModel(await encoder.fingerprint());
    const { searchPhrases } = await import("../../search/phrase-search.js");
    const { top: k, prompt, output, where, ranking } = options;
    const settings = { k, prompt, where, ranking, signal: session.signal };
    const format = options.json ? "json" : "text";
    const answers = async function* (phrases: readonly string[]): Answers {
      for (let from = 0; from < phrases.length; from += 2048) {
        const batch = phrases.slice(from, from + 2048);
        const hits = await searchPhrases(index, encoder, batch, settings);
        if (output !== undefined) session.show("searching", from + batch.length, phrases.length, "phrases");
        yield batch.map((query, row) => [query, hits[row]] as const);
      }
    };
    const isTyped = queries.length === 0 && options.queries === undefined && process.stdin.isTTY;
    if (isTyped && output === undefined) return converse(index, answers, format, session);
    const asked = queries.length > 0 ? { phrases: queries } : await queriesOf(options, session);
    const answered = answers(asked.phrases);
    if (output === undefined) await printHits(answered, index, format);
    else await writeHits({ path: output, format: options.format }, asked, answered, index, session);
  },
});

async function queryPhrases(given: readonly string[], marked: readonly string[] = []): Promise<string[]> {
  const { before, behind } = splitAtDashes(given);
  for (const text of before) {
    if (!(await looksLikeFile(text))) continue;
    const quoted = JSON.stringify(text);
    throw new UsageError(
      `${text} looks like a file: use --queries ${quoted}, or --phrase ${quoted} to search for it`,
    );
  }
  return [...before, ...behind, ...marked];
}

/** Queries, and the other columns of their table. */
interface Asked {
  readonly phrases: readonly string[];
  readonly description?: WholeTable["description"];
  readonly others?: WholeTable["typed"];
}

async function queriesOf(options: SearchOptions, session: Session): Promise<Asked> {
  const { readWholeTable } = await import("../../table/whole-table.js");
  const file = options.queries ?? "-";
  const { table } = tableSettings(options, session);
  const format = table.format ?? (file === "-" && table.delimiter === undefined ? "text" : undefined);
  const { description, phrases, typed } = await readWholeTable(file, { ...table, format }, session.say);
  const isOther = (_: unknown, column: number) => description.columns[column] !== description.column;
  const cells = (row: number): Cell[] => typed.cells(row).filter(isOther);
  return { phrases, description, others: { columns: typed.columns.filter(isOther), cells } };
}

async function printHits(answered: Answers, index: VectorIndex, format: HitFormat): Promise<void> {
  let separator = "";
  for await (const part of answered)
    for (const [query, hits] of part) {
      const text = format === "json" ? asJson(query, hits, index) : separator + asText(query, hits, index);
      process.stdout.write(`${text}\n`);
      separator = "\n";
    }
}

async function writeHits(
  { path, format }: { readonly path: string; readonly format?: RowsFormat },
  { others, description }: Asked,
  answered: Answers,
  { layout }: VectorIndex,
  session: Session,
): Promise<void> {
  const { writeRows } = await import("../../table/write/text-rows.js");
  let queries = 0;
  const rows = async function* (): AsyncGenerator<Cell[][]> {
    for await (const part of answered) {
      const first = queries;
      queries += part.length;
      yield part.flatMap(([query, hits], place) =>
        hits.map((hit, rank) => [
          ...[query, ...(others?.cells(first + place) ?? [])],
          ...[numberCell(rank + 1), numberCell(hit.score, 4), hit.key, ...cellsOf(hit, layout)],
        ]),
      );
    }
  };
  const columns = [
    ...["query", ...(others?.columns ?? []).map(({ name, type }) => ({ name: `query_${name}`, type }))],
    ...[{ name: "rank", type: "BIGINT" }, { name: "score", type: "DOUBLE" }, "key"],
    ...layout.columns.map((name, column) => ({ name: `row_${name}`, type: typeOf(layout, column) })),
  ];
  const hits = await writeRows(path, columns, rows(), format, description);
  const time = formatDuration(session.seconds());
  const counts = `${counted(hits, "hit")} for ${counted(queries, "query", "queries")}`;
  session.wrote(path, `${counts}, ${time}`, { hits, queries });
}

const typeOf = ({ types }: IndexLayout, column: number): string => types?.[column] ?? "VARCHAR";

const cellsOf = ({ cells }: SearchHit, layout: IndexLayout): Cell[] =>
  layout.columns.map((name, column) => cellOfStored(typeOf(layout, column), cells[name]));

/** Asks for phrases until an empty line or the end of input. */
async function converse(
  index: VectorIndex,
  answers: (phrases: readonly string[]) => Answers,
  format: HitFormat,
  { signal }: Session,
): Promise<void> {
  const { rows } = await index.describe();
  process.stderr.write(`${counted(rows, "row")}. Type a phrase and press Enter; an empty line quits.\n`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // readline reads Ctrl-C as a key, so no signal arrives.
  terminal.on("SIGINT", () => terminal.close());
  terminal.setPrompt("> ");
  terminal.prompt();
  for await (const line of terminal) {
    if (line.trim() === "" || signal.aborted) break;
    await printHits(answers([line.trim()]), index, format);
    terminal.prompt();
  }
  terminal.close();
}

function asJson(query: string, hits: readonly SearchHit[], { layout }: VectorIndex): string {
  const shown = hits.map((hit) => {
    const head = `"key":${JSON.stringify(hit.key)},"score":${Number(hit.score.toFixed(6))}`;
    return `{${head},"row":${jsonLine(layout.columns, cellsOf(hit, layout))}}`;
  });
  return `{"query":${JSON.stringify(query)},"hits":[${shown.join(",")}]}`;
}

/** Hits under their query: score, key, phrase, and the other columns; long cells are cut. */
function asText(query: string, hits: readonly SearchHit[], { layout }: VectorIndex): string {
  if (hits.length === 0) return `${query}\n  nothing found`;
  const { phraseColumn, keyColumn, columns } = layout;
  const others = columns.filter((name) => name !== phraseColumn && name !== keyColumn);
  const shown = [...(phraseColumn === undefined ? [] : [phraseColumn]), ...others];
  const shorten = (cell: string): string => cell.replaceAll(/\s+/g, " ").replace(/^(.{59}).{2,}$/u, "$1…");
  const rows = hits.map(({ score, key, cells }) => [
    ...[score.toFixed(3), key],
    ...shown.map((name) => shorten(cells[name])),
  ]);
  const table = alignColumns([["SCORE", "KEY", ...shown], ...rows], (column) => column === 0);
  return `${query}\n${table.replace(/^/gm, "  ")}`;
}
