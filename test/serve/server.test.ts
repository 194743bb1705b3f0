/** What surrounds the routes: keys, limits, CORS, errors, logs, metrics and the description. */
import { Agent, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { endServers, testServer } from "./test-server.js";

afterAll(endServers);

const body = { model: "pearl-mini", input: "a" };

describe("a server for this machine alone", () => {
  it("refuses a request by a foreign name that resolves to it", async () => {
    const { post } = await testServer({ hosts: "local" });
    for (const name of ["", "127.0.0.1.", "localhost."]) {
      const host = `${name}evil.example:8080`;
      const answer = await post("/v1/embeddings", body, { host });
      expect(answer).toMatchObject({ status: 403, json: { error: { code: "unknown_host" } } });
    }
    for (const host of ["localhost:8080", "127.0.0.1:8080", "[::1]:8080", "127.0.0.1"])
      expect((await post("/v1/embeddings", body, { host })).status).toBe(200);
  });
});

describe("errors", () => {
  it("are OpenAI's objects for unknown URLs, wrong methods, media types and sizes, too", async () => {
    const { app, post } = await testServer({ limits: { bodyBytes: 1000 } });
    const found = [
      await app.inject("/v2/embeddings"),
      await app.inject("/v1/embeddings"),
      await app.inject({
        method: "POST",
        url: "/v1/embeddings",
        payload: "a",
        headers: { "content-type": "text/plain" },
      }),
      await app.inject("/v1/models/100%"),
      await app.inject(`/v1/models/${"x".repeat(800)}`),
      await app.inject({ method: "DELETE", url: "/v1/models/pearl-mini" }),
    ];
    expect(found.map(({ statusCode }) => statusCode)).toEqual([404, 405, 415, 400, 414, 405]);
    expect(found[1].headers.allow).toBe("POST");
    expect(found[1].json().error).toMatchObject({
      ...{ code: "method_not_supported", message: "/v1/embeddings does not answer GET. Use POST." },
    });
    for (const answer of found) expect(answer.json().error).toMatchObject({ type: "invalid_request_error" });
    const large = await post("/v1/embeddings", { ...body, input: "x".repeat(1001) });
    expect(large).toMatchObject({ status: 413, json: { error: { code: "request_too_large" } } });
  });

  it("refuse with 429 and Retry-After what the queue has no room for", async () => {
    const { post } = await testServer({ limits: { queue: 2 } });
    const answers = await Promise.all(Array.from({ length: 8 }, () => post("/v1/embeddings", body)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(8);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0].headers["retry-after"]).toBe("1");
    expect(refused[0].json.error).toMatchObject({ type: "rate_limit_error", code: "rate_limit_exceeded" });
  });
});

describe("JSON that nobody could answer in time", () => {
  it("is refused with 413 and the limit, before it is read", async () => {
    const { post } = await testServer();
    const wide = Object.fromEntries(Array.from({ length: 201 }, (_, column) => [`c${column}`, "x"]));
    const half = (first: number) =>
      Object.fromEntries(
        Object.keys(wide)
          .map((_, column) => [`${first + column}`, 1])
          .slice(0, 150),
      );
    for (const [sent, message] of [
      [`{"rows":${"[".repeat(40)}${"]".repeat(40)}}`, "The JSON has brackets more than 16 deep."],
      [{ rows: [wide], table: [{ name: "IBM" }] }, "The JSON has an object of more than 200 columns."],
      [{ rows: [half(0), half(999)] }, "A table of 300 columns is too wide: at most 200 are compared."],
      [{ rows: Array(250_001).fill({}) }, "The JSON has more than 250000 values."],
      [{ rows: Array(2048).fill({ ...half(0) }) }, "The JSON has more than 250000 values."],
    ] as const) {
      const answer = await post("/match", sent);
      expect(answer).toMatchObject({ status: 413, json: { error: { message, code: "request_too_large" } } });
    }
  });
});

describe("a server that stops", () => {
  it("sends every byte that it has announced, also to a slow reader", async () => {
    const { app } = await testServer();
    const length = 12_000_000;
    app.get("/large", async () => "x".repeat(length));
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const answer = await new Promise<IncomingMessage>((resolve) => {
      request({ port, path: "/large", agent: new Agent({ keepAlive: true }) }, resolve).end();
    });
    const [closed, read] = [app.close(), answer.setEncoding("latin1")];
    // many of the server's looks at its connections, while it waits for this reader
    await new Promise((resolve) => setTimeout(resolve, 250));
    let bytes = 0;
    for await (const part of read) bytes += part.length;
    expect(bytes).toBe(length);
    await closed;
  });

  it("waits for a reader as long as bytes flow, and no longer for one that reads nothing", async () => {
    const { app } = await testServer({ silentMs: 300 });
    const length = 40_000_000;
    app.get("/large", async () => "x".repeat(length));
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const ask = () =>
      new Promise<IncomingMessage>((resolve) => {
        request({ port, path: "/large", agent: new Agent() }, resolve).end();
      });
    const [slow, silent] = await Promise.all([ask(), ask()]);
    const started = performance.now();
    const closed = app.close();
    let bytes = 0;
    for await (const part of slow) {
      bytes += part.length;
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    expect(bytes).toBe(length);
    await closed;
    expect(performance.now() - started).toBeGreaterThan(900);
    await expect(silent.toArray()).rejects.toThrow("aborted");
  });
});

describe("a client that leaves", () => {
  it("takes its work out of the queue", async () => {
    const { app, service } = await testServer();
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const release = holdEmbeddings(service);
    const left = request({
      port,
      path: "/v1/embeddings",
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    left.on("error", () => {});
    left.end(JSON.stringify(body));
    await until(() => service.embeddings.length === 1);
    left.destroy();
    await until(() => service.embeddings.length === 0);
    release();
  });
});

/** Keeps the queue busy with another request until it is released. */
function holdEmbeddings({
  embeddings,
  encoder,
}: Awaited<ReturnType<typeof testServer>>["service"]): () => void {
  const whole = encoder.encodeWithTokens.bind(encoder);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  encoder.encodeWithTokens = async (...args) => {
    await held;
    return whole(...args);
  };
  void embeddings.add(["another"]);
  return () => {
    encoder.encodeWithTokens = whole;
    release();
  };
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("CORS", () => {
  it("is off, and allows the origins that were named", async () => {
    const [closed, open] = [
      await testServer(),
      await testServer({ origins: ["https://example.org"], apiKey: "k" }),
    ];
    const preflight = (origin: string) => ({
      ...{ method: "OPTIONS" as const, url: "/v1/embeddings" },
      headers: { origin, "access-control-request-method": "POST" },
    });
    const named = await open.app.inject(preflight("https://example.org"));
    expect(named.headers["access-control-allow-origin"]).toBe("https://example.org");
    const other = await open.app.inject(preflight("https://example.com"));
    expect(other.headers["access-control-allow-origin"]).not.toBe("https://example.com");
    const none = await closed.app.inject(preflight("https://example.org"));
    expect(none.headers["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("a page of another origin", () => {
  const own = { host: "localhost:8080" };
  const foreign = { ...own, origin: "https://evil.example" };
  const image = { ...own, "sec-fetch-site": "cross-site" };

  it("has nothing done for it unless it is named, though its form or image needs no leave", async () => {
    const { app, post } = await testServer({ origins: ["http://127.0.0.1:3333"] });
    const message =
      "Pages of https://evil.example may not call this server. Name their origin with --cors to allow them.";
    expect(await post("/v1/embeddings", body, foreign)).toMatchObject({
      ...{ status: 403, json: { error: { code: "unknown_origin", message } } },
    });
    for (const headers of [
      ...[image, { ...image, referer: "https://evil.example/" }, { ...own, origin: "null" }],
      { ...image, origin: "http://localhost:3333" },
    ])
      expect((await app.inject({ url: "/metrics", headers })).statusCode).toBe(403);
    for (const headers of [
      ...[own, { ...own, origin: "http://localhost:8080" }, { ...own, "sec-fetch-site": "none" }],
      ...[
        { ...foreign, "sec-fetch-site": "same-origin" },
        { ...image, referer: "http://127.0.0.1:3333/p" },
      ],
      { ...image, origin: "http://127.0.0.1:3333" },
    ])
      expect((await app.inject({ url: "/metrics", headers })).statusCode).toBe(200);
    expect((await app.inject({ url: "/", headers: image })).statusCode).toBe(200);
  });

  it("may call a server for all", async () => {
    const { post } = await testServer({ origins: ["*"] });
    expect((await post("/v1/embeddings", body, foreign)).status).toBe(200);
  });
});

describe("GET /metrics", () => {
  it("counts requests by route, never by URL", async () => {
    const { app, post } = await testServer();
    await post("/v1/embeddings", body);
    await app.inject("/secret-phrase?q=secret");
    const { body: text } = await app.inject("/metrics");
    expect(text).toContain('pearl_requests_total{method="POST",route="/v1/embeddings",status="200"} 1');
    expect(text).toContain('pearl_request_duration_seconds_count{route="/v1/embeddings"} 1');
    expect(text).toContain("pearl_tokens_total 1");
    expect(text).toContain("pearl_queue_phrases 0");
    expect(text).not.toContain("secret");
  });
});

describe("GET /openapi.json", () => {
  it("describes every route by the schemas that validate", async () => {
    const { app } = await testServer({ limits: { items: 7 } });
    const { paths, openapi } = (await app.inject("/openapi.json")).json();
    expect(openapi).toBe("3.1.0");
    const listed = "/health /ready /metrics /v1/embeddings /v1/models /type /similarity /match";
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(listed.split(" ")));
    const { properties, required } =
      paths["/v1/embeddings"].post.requestBody.content["application/json"].schema;
    expect(required).toEqual(["input", "model"]);
    expect(properties.input.anyOf[1]).toMatchObject({ type: "array", minItems: 1, maxItems: 7 });
    expect(properties.dimensions.anyOf[0]).toMatchObject({ type: "integer", maximum: 600 });
  });

  it("is what the page of documentation shows", async () => {
    const { app } = await testServer();
    const { body: page, headers } = await app.inject("/");
    expect(page).toContain("<code>/v1/embeddings</code>");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });
});
