/** Queries of the Reconciliation Service API, versions 0.2 and 1.0-draft, as text to look for in columns. */
import { z } from "zod";
import { beyondBounds, type JsonBounds, optional } from "../fields.js";

/** What a query asks for. */
export interface Query {
  /** The name to look for; absent where only cells are given. */
  readonly name?: string;
  /** The key of a row. */
  readonly id?: string;
  /** Cells by column. */
  readonly cells: Readonly<Record<string, string>>;
  readonly limit: number;
}

const usualLimit = 10;
/** Candidates of a query, however many are asked for. */
export const mostCandidates = 200;

const entity = z.object({ id: z.string(), name: optional(z.string()) });
const value = z.union([z.string(), z.number(), z.boolean(), entity]);
const values = z.union([value, z.array(value)]);
type Values = z.infer<typeof values>;

/** The first of several values: a cell holds one. An entity that was reconciled before is its name, or its id. */
function textOf(given: Values, kind: "name" | "id" = "name"): string {
  const first = Array.isArray(given) ? given[0] : given;
  return typeof first === "object" ? (first[kind] ?? first.id) : String(first ?? "");
}

const limit = optional(z.number());
const limitOf = (asked: number | undefined): number =>
  Math.max(1, Math.min(mostCandidates, Math.floor(asked ?? usualLimit)));

const earlierQuery = z
  .strictObject({
    query: optional(z.string()),
    type: optional(z.union([z.string(), z.array(z.string())])),
    limit,
    properties: optional(z.array(z.object({ pid: z.string(), v: values }))),
    type_strict: optional(z.enum(["any", "should", "all"])),
  })
  .refine(
    ({ query, properties = [] }) => query !== undefined || properties.length > 0,
    "a query needs `query` or `properties`",
  );

/** Version 0.2: an object of queries by name, as a map: a schema of records leaves out the name "__proto__". */
export const earlierBatch = z.preprocess(
  (queries) =>
    z.looseObject({}).safeParse(queries).success ? new Map(Object.entries(queries as object)) : queries,
  z.map(z.string(), earlierQuery, "must be an object of queries by name"),
);

export function earlierQueryOf({ query, limit, properties = [] }: z.infer<typeof earlierQuery>): Query {
  const cells = Object.fromEntries(properties.map(({ pid, v }) => [pid, textOf(v)]));
  return { name: query, cells, limit: limitOf(limit) };
}

const condition = z
  .object({
    matchType: z.enum(["name", "id", "property"]),
    propertyId: optional(z.string()),
    propertyValue: values,
    required: optional(z.boolean()),
    matchQuantifier: optional(z.enum(["any", "all", "none"])),
    matchQualifier: optional(z.string()),
  })
  .refine(
    ({ matchType, propertyId }) => matchType !== "property" || propertyId !== undefined,
    "a condition on a property needs propertyId",
  );
const draftQuery = z.strictObject({
  type: optional(z.string()),
  limit,
  lang: optional(z.string()),
  dir: optional(z.enum(["ltr", "rtl", "auto"])),
  conditions: z.array(condition).min(1),
});

/** Version 1.0-draft: a list of queries. */
export const draftBatch = (most: number) => z.object({ queries: z.array(draftQuery).max(most) });

export function draftQueryOf({ limit, conditions }: z.infer<typeof draftQuery>): Query {
  const first = (kind: "name" | "id"): string | undefined => {
    const found = conditions.find(({ matchType }) => matchType === kind);
    return found && textOf(found.propertyValue, kind);
  };
  const properties = conditions.filter(({ matchType }) => matchType === "property");
  const cells = Object.fromEntries(
    properties.map(({ propertyId = "", propertyValue }) => [propertyId, textOf(propertyValue)]),
  );
  return { name: first("name"), id: first("id"), cells, limit: limitOf(limit) };
}

export const extension = z.object({
  ids: z.array(z.string()),
  properties: z.array(z.object({ id: z.string(), settings: optional(z.looseObject({})) })),
});

/** JSON in a form or a query string. */
export const jsonText = <Schema extends z.ZodType>(schema: Schema, bounds: JsonBounds) =>
  z
    .string()
    .transform((text, context): unknown => {
      const trouble = beyondBounds(text, bounds);
      if (trouble !== undefined) throw trouble;
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: "is not valid JSON" });
        return z.NEVER;
      }
    })
    .pipe(schema);

const named = { id: z.string(), name: z.string(), description: z.string().optional() };
export const candidate = z.object({
  ...named,
  score: z.number(),
  match: z.boolean(),
  features: z.array(z.object({ id: z.string(), name: z.string(), value: z.number() })),
  type: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type Candidate = z.infer<typeof candidate>;
export const suggestions = z.object({ result: z.array(z.object(named)) });
