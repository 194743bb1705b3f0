/** Tools about tables: match the rows of two files, find the duplicates of one, and explain a pair. */
import { extname } from "node:path";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ArgumentError } from "../../errors.js";
import { dedupeTable, openDuplicates } from "../../group/tables/dedupe-table.js";
import { joinTables, openJoin } from "../../join/join-tables.js";
import { joinKinds } from "../../join/options.js";
import type { TableColumns } from "../../match/columns/align.js";
import { rowsOf } from "../../match/columns/fields.js";
import type { PrecisionReport } from "../../match/estimates/promise.js";
import { answer, shortCells, type ToolContext } from "./files.js";

const file = z
  .string()
  .describe("CSV, TSV, JSONL, Parquet, text, or a table such as shop.db?table=customers");
const output = z
  .string()
  .optional()
  .describe("a new .csv, .tsv, .jsonl, .parquet or .xlsx file; without it nothing is written");
const golden = z.string().optional().describe("a new file for one record for each thing; needs output");
const limit = z.int().min(0).max(100).default(10).describe("examples in the answer");
const compared = {
  on: z.array(z.string()).optional().describe('columns to compare, as "name" or "LEFT=RIGHT"; default all'),
  ignore: z.array(z.string()).optional().describe("columns to leave out"),
  precision: z.number().gt(0).max(1).default(0.9).describe("share of the result that must be right"),
};
const kind = z.enum(joinKinds).optional();

export function tableTools(server: McpServer, context: ToolContext): void {
  matchFiles(server, context);
  dedupeFile(server, context);
  explainPair(server, context);
  evaluateFiles(server, context);
}

function matchFiles(server: McpServer, { encoder, files }: ToolContext): void {
  server.registerTool(
    "match_files",
    {
      title: "Match two tables",
      description:
        "Finds rows of `right` that mean the same as rows of `left`, by all columns and without a shared key. " +
        "Rows are counted from 1. If the promise is not established, the matches are likely but not verified.",
      inputSchema: z.strictObject({ left: file, right: file, ...compared, kind, output, limit }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ left, right, output, limit, ...options }, { mcpReq: { signal } }) => {
      const paths = [await files.existing(left), await files.existing(right)] as const;
      const settings = { ...options, encoder, signal };
      if (output !== undefined) {
        const report = await files.create([output], ([target]) => joinTables(...paths, target, settings));
        const { matches, matchedRows, leftRows, rightRows } = report;
        return answer({ wrote: output, matches, matchedRows, leftRows, rightRows, ...sureness(report) });
      }
      const { joined, texts } = await openJoin(...paths, settings);
      const examples = joined.matches.slice(0, limit).map((pair) => ({
        leftRow: pair.left + 1,
        rightRow: pair.right + 1,
        probability: pair.probability,
        left: rowOf(texts.left, pair.left),
        right: rowOf(texts.right, pair.right),
        why: joined.why(pair),
      }));
      const { kind, columns } = joined.findings;
      const names = columns.map(({ name, other }) => (name === other ? name : `${name}=${other}`));
      return answer({
        ...{ wrote: null, matches: joined.matches.length, kind, compared: names },
        ...{ ...sureness(joined.findings), examples },
      });
    },
  );
}

