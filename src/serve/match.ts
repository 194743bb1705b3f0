/** The route that matches rows: against an index, or against another posted table, by all columns. */
import { z } from "zod";
import { ArgumentError } from "../errors.js";
import { type NamedRow, nearestRows } from "../join/match-index.js";
import { joinKinds } from "../join/options.js";
import { errorSchema, RequestError, whenGone } from "./errors.js";
import { mostColumns, mostValues, optional, withDefault } from "./fields.js";
import type { Server } from "./server.js";
import type { ServedIndex, Service } from "./service.js";

const evidence = z.object({
  column: z.string(),
  row: z.string().optional(),
  match: z.string().optional(),
  logOdds: z.number(),
});
const match = z.object({
  place: z.int().optional().meta({ description: "the row of `table`, from 0" }),
  key: z.string().optional().meta({ description: "the key of the index's row" }),
  cells: z.record(z.string(), z.string()),
  probability: z.number(),
  why: z.string(),
  evidence: z.array(evidence),
});
const nearest = z.array(z.object({ key: z.string(), similarity: z.number(), cells: match.shape.cells }));
const answer = z.object({
  promise: z.object({ target: z.number(), established: z.boolean(), reason: z.string() }),
  kind: z.string(),
  results: z.array(z.object({ matches: z.array(match), nearest: nearest.optional() })),
});

export function matchRoutes(app: Server, { encoder, indexes, limits, compare }: Service): void {
  const cell = z.union([z.string().max(limits.characters), z.number(), z.boolean(), z.null()]);
  const row = z.record(z.string(), cell).transform(textCells);
  const rows = z.array(row).min(1).max(limits.items);
  const body = z.strictObject({
    rows: z.union([row.transform((one) => [one]), rows], "must be a row, or a list of rows with text cells"),
    table: optional(rows).meta({ description: "the rows to match with; default: an index" }),
    index: optional(z.string()).meta({ description: "the name of an index; default: the only one" }),
    k: withDefault(z.int().min(1).max(200), 20).meta({ description: "candidates per row, of an index" }),
    where: optional(z.string().max(limits.characters)).meta({
      description: "what rows of the index must meet, such as city = 'Ulm'",
    }),
    on: optional(z.array(z.string())).meta({ description: 'columns to compare, as "name" or "INDEX=ROW"' }),
    kind: withDefault(z.enum(joinKinds), "many-to-one"),
    precision: withDefault(z.number().gt(0).max(1), 0.9),
  });
  const schema = {
    summary: "Match rows with an index or a table",
    ...{ body, response: { 200: answer, "4xx": errorSchema } },
  };
  app.post("/match", { schema }, async ({ body: { rows, table, index, k, where, ...settings } }, reply) => {
    if (table !== undefined && index !== undefined)
      throw new RequestError(400, "give table or index, not both", { param: "index" });
    if (table !== undefined && where !== undefined)
      throw new RequestError(400, "give table or where, not both", { param: "where" });
    checkSize(rows, table);
    const served = table === undefined ? namedIndex(indexes, index) : undefined;
    const answered = compare(async (compared, signal) => {
      if (served === undefined) return compared("table", { rows, table: table!, settings });
      const near = { k, where, on: settings.on, ordinary: served.ordinary, signal };
      return compared("index", { near: await nearestRows(served.index, encoder, rows, near), settings });
    }, whenGone(reply));
    return answered.catch((error: unknown) => {
      // Schemas have checked all but the condition and the columns.
      if (!(error instanceof ArgumentError) || error.message.startsWith("where,")) throw error;
      throw new RequestError(400, error.message, { param: "on" });
    });
  });
}

/** @throws RequestError for tables that are too wide, or have too many cells */
function checkSize(...tables: readonly (readonly NamedRow[] | undefined)[]): void {
  let cells = 0;
  for (const rows of tables) {
    const columns = new Set(rows?.flatMap((row) => Object.keys(row))).size;
    if (columns > mostColumns)
      throw new RequestError(
        413,
        `A table of ${columns} columns is too wide: at most ${mostColumns} are compared.`,
      );
    cells += columns * (rows?.length ?? 0);
  }
  if (cells > mostValues) throw new RequestError(413, `${cells} cells are more than ${mostValues}`);
}

export function namedIndex(indexes: Service["indexes"], name?: string): ServedIndex {
  const names = [...indexes.keys()];
  if (names.length === 0)
    throw new RequestError(400, "This server has no index: post a table.", { param: "table" });
  if (name === undefined && names.length > 1)
    throw new RequestError(400, `index is one of ${names.join(", ")}`, { param: "index" });
  const found = indexes.get(name ?? names[0]);
  if (found !== undefined) return found;
  const message = `There is no index ${name}; there is ${names.join(", ")}.`;
  throw new RequestError(404, message, { code: "index_not_found", param: "index" });
}

const textCells = (row: Readonly<Record<string, string | number | boolean | null>>): NamedRow =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === null ? "" : String(cell)]));
