/** The Reconciliation Service API over an index, versions 0.2 and 1.0-draft, as OpenRefine and others speak it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { packageVersion } from "../../files/package.js";
import { errorSchema, RequestError, whenGone } from "../errors.js";
import { escaped } from "../html.js";
import type { Server } from "../server.js";
import type { Service } from "../service.js";
import { candidatesOf, described, type Reconciling, rowOf, rowType } from "./candidates.js";
import {
  candidate,
  draftBatch,
  draftQueryOf,
  earlierBatch,
  earlierQueryOf,
  extension,
  jsonText,
  type Query,
  suggestions,
} from "./schemas.js";
import { cellsOf, suggestColumns, suggestRows } from "./suggest.js";

const preview = { width: 400, height: 200 };

/** The routes of each index below /reconcile/NAME, and of an only one below /reconcile, too. */
export function reconcileRoutes(app: Server, service: Service): void {
  const { indexes, encoder } = service;
  for (const [name, served] of indexes) {
    const prefixes = [
      `/reconcile/${encodeURIComponent(name)}`,
      ...(indexes.size === 1 ? ["/reconcile"] : []),
    ];
    for (const prefix of prefixes)
      void app.register(async (scope) =>
        indexRoutes(scope as Server, service, { name, served, encoder }, prefix),
      );
  }
}

function indexRoutes(app: Server, service: Service, reconciling: Reconciling, prefix: string): void {
  // OpenRefine posts forms; other routes of the server refuse them
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  );
  const ask = (queries: readonly Query[], reply: FastifyReply) => {
    const { items, characters } = service.limits;
    if (queries.length > items)
      throw new RequestError(413, `${queries.length} queries are more than ${items}`);
    const texts = queries.flatMap(({ name = "", id = "", cells }) => [name, id, ...Object.values(cells)]);
    if (texts.some((text) => text.length > characters))
      throw new RequestError(413, `a text of a query has more than ${characters} characters`);
    return service.compare((signal) => candidatesOf(reconciling, queries, signal), whenGone(reply));
  };
  earlierRoutes(app, reconciling, prefix, ask);
  draftRoutes(app, service, reconciling, prefix, ask);
  lookUpRoutes(app, reconciling, prefix);
}

type Ask = (queries: readonly Query[], reply: FastifyReply) => ReturnType<typeof candidatesOf>;

/** Version 0.2: one address for the manifest, queries and extensions, by query string or form. */
function earlierRoutes(app: Server, reconciling: Reconciling, prefix: string, ask: Ask): void {
  const { served } = reconciling;
  const given = z.object({
    queries: jsonText(earlierBatch).optional(),
    extend: jsonText(extension).optional(),
  });
  const answer = async (
    { queries, extend }: z.infer<typeof given>,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    if (extend !== undefined) {
      const names = extend.properties.map(({ id }) => id);
      const rows = cellsOf(served, extend.ids, names).map(({ id, properties }) => {
        return [id, Object.fromEntries(properties.map(({ id, values }) => [id, values]))] as const;
      });
      return { meta: names.map((id) => ({ id, name: id })), rows: Object.fromEntries(rows) };
    }
    if (queries === undefined) return earlierManifest(reconciling, base(request, prefix));
    const found = await ask(Object.values(queries).map(earlierQueryOf), reply);
    return Object.fromEntries(Object.keys(queries).map((name, at) => [name, { result: found[at] }]));
  };
  const response = { 200: z.looseObject({}), "4xx": errorSchema };
  const summary = "Reconciliation API 0.2: the manifest, candidates of queries, or cells";
  app.get(prefix, { schema: { summary, querystring: given, response } }, (request, reply) =>
    answer(request.query, request, reply),
  );
  app.post(prefix, { schema: { summary, body: given, response } }, (request, reply) =>
    answer(request.body, request, reply),
  );
}