function dedupeFile(server: McpServer, { encoder, files }: ToolContext): void {
  server.registerTool(
    "dedupe_file",
    {
      title: "Find duplicates in a table",
      description:
        "Finds rows of one table that mean the same. With `output`, writes the table without them, and beside it the " +
        "removed rows; if the promise is not established, only equal rows are removed. With `golden`, also writes one " +
        "record for each thing, its cells from all its rows. Rows are counted from 1.",
      inputSchema: z.strictObject({ file, ...compared, output, golden, limit }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async ({ file, output, golden, limit, ...options }, { mcpReq: { signal } }) => {
      const path = await files.existing(file);
      if (golden !== undefined && output === undefined)
        throw new ArgumentError(
          "golden records are written beside the rows that are kept: give output, too.",
        );
      const settings = { ...options, encoder, signal };
      if (output !== undefined) {
        const removed = `${output.slice(0, -extname(output).length || undefined)}.removed${extname(output)}`;
        const written = [output, removed, ...(golden === undefined ? [] : [golden])];
        const report = await files.create(written, ([kept, removed, golden]) =>
          dedupeTable(path, { kept, removed, golden }, settings),
        );
        const counts = { rows: report.rows, kept: report.kept.length, removed: report.removed.length };
        return answer({ wrote: written, ...counts, likely: report.likely, ...sureness(report) });
      }
      const { table, found } = await openDuplicates(path, settings);
      const { groups } = found.report;
      const examples = groups.slice(0, limit).map(({ kept, others }) => ({
        kept: { row: kept + 1, cells: rowOf(table.columns, kept) },
        others: others.slice(0, limit).map((duplicate) => ({
          row: duplicate.row + 1,
          probability: duplicate.probability,
          cells: rowOf(table.columns, duplicate.row),
          why: found.why(duplicate),
        })),
      }));
      const duplicates = groups.reduce((sum, { others }) => sum + others.length, 0);
      return answer({
        ...{ wrote: null, rows: table.phrases.length, groups: groups.length, duplicates },
        ...{ ...sureness(found.report), examples },
      });
    },
  );
}

function explainPair(server: McpServer, { encoder, files }: ToolContext): void {
  const row = z.int().min(1).describe("counted from 1");
  server.registerTool(
    "explain_pair",
    {
      title: "Explain a pair of rows",
      description: "What each column of two tables says about whether a left and a right row mean the same.",
      inputSchema: z.strictObject({
        left: file,
        right: file,
        leftRow: row,
        rightRow: row,
        ...compared,
        kind,
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ left, right, leftRow, rightRow, ...options }, { mcpReq: { signal } }) => {
      const paths = [await files.existing(left), await files.existing(right)] as const;
      const { joined, texts } = await openJoin(...paths, { ...options, encoder, signal });
      const pair = { left: leftRow - 1, right: rightRow - 1 };
      const match = joined.matches.find(({ left, right }) => left === pair.left && right === pair.right);
      return answer({
        matched: match !== undefined,
        ...(match && { probability: match.probability, why: joined.why(match) }),
        left: rowOf(texts.left, pair.left),
        right: rowOf(texts.right, pair.right),
        evidence: joined.explain(pair.left, pair.right),
      });
    },
  );
}

function evaluateFiles(server: McpServer, { files, evaluate }: ToolContext): void {
  server.registerTool(
    "evaluate_files",
    {
      title: "Measure matching against known matches",
      description:
        "Precision, recall and F1, with 95 % intervals, of matching `left` and `right`, or of finding the duplicates of " +
        "`left` alone, against known pairs in `truth` (columns left, right and, if some do not match, decision) or, of one " +
        "table, a column that names the group of each row.",
      inputSchema: z.strictObject({
        ...{ left: file, right: file.optional(), truth: file.optional() },
        truthColumn: z.string().optional(),
        partial: z.boolean().default(false).describe("only judged pairs count; else all others are wrong"),
        ...compared,
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ left, right, truth, truthColumn, partial, ...options }, { mcpReq: { signal } }) => {
      if ((truth === undefined) === (truthColumn === undefined))
        throw new ArgumentError("give what is known: either truth or truthColumn.");
      if (right !== undefined && truth === undefined)
        throw new ArgumentError("truthColumn is about one table: for two, give truth.");
      const paths = [await files.existing(left), right && (await files.existing(right))] as const;
      const truthPath = truth && (await files.existing(truth));
      const known = { truthPath, truthColumn, truth: partial ? "partial" : "complete" } as const;
      return answer(await evaluate(paths, { ...options, ...known, signal }));
    },
  );
}

type Sureness = Omit<PrecisionReport, "promise"> & Partial<Pick<PrecisionReport, "promise">>;

const sureness = ({ estimate, low, high, promise }: Sureness) => ({
  ...{ estimatedPrecision: estimate, low, high, promise },
});

/** @throws ArgumentError where the table has no such row */
function rowOf(columns: TableColumns, row: number): Record<string, string> {
  const rows = rowsOf(columns);
  if (row >= rows) throw new ArgumentError(`there is no row ${row + 1}: the table has ${rows}.`);
  return shortCells(Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[row]])));
}
