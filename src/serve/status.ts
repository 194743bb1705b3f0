/** Routes for those who run the service: is it alive, is it ready, how is it doing, what can it do. */
import { z } from "zod";
import type { Server } from "./server.js";
import type { Service } from "./service.js";

export function statusRoutes(app: Server, { encoder, indexes, metrics }: Service): void {
  const alive = z.object({ status: z.literal("ok") });
  app.get("/health", { schema: { summary: "The process answers", response: { 200: alive } } }, async () => {
    return { status: "ok" as const };
  });
  const ready = z.object({ status: z.literal("ready"), model: z.string(), indexes: z.array(z.string()) });
  const readySchema = { summary: "The model is loaded", response: { 200: ready } };
  app.get("/ready", { schema: readySchema }, async () => {
    return { status: "ready" as const, model: encoder.model.name, indexes: [...indexes.keys()] };
  });
  app.get("/metrics", { schema: { summary: "Metrics in the text format of Prometheus" } }, async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
  app.get("/openapi.json", { schema: { hide: true } }, async () => app.swagger());
  app.get("/", { schema: { hide: true } }, async (_, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
      .send(page(app.swagger().paths ?? {}, encoder.model.name, [...indexes.keys()])),
  );
}

/** A page that lists the routes. */
function page(paths: object, model: string, indexes: readonly string[]): string {
  const rows = Object.entries(paths as Record<string, Record<string, { readonly summary?: string }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(
        ([method, { summary = "" }]) =>
          `<tr><td>${method.toUpperCase()}<td><code>${escaped(path)}</code><td>${escaped(summary)}`,
      ),
  );
  const body = JSON.stringify({ model, input: ["NYTimes"] });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>pearl</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:50em;margin:2em auto;padding:0 1em}
td{padding:.1em 1em .1em 0}</style>
<h1>pearl</h1>
<p>Model: ${escaped(model)}. Indexes: ${escaped(indexes.join(", ") || "none")}.</p>
<table>${rows.join("\n")}</table>
<pre>curl -H 'content-type: application/json' -d '${escaped(body)}' http://localhost:PORT/v1/embeddings</pre>
<p><a href="openapi.json">openapi.json</a> describes every field.</p>
</html>`;
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign]);