/** Version 1.0-draft: JSON, and an address for each task. */
function draftRoutes(
  app: Server,
  { limits }: Service,
  reconciling: Reconciling,
  prefix: string,
  ask: Ask,
): void {
  const { name, served } = reconciling;
  const root = `${prefix}/v1`;
  const manifest = {
    summary: "Reconciliation API 1.0-draft: the manifest",
    response: { 200: z.looseObject({}) },
  };
  app.get(root, { schema: manifest }, async (request) => {
    const url = `${base(request, prefix)}/preview?id={id}`;
    const suggest = { entity: true, property: true, type: true };
    const extend = { proposeProperties: true, propertySettings: [] };
    const shared = {
      name,
      serviceVersion: packageVersion(),
      defaultTypes: [rowType(name)],
      standardizedScore: true,
    };
    return { versions: ["0.2", "1.0-draft"], ...shared, view: { url }, suggest, preview, extend };
  });
  const results = z.object({ results: z.array(z.object({ candidates: z.array(candidate) })) });
  const schema = {
    ...{ summary: "Candidates of queries", body: draftBatch(limits.items) },
    response: { 200: results, "4xx": errorSchema },
  };
  // drafts of the specification name this address in either way
  for (const path of ["match", "reconcile"])
    app.post(`${root}/${path}`, { schema }, async ({ body }, reply) => {
      const found = await ask(body.queries.map(draftQueryOf), reply);
      return { results: found.map((candidates) => ({ candidates })) };
    });
  const extended = {
    summary: "Cells of rows",
    body: extension,
    response: { 200: z.looseObject({}), "4xx": errorSchema },
  };
  app.post(`${root}/extend`, { schema: extended }, async ({ body: { ids, properties } }) => {
    const names = properties.map(({ id }) => id);
    return { meta: names.map((id) => ({ id, name: id })), rows: cellsOf(served, ids, names) };
  });
}

/** Suggestions, previews and proposals, which both versions have. */
function lookUpRoutes(app: Server, { name, served }: Reconciling, prefix: string): void {
  const querystring = z.object({
    prefix: z.string().default(""),
    cursor: z.coerce.number().int().min(0).default(0),
  });
  const schema = {
    summary: "Suggestions for a prefix",
    querystring,
    response: { 200: suggestions, "4xx": errorSchema },
  };
  const previewed = { summary: "A row as HTML", querystring: z.object({ id: z.string() }) };
  const typed = z.object({ type: z.string().optional(), limit: z.coerce.number().int().min(1).optional() });
  const proposed = { summary: "Columns to extend a table by", querystring: typed };
  for (const root of [prefix, `${prefix}/v1`]) {
    app.get(`${root}/suggest/entity`, { schema }, async ({ query }) =>
      suggestRows(served, query.prefix, query.cursor),
    );
    app.get(`${root}/suggest/property`, { schema }, async ({ query }) =>
      suggestColumns(served, query.prefix),
    );
    app.get(`${root}/suggest/type`, { schema }, async () => ({ result: [rowType(name)] }));
    app.get(`${root}/extend/propose`, { schema: proposed }, async ({ query: { type = "row", limit } }) => {
      return { type, ...(limit && { limit }), properties: suggestColumns(served, "").result.slice(0, limit) };
    });
    app.get(`${root}/preview`, { schema: previewed }, async ({ query: { id } }, reply) => {
      const row = rowOf(served, id);
      if (row === undefined) throw new RequestError(404, `There is no row ${id}.`, { param: "id" });
      const lines = Object.entries(row).map(([name, cell]) => `<tr><th>${escaped(name)}<td>${escaped(cell)}`);
      const html = `<!doctype html><meta charset="utf-8"><title>${escaped(described(served, id, row).name)}</title>
<style>body{font:14px/1.4 system-ui;margin:8px}th{text-align:left;padding-right:1em}</style>
<table>${lines.join("\n")}</table>`;
      const policy = "default-src 'none'; style-src 'unsafe-inline'";
      return reply.type("text/html; charset=utf-8").header("content-security-policy", policy).send(html);
    });
  }
}

const base = ({ protocol, host }: FastifyRequest, prefix: string): string => `${protocol}://${host}${prefix}`;

function earlierManifest({ name }: Reconciling, url: string) {
  const suggest = (kind: string) => ({ service_url: url, service_path: `/suggest/${kind}` });
  return {
    ...{ versions: ["0.2", "1.0-draft"], name, serviceVersion: packageVersion() },
    ...{ identifierSpace: `${url}/row/`, schemaSpace: `${url}/column/`, defaultTypes: [rowType(name)] },
    view: { url: `${url}/preview?id={{id}}` },
    preview: { url: `${url}/preview?id={{id}}`, ...preview },
    suggest: { entity: suggest("entity"), property: suggest("property"), type: suggest("type") },
    extend: {
      propose_properties: { service_url: url, service_path: "/extend/propose" },
      property_settings: [],
    },
  };
}
