/** The Reconciliation Service API over an index, versions 0.2 and 1.0-draft, as OpenRefine and others speak it. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { packageVersion } from "../../files/package.js";
import { errorSchema, RequestError, whenGone } from "../errors.js";
import { mostValues, optional } from "../fields.js";
import { namedIndex } from "../match.js";
import type { Server } from "../server.js";
import type { Service } from "../service.js";
import { escaped } from "../status.js";
import {
  candidatesOf,
  candidateTest,
  cellsOf,
  described,
  type Reconciling,
  rowOf,
  rowType,
  suggestColumns,
  suggestRows,
} from "./candidates.js";
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

const preview = { width: 400, height: 200 };
/** Fields of a form; the API has two. */
const mostFields = 16;

// A schema of objects would leave out the key "__proto__".
const response = { 200: z.unknown(), "4xx": errorSchema };

/** An index, and the URL that it was asked under. */
interface Asked extends Reconciling {
  readonly url: string;
}
/** The index that a request is about. */
type Find = (request: FastifyRequest) => Asked;

/** A condition behind the address holds for all candidates, since queries of the specification have none. */
const conditional = z.object({
  where: optional(z.string()).meta({ description: "what candidates must meet, such as city = 'Ulm'" }),
});

/** The routes of the indexes below /reconcile/NAME, and of an only one below /reconcile, too. */
export function reconcileRoutes(app: Server, service: Service): void {
  const { indexes, encoder } = service;
  const { characters } = service.limits;
  const asked = (request: FastifyRequest, name: string, path: string): Asked => {
    const { where } = request.query as z.infer<typeof conditional>;
    if (where !== undefined && where.length > characters)
      throw new RequestError(413, `the condition has more than ${characters} characters`, { param: "where" });
    return { name, served: namedIndex(indexes, name), encoder, where, url: base(request, path) };
  };
  // A parameter, not a route for each name: names may hold any character.
  const named: Find = (request) => {
    const { index: name } = request.params as { readonly index: string };
    return asked(request, name, `/reconcile/${encodeURIComponent(name)}`);
  };
  if (indexes.size === 0) return;
  void app.register(async (scope) => indexRoutes(scope as Server, service, named, "/reconcile/:index"));
  const [name, ...others] = indexes.keys();
  if (others.length > 0) return;
  const only: Find = (request) => asked(request, name, "/reconcile");
  void app.register(async (scope) => indexRoutes(scope as Server, service, only, "/reconcile"));
}

function indexRoutes(app: Server, service: Service, find: Find, prefix: string): void {
  // OpenRefine posts forms; other routes of the server refuse them
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, text, done) => {
    if (String(text).split("&", mostFields + 1).length > mostFields)
      done(new RequestError(413, `The form has more than ${mostFields} fields.`));
    else done(null, Object.fromEntries(new URLSearchParams(String(text))));
  });
  const answers = answersOf(service, find);
  earlierRoutes(app, service, prefix, answers);
  draftRoutes(app, service, prefix, answers);
  lookUpRoutes(app, prefix, find);
}

/** What both versions answer. */
function answersOf(service: Service, find: Find) {
  const ask = async (asked: Asked, queries: readonly Query[], reply: FastifyReply) => {
    const { items, characters } = service.limits;
    candidateTest(asked);
    if (queries.length > items)
      throw new RequestError(413, `${queries.length} queries are more than ${items}`);
    const texts = queries.flatMap(({ name = "", id = "", cells }) => [name, id, ...Object.values(cells)]);
    if (texts.some((text) => text.length > characters))
      throw new RequestError(413, `a text of a query has more than ${characters} characters`);
    return service.compare(
      (compare, signal) => candidatesOf(asked, queries, compare, signal),
      whenGone(reply),
    );
  };
  /** Each row and column once, however often it is named. */
  const extend = ({ served }: Asked, { ids, properties }: z.infer<typeof extension>) => {
    const { items } = service.limits;
    const names = [...new Set(properties.map(({ id }) => id))];
    if (ids.length > items) throw new RequestError(413, `${ids.length} rows are more than ${items}`);
    if (ids.length * names.length > mostValues)
      throw new RequestError(413, `${ids.length} × ${names.length} cells are more than ${mostValues}`);
    return { meta: names.map((id) => ({ id, name: id })), rows: cellsOf(served, [...new Set(ids)], names) };
  };
  return { find, ask, extend };
}
type Answers = ReturnType<typeof answersOf>;

