/** The route that matches rows: against an index, or against another posted table, by all columns. */
import { z } from "zod";
import { groupBy } from "../by-key.js";
import { ArgumentError } from "../errors.js";
import { columnsOf, matchIndex, type NamedRow } from "../join/match-index.js";
import type { RowMatch } from "../join/match-tables.js";
import { joinKinds } from "../join/options.js";
import { type Joined, joinRows } from "../join/roads.js";
import { errorSchema, RequestError, whenGone } from "./errors.js";
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
type Found = z.infer<typeof match>;

export function matchRoutes(app: Server, { encoder, indexes, limits, compare }: Service): void {
  const cell = z.union([z.string().max(limits.characters), z.number(), z.boolean(), z.null()]);
  const row = z.record(z.string(), cell).transform(textCells);
  const rows = z.array(row).min(1).max(limits.items);
  const body = z.strictObject({
    rows: z.union([row.transform((one) => [one]), rows], "must be a row, or a list of rows with text cells"),
    table: rows.optional().meta({ description: "the rows to match with; default: an index" }),
    index: z.string().optional().meta({ description: "the name of an index; default: the only one" }),
    k: z.int().min(1).max(200).default(20).meta({ description: "candidates per row, of an index" }),
    on: z.array(z.string()).optional().meta({ description: 'columns to compare, as "name" or "INDEX=ROW"' }),
    kind: z.enum(joinKinds).default("many-to-one"),
    precision: z.number().gt(0).max(1).default(0.9),
  });
  const schema = {
    summary: "Match rows with an index or a table",
    ...{ body, response: { 200: answer, "4xx": errorSchema } },
  };
  app.post("/match", { schema }, async ({ body: { rows, table, index, k, ...options } }, reply) => {
    if (table !== undefined && index !== undefined)
      throw new RequestError(400, "give table or index, not both", { param: "index" });
    const served = table === undefined ? namedIndex(indexes, index) : undefined;
    const answered = compare(async (signal) => {
      const settings = { ...options, signal };
      if (served !== undefined) return fromIndex(served, rows, k, settings);
      const tables = [columnsOf(table!), columnsOf(rows)] as const;
      const found = await joinRows(...tables, { ...settings, encoder });
      const byRow = groupBy(found.matches, ({ right }) => right);
      const results = rows.map((_, right) => ({
        matches: (byRow.get(right) ?? []).map((pair) => ({
          place: pair.left,
          ...described(found, table![pair.left], pair),
        })),
      }));
      return { promise: found.findings.promise, kind: found.findings.kind, results };
    }, whenGone(reply));
    return answered.catch((error: unknown) => {
      // Schemas have checked all but the columns.
      throw error instanceof ArgumentError ? new RequestError(400, error.message, { param: "on" }) : error;
    });
  });

  async function fromIndex(
    { index, ordinary }: ServedIndex,
    rows: readonly NamedRow[],
    k: number,
    settings: Parameters<typeof matchIndex>[3],
  ) {
    const found = await matchIndex(index, encoder, rows, { ...settings, k, ordinary });
    const byRow = groupBy(found.matches, ({ right }) => right);
    const results = found.nearest.map((hits, right) => ({
      matches: (byRow.get(right) ?? []).flatMap((pair) => {
        const hit = hits.find(({ place }) => place === pair.left);
        return hit === undefined ? [] : [{ key: hit.key, ...described(found, hit.cells, pair) }];
      }),
      nearest: hits.map(({ key, score, cells }) => ({ key, similarity: score, cells })),
    }));
    return { promise: found.findings.promise, kind: found.findings.kind, results };
  }
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

/** A match with its reasons; the left side of the comparison is what was found. */
function described(found: Joined, cells: NamedRow, pair: RowMatch): Found {
  const { columns } = found.evidence(pair.left, pair.right);
  const evidence = columns.map(({ name, left, right, logOdds }) => {
    return { column: name, row: right, match: left, logOdds };
  });
  return { cells, probability: pair.probability, why: found.why(pair), evidence };
}

const textCells = (row: Readonly<Record<string, string | number | boolean | null>>): NamedRow =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell === null ? "" : String(cell)]));
