/** The slow tests beside server.test.ts. */
import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, it, type TestContext } from "vitest";
import { endServers, testServer } from "./test-server.js";

afterAll(endServers);

const body = { model: "pearl-mini", input: "a" };

describe("the API key", () => {
  it("is asked for by every route with data, and by none that only says how the server is", async () => {
    const { app, post } = await testServer({ apiKey: "right" });
    for (const authorization of [undefined, "right", "Bearer wrong", "Bearer right ", "Bearer "]) {
      const answer = await post("/v1/embeddings", body, authorization === undefined ? {} : { authorization });
      expect(answer).toMatchObject({ status: 401, json: { error: { code: "invalid_api_key" } } });
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }
    expect((await app.inject("/metrics")).statusCode).toBe(401);
    expect((await app.inject("/nowhere")).statusCode).toBe(401);
    expect((await app.inject("/health")).statusCode).toBe(200);
    expect((await app.inject("/ready")).json()).toMatchObject({ status: "ready", model: "pearl-mini" });
    const { status } = await post("/v1/embeddings", body, { authorization: "Bearer right" });
    expect(status).toBe(200);
  });
});

describe("JSON that nobody could answer in time", () => {
  it("is told from text that only looks like it: brackets, commas and quotes in a cell", async () => {
    const { post } = await testServer();
    const name = `\\"${"[{,".repeat(300)}`;
    expect((await post("/match", { rows: { name }, table: [{ name }] })).status).toBe(200);
  });
});

describe("a comparison", () => {
  const rows = Array.from({ length: 400 }, (_, row) => ({
    ...{ name: `Company ${row * 7} of ${row % 31}`, city: `City ${row % 13}`, phone: `${row * 7919}` },
  }));
  const large = { rows, table: rows, settings: {} };

  it("leaves the thread that answers to other requests", async () => {
    const { service } = await testServer();
    const small = { ...large, rows: rows.slice(0, 2), table: rows.slice(0, 2) };
    const { signal } = new AbortController();
    await service.compare((compare) => compare("table", small), signal);
    const before = performance.eventLoopUtilization();
    await service.compare((compare) => compare("table", large), signal);
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });

  it("ends with its client, and the next one begins", async () => {
    const { service } = await testServer();
    const client = new AbortController();
    const left = service.compare((compare) => compare("table", large), client.signal);
    const next = service.compare(
      (compare) => compare("table", { ...large, rows: rows.slice(0, 1) }),
      new AbortController().signal,
    );
    setTimeout(() => client.abort(new Error("gone")), 50);
    await expect(left).rejects.toThrow("gone");
    expect((await next).results).toHaveLength(1);
  });
});

describe("GET /metrics", () => {
  it("passes promtool check metrics", async ({ skip }: TestContext) => {
    if (spawnSync("promtool", ["--version"]).error) skip("promtool (Debian's prometheus) is not installed");
    const { app } = await testServer();
    const { body: input } = await app.inject("/metrics");
    const checked = spawnSync("promtool", ["check", "metrics"], { input, encoding: "utf8" });
    expect({ status: checked.status, output: checked.stderr + checked.stdout }).toEqual({
      status: 0,
      output: "",
    });
  });
});