/** Version 0.2: one address for the manifest, queries and extensions, by query string or form. */
function earlierRoutes(app: Server, { limits }: Service, prefix: string, answers: Answers): void {
  const { find, ask, extend } = answers;
  // one that has too many queries is counted in `ask`
  const bounds = { names: mostValues, values: Math.max(mostValues, limits.items) };
  const given = z.object({
    queries: optional(jsonText(earlierBatch, bounds)),
    extend: optional(jsonText(extension, bounds)),
  });
  const answer = async (
    { queries, extend: wanted }: z.infer<typeof given>,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => {
    const asked = find(request);
    if (wanted !== undefined) {
      const { meta, rows } = extend(asked, wanted);
      const byKey = rows.map(({ id, properties }) => {
        return [id, Object.fromEntries(properties.map(({ id, values }) => [id, values]))] as const;
      });
      return { meta, rows: Object.fromEntries(byKey) };
    }
    if (queries === undefined) {
      candidateTest(asked);
      return earlierManifest(asked);
    }
    const found = await ask(asked, [...queries.values()].map(earlierQueryOf), reply);
    return Object.fromEntries([...queries.keys()].map((name, at) => [name, { result: found[at] }]));
  };
  const summary = "Reconciliation API 0.2: the manifest, candidates of queries, or cells";
  const querystring = given.extend(conditional.shape);
  app.get(prefix, { schema: { summary, querystring, response } }, (request, reply) =>
    answer(request.query, request, reply),
  );
  app.post(
    prefix,
    { schema: { summary, body: given, querystring: conditional, response } },
    (request, reply) => answer(request.body, request, reply),
  );
}

/** Version 1.0-draft: JSON, and an address for each task. */
function draftRoutes(app: Server, { limits }: Service, prefix: string, { find, ask, extend }: Answers): void {
  const root = `${prefix}/v1`;
  const manifest = {
    ...{ summary: "Reconciliation API 1.0-draft: the manifest", querystring: conditional, response },
  };
  app.get(root, { schema: manifest }, async (request) => {
    const asked = find(request);
    candidateTest(asked);
    const suggest = { entity: true, property: true, type: true };
    const extend = { proposeProperties: true, propertySettings: [] };
    const view = { url: `${asked.url}/preview?id={id}` };
    return { ...manifestHead(asked), standardizedScore: true, view, suggest, preview, extend };
  });
  const results = z.object({ results: z.array(z.object({ candidates: z.array(candidate) })) });
  const schema = {
    ...{ summary: "Candidates of queries", body: draftBatch(limits.items), querystring: conditional },
    response: { 200: results, "4xx": errorSchema },
  };
  // drafts of the specification name this address in either way
  for (const path of ["match", "reconcile"])
    app.post(`${root}/${path}`, { schema }, async (request, reply) => {
      const found = await ask(find(request), request.body.queries.map(draftQueryOf), reply);
      return { results: found.map((candidates) => ({ candidates })) };
    });
  const extended = { summary: "Cells of rows", body: extension, response };
  app.post(`${root}/extend`, { schema: extended }, async (request) => extend(find(request), request.body));
}

/** Suggestions, previews and proposals, which both versions have. */
function lookUpRoutes(app: Server, prefix: string, find: Find): void {
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
    const rows = { schema: { ...schema, querystring: querystring.extend(conditional.shape) } };
    app.get(`${root}/suggest/entity`, rows, async (request, reply) => {
      const { prefix, cursor } = request.query;
      return suggestRows(find(request), prefix, cursor, whenGone(reply));
    });
    app.get(`${root}/suggest/property`, { schema }, async (request) =>
      suggestColumns(find(request).served, request.query.prefix),
    );
    app.get(`${root}/suggest/type`, { schema }, async (request) => {
      return { result: [rowType(find(request).name)] };
    });
    app.get(`${root}/extend/propose`, { schema: proposed }, async (request) => {
      const { type = "row", limit } = request.query;
      const properties = suggestColumns(find(request).served, "").result.slice(0, limit);
      return { type, ...(limit && { limit }), properties };
    });
    app.get(`${root}/preview`, { schema: previewed }, async (request, reply) => {
      const { served } = find(request);
      const { id } = request.query;
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

/** Addresses as the client writes them: a proxy in front that encrypts says so. */
function base({ protocol, host, headers }: FastifyRequest, path: string): string {
  const isEncrypted = /^https(?:,|$)/.test(String(headers["x-forwarded-proto"]));
  return `${isEncrypted ? "https" : protocol}://${host}${path}`;
}

const manifestHead = ({ name }: Asked) => ({
  ...{ versions: ["0.2", "1.0-draft"], name, serviceVersion: packageVersion() },
  defaultTypes: [rowType(name)],
});

function earlierManifest(asked: Asked) {
  const { url, where } = asked;
  const query = where === undefined ? "" : `?${new URLSearchParams({ where })}`;
  const suggest = (kind: string) => ({ service_url: url, service_path: `/suggest/${kind}` });
  return {
    ...{ ...manifestHead(asked), identifierSpace: `${url}/row/`, schemaSpace: `${url}/column/` },
    view: { url: `${url}/preview?id={{id}}` },
    preview: { url: `${url}/preview?id={{id}}`, ...preview },
    suggest: { entity: suggest(`entity${query}`), property: suggest("property"), type: suggest("type") },
    extend: {
      propose_properties: { service_url: url, service_path: "/extend/propose" },
      property_settings: [],
    },
  };
}
