/** The HTTP server of `pearl serve`: limits, keys, errors and logs around the routes. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { Socket } from "node:net";
import cors from "@fastify/cors";
import swagger from "@fastify/swagger";
import fastify, { type FastifyInstance, type FastifyReply, LogController } from "fastify";
import { jsonSchemaTransform, validatorCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import { packageVersion } from "../files/package.js";
import { embeddingRoutes, phraseRoutes } from "./embeddings.js";
import { errorBody, errorObject, RequestError, statusOf } from "./errors.js";
import { beyondBounds, mostColumns, mostValues } from "./fields.js";
import { isLoopback } from "./loopback.js";
import { matchRoutes } from "./match.js";
import { reconcileRoutes } from "./reconcile/routes.js";
import { searchRoutes } from "./search.js";
import type { Service } from "./service.js";
import { statusRoutes } from "./status.js";

export interface ServerOptions {
  /** Names that requests may call the model by; the first is shown. */
  readonly modelNames: readonly string[];
  /** What requests must send as bearer token. Default: no key. */
  readonly apiKey?: string;
  /** "local" answers only requests that name this machine as their host. Default "all". */
  readonly hosts?: "local" | "all";
  /** Origins whose pages may call the server. Default none. */
  readonly origins?: readonly string[];
  readonly log?: "silent" | "error" | "info";
  /** Seconds in which a request must arrive whole. Default 30. */
  readonly arrivalSeconds?: number;
  /** Milliseconds for which a connection may be silent while the server stops. Default 25,000. */
  readonly silentMs?: number;
}

const open = new Set(["/health", "/ready", "/", "/openapi.json"]);

export type Server = ReturnType<typeof bareServer>;

/** A server with all routes, not listening yet. */
export async function createServer(service: Service, options: ServerOptions): Promise<Server> {
  const app = bareServer(service, options);
  if (options.origins?.length) await app.register(cors, { origin: [...options.origins] });
  if (options.hosts === "local") refuseForeignHosts(app);
  refuseForeignPages(app, options.origins ?? []);
  if (options.apiKey !== undefined) requireKey(app, options.apiKey);
  await app.register(swagger, {
    openapi: { openapi: "3.1.0", info: { title: "pearl", version: packageVersion() } },
    transform: jsonSchemaTransform,
  });
  answerErrors(app);
  drain(app, options.silentMs);
  app.addHook("onClose", service.close);
  app.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    const seconds = reply.elapsedTime / 1000;
    service.metrics.onRequest(request.method, route, reply.statusCode, seconds);
    request.log.info({ method: request.method, route, status: reply.statusCode, seconds }, "answered");
  });
  statusRoutes(app, service);
  embeddingRoutes(app, service, options.modelNames);
  phraseRoutes(app, service);
  searchRoutes(app, service);
  matchRoutes(app, service);
  reconcileRoutes(app, service);
  return app;
}

function bareServer({ limits }: Service, { log = "error", arrivalSeconds = 30 }: ServerOptions) {
  const app = fastify({
    bodyLimit: limits.bodyBytes,
    requestTimeout: Math.ceil(arrivalSeconds * 1000),
    http: {
      headersTimeout: Math.ceil(arrivalSeconds * 1000),
      connectionsCheckingInterval: Math.ceil(arrivalSeconds * 250),
    },
    // of addresses that cannot be read, before any hook
    frameworkErrors: (error, _, reply) =>
      void (reply as FastifyReply).code(statusOf(error)).send(errorBody(error)),
    // the logs of requests that fastify writes would hold the text of their URLs
    logger: { level: log, stream: process.stderr },
    logController: new LogController({ disableRequestLogging: true }),
    clientErrorHandler: endConnection,
    // a name of 255 bytes, each as %XX
    routerOptions: { maxParamLength: 765 },
  }).withTypeProvider<ZodTypeProvider>();
  app.removeContentTypeParser(["text/plain", "application/json"]);
  const read = app.getDefaultJsonParser("error", "error");
  const bounds = { names: mostColumns, values: Math.max(mostValues, limits.items) };
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, text, done) => {
    const trouble = beyondBounds(String(text), bounds);
    if (trouble !== undefined) done(trouble);
    else void read(request, String(text), done);
  });
  app.setValidatorCompiler(validatorCompiler);
  // answers have the types of their schemas at compile time; a second check of every vector would cost more than it
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  return app;
}

/** Milliseconds after which a server that stops ends all connections. */
const drainMs = 600_000;

