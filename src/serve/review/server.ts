/** The page of a review, on this machine alone: its files, its state, and the answers it posts. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Fastify, { type FastifyInstance } from "fastify";
import { messageOf } from "../../errors.js";
import type { Answer } from "../../match/review/read-decisions.js";
import { isLoopback } from "../loopback.js";
import { type ReviewOptions, ReviewSession, type ReviewState } from "./session.js";

export interface RunningReview {
  /** With the token, which no other page knows. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Resolves when the person ends the review. */
  readonly finished: Promise<void>;
  counts(): ReviewState["counts"];
  close(): Promise<void>;
}

const pageFolder = new URL("./page/", import.meta.url);
/** Preact, its hooks and htm in one file without imports: no import map, so no inline script. */
const preact = join(createRequire(import.meta.url).resolve("htm"), "../../preact/standalone.mjs");
const pageFiles = {
  "": ["text/html", new URL("index.html", pageFolder)],
  "page.css": ["text/css", new URL("page.css", pageFolder)],
  "page.js": ["text/javascript", new URL("page.js", pageFolder)],
  "chart.js": ["text/javascript", new URL("chart.js", pageFolder)],
  "preact.js": ["text/javascript", preact],
} as const;

const headers = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

const answer = { type: "string", enum: ["yes", "no", "?", ""] };
const answerSchema = {
  type: "object",
  required: ["id", "answer", "seen"],
  properties: { id: { type: "string" }, answer, seen: answer },
};

/** @throws TableError for a file that is not a review */
export async function startReview(path: string, options: ReviewOptions): Promise<RunningReview> {
  const session = await ReviewSession.open(path, options);
  const token = randomBytes(24).toString("base64url");
  const app = Fastify({ bodyLimit: 10_000 });
  guard(app, token);
  for (const [name, [type, file]] of Object.entries(pageFiles))
    app.get(`/:token/${name}`, async (_, reply) =>
      reply.type(`${type}; charset=utf-8`).send(await readFile(file)),
    );
  app.get("/:token/state", async () => session.state());
  app.post<{ Body: { id: string; answer: Answer; seen: Answer } }>(
    "/:token/answer",
    { schema: { body: answerSchema } },
    async ({ body: { id, answer, seen } }, reply) => {
      const outcome = await session.answer(id, answer, seen);
      // An undone pair is shown again.
      const state = session.state(answer === "" && outcome === "written" ? id : undefined);
      return reply.code(outcome === "taken" ? 409 : 200).send(state);
    },
  );
  const finished = new Promise<void>((resolve) => {
    app.post("/:token/finish", async (_, reply) => {
      reply.raw.on("finish", () => resolve());
      return session.state();
    });
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port: used } = app.server.address() as AddressInfo;
  return {
    ...{ app, finished, url: `http://127.0.0.1:${used}/${token}/` },
    counts: () => session.state().counts,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
      await session.close();
    },
  };
}

/** Refuses whatever does not come from the page itself. */
function guard(app: FastifyInstance, token: string): void {
  const expected = Buffer.from(token);
  const isToken = (given: Buffer): boolean =>
    given.length === expected.length && timingSafeEqual(given, expected);
  // Forms of other pages can post text without asking; JSON they cannot.
  app.removeContentTypeParser("text/plain");
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(headers);
    const { host = "", origin } = request.headers;
    // A foreign name that resolves to this machine (DNS rebinding) arrives with the foreign name.
    if (!isLoopback(host) || (origin !== undefined && origin !== `http://${host}`))
      return reply.code(403).send({ error: "This page is for this machine only." });
    const { token: given = "" } = request.params as { token?: string };
    if (!isToken(Buffer.from(given))) return reply.code(404).send({ error: "Not found." });
  });
  app.setErrorHandler((error, _, reply) => {
    const { statusCode = 500 } = error as { statusCode?: number };
    return reply.code(statusCode).send({ error: messageOf(error) });
  });
}
