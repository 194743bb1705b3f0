/** Servers for tests: the embedded model, and an index of a few companies. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { indexTable } from "../../src/search/phrase-index.js";
import { VectorIndex } from "../../src/search/vector-index.js";
import { createServer, type Server, type ServerOptions } from "../../src/serve/server.js";
import { createService, type Limits, type Service, serveIndex } from "../../src/serve/service.js";

const ends: (() => unknown)[] = [];
let loaded: Promise<PhraseEncoder> | undefined;

/** Ends what a test file started; each file calls it in `afterAll`, since files share this module. */
export async function endServers(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
  loaded = undefined;
}

/** The embedded model, loaded once for a test file. */
export function miniEncoder(): Promise<PhraseEncoder> {
  loaded ??= PhraseEncoder.load().then((encoder) => {
    ends.push(() => encoder.dispose());
    return encoder;
  });
  return loaded;
}

export interface TestServer {
  readonly app: Server;
  readonly service: Service;
  /** Posts JSON, and gives the status, the answer and its headers. */
  post(url: string, body: unknown, headers?: Record<string, string>): ReturnType<typeof answerOf>;
}

async function answerOf(app: Server, url: string, body: unknown, headers = {}) {
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", ...headers };
  const reply = await app.inject({ method: "POST", url, payload, headers: all });
  return { status: reply.statusCode, json: reply.json(), headers: reply.headers };
}

export async function testServer(
  options: Partial<ServerOptions> & { limits?: Partial<Limits>; indexes?: Service["indexes"] } = {},
): Promise<TestServer> {
  const { limits, indexes = new Map(), ...rest } = options;
  const usual = { bodyBytes: 8e6, items: 2048, characters: 8192, queue: 16_384 };
  const service = createService(await miniEncoder(), indexes, { ...usual, ...limits });
  const app = await createServer(service, { modelNames: ["pearl-mini"], log: "silent", ...rest });
  ends.push(() => app.close());
  return { app, service, post: (...args) => answerOf(app, ...args) };
}

/** An index of data/companies.csv, served by the name "companies". */
export async function companiesIndex(): Promise<Service["indexes"]> {
  const folder = mkdtempSync(join(tmpdir(), "pearl-serve-"));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "companies.index");
  const table = { column: "name" };
  await indexTable("data/companies.csv", path, await miniEncoder(), { table, keyColumn: "id" });
  const index = await VectorIndex.open(path);
  ends.push(() => index.close());
  return new Map([["companies", await serveIndex(index)]]);
}