/** While it stops, the server ends connections once all answers are sent, and each on which no byte moves any more. */
function drain(app: FastifyInstance, silentMs = 25_000): void {
  const { server } = app;
  // Node calls a connection idle whose answer was handed over, and destroys it with what the client has not read yet.
  const closeIdle = server.closeIdleConnections.bind(server);
  let answers = 0;
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.once("close", () => sockets.delete(socket))));
  server.on("request", (_, answer) => {
    answers++;
    answer.once("close", () => answers--);
  });
  server.closeIdleConnections = () => {
    if (answers === 0) closeIdle();
  };
  let timers: NodeJS.Timeout[] = [];
  app.addHook("preClose", async () => {
    // Node destroys a connection at its time-out, unless its queue has become shorter meanwhile.
    for (const socket of sockets) socket.setTimeout(silentMs);
    timers = [
      setInterval(() => server.closeIdleConnections(), 50),
      setTimeout(() => server.closeAllConnections(), drainMs),
    ];
  });
  app.addHook("onClose", async () => timers.forEach(clearTimeout));
}

/** A page of a foreign name that resolves to this machine could read answers otherwise: it is no foreign origin to itself. */
function refuseForeignHosts(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ headers: { host = "" } }) => {
    if (isLoopback(host)) return;
    const message = "Without an API key this server answers only as localhost or 127.0.0.1.";
    throw new RequestError(403, message, { code: "unknown_host" });
  });
}

/**
 * A page of any origin can send forms and GETs without asking first, and have the server work for it. Browsers say where
 * they come from; a page of another site that hides its origin is foreign, too.
 */
function refuseForeignPages(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.includes("*")) return;
  app.addHook("onRequest", async ({ headers, routeOptions }) => {
    const { host, origin, referer = "", "sec-fetch-site": site } = headers;
    if (open.has(routeOptions.url ?? "") || site === "same-origin" || site === "none") return;
    const hidden = URL.canParse(referer) ? new URL(referer).origin : "an unknown origin";
    const from = origin ?? (site === "cross-site" ? hidden : undefined);
    if (from === undefined || from.endsWith(`://${host}`) || origins.includes(from)) return;
    const message = `Pages of ${from} may not call this server. Name their origin with --cors to allow them.`;
    throw new RequestError(403, message, { code: "unknown_origin" });
  });
}

/** Requests need the key, but for a few routes without data. Digests have one length, as the comparison requires. */
function requireKey(app: FastifyInstance, key: string): void {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${key}`);
  app.addHook("onRequest", async ({ headers, routeOptions }) => {
    if (open.has(routeOptions.url ?? "")) return;
    if (timingSafeEqual(digest(headers.authorization ?? ""), expected)) return;
    const message = "This server needs an API key: send it as `Authorization: Bearer KEY`.";
    throw new RequestError(401, message, { code: "invalid_api_key" });
  });
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler<Error>((error, request, reply) => {
    const status = statusOf(error);
    // the message of an unexpected error may hold a phrase
    if (status >= 500)
      request.log.error({ error: error.name, stack: error.stack?.match(/^ +at .*$/gm) }, "failed");
    if (status === 429) reply.header("retry-after", 1);
    if (status === 401) reply.header("www-authenticate", "Bearer");
    return reply.code(status).send(errorBody(error));
  });
  app.setNotFoundHandler(({ method, url: whole }, reply) => {
    const [url] = whole.split("?");
    const routes = [
      url,
      url.replace(/^\/reconcile\/[^/]+/, "/reconcile/:index"),
      url.replace(/^\/v1\/models\/[^/]+$/, "/v1/models/:model"),
    ];
    const allowed = ["GET", "POST"].filter((other) =>
      routes.some((route) => app.hasRoute({ url: route, method: other })),
    );
    if (allowed.length === 0)
      return reply
        .code(404)
        .send(errorObject(404, `Invalid URL (${method} ${url})`, { code: "unknown_url" }));
    const message = `${url} does not answer ${method}. Use ${allowed.join(" or ")}.`;
    return reply
      .code(405)
      .header("allow", allowed.join(", "))
      .send(errorObject(405, message, { code: "method_not_supported" }));
  });
}

/** Statuses of errors that are none of a request. */
const endings: Readonly<Record<string, readonly [status: number, text: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
};

/** Answers what is not HTTP, or did not arrive in time. */
function endConnection(
  this: FastifyInstance,
  { code = "" }: Error & { readonly code?: string },
  socket: Socket,
): void {
  if (code === "ECONNRESET" || socket.destroyed) return;
  const [status, text] = endings[code] ?? [400, "Bad Request"];
  const body = JSON.stringify(errorObject(status, text));
  const head = [
    `HTTP/1.1 ${status} ${text}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
