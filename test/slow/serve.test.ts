/** `pearl serve` under 1,000 bad requests of 23 kinds, and killed in the middle of its work: a real process, raw sockets. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { createRandom, sampleWithout } from "../../src/random.js";
import { entry, pearl } from "../cli/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-serve-"));
const index = join(folder, "companies.index");
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function serve(...parameters: readonly string[]): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, [entry, "serve", "--port", "0", ...parameters]);
  running.push(child);
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    const port = /listening on \S+:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return { child, port: Number(port) };
  }
  throw new Error(`the server did not start: ${text}`);
}

async function ask(port: number, path: string, body: unknown) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as {
    readonly data: readonly { readonly embedding: string }[];
    readonly results: readonly { readonly matches: readonly { readonly key: string }[] }[];
  };
}

const embedded = async (port: number, input: unknown) =>
  (await ask(port, "/v1/embeddings", { model, input, encoding_format: "base64" })).data[0].embedding;

const model = "pearl-mini";

/** Pieces of a request, sent with pauses (numbers, in milliseconds); "leave" closes the connection. */
type Script = Iterable<string | Buffer | number | "leave">;

/** Sends until there is an answer. @returns its status; 0 where the connection ends without one */
function talk(port: number, script: Script): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(status(answer)));
    socket.on("data", () => socket.destroy());
    void (async () => {
      for (const piece of script) {
        if (socket.destroyed) return;
        if (piece === "leave") socket.destroy();
        else if (typeof piece === "number") await sleep(piece);
        else if (!socket.write(piece)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
      }
    })().catch(() => {});
  });
}

const status = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

const head = (path: string, lines: readonly string[], method = "POST"): string =>
  [`${method} ${path} HTTP/1.1`, "Host: localhost", ...lines, "", ""].join("\r\n");
const json = "Content-Type: application/json";
const post = (path: string, body: string, type = json): Script => [
  head(path, [type, `Content-Length: ${Buffer.byteLength(body)}`]) + body,
];
const embed = (body: unknown): Script => post("/v1/embeddings", JSON.stringify(body));
const megabyte = Buffer.alloc(1e6, "x");
const chunk = Buffer.concat([Buffer.from("f4240\r\n"), megabyte, Buffer.from("\r\n")]);

const kinds: Readonly<Record<string, readonly [status: number, script: Script]>> = {
  "broken JSON": [400, post("/v1/embeddings", '{"model": "pearl-mini", "input": ')],
  "no body": [400, post("/v1/embeddings", "")],
  "a list as body": [400, embed([])],
  "a number as phrase": [400, embed({ model, input: 5 })],
  "token ids": [400, embed({ model, input: [1, 2, 3] })],
  "no model": [400, embed({ input: "a" })],
  "an unknown field": [400, embed({ model, input: "a", inputs: "b" })],
  "negative dimensions": [400, embed({ model, input: "a", dimensions: -1 })],
  "a poisoned prototype": [
    400,
    post("/v1/embeddings", '{"__proto__": {}, "model": "pearl-mini", "input": "a"}'),
  ],
  "nested cells": [400, post("/match", '{"rows": [{"name": {"a": 1}}]}')],
  "an unknown model": [404, embed({ model: "gpt", input: "a" })],
  "an unknown URL": [404, post("/v1/chat/completions", "{}")],
  "a wrong method": [405, [head("/match", [], "GET")]],
  "a form": [415, post("/type", "phrases=a", "Content-Type: application/x-www-form-urlencoded")],
  "too many phrases": [413, embed({ model, input: Array.from({ length: 2049 }, () => "a") })],
  "a phrase that is too long": [413, embed({ model, input: "x".repeat(9000) })],
  "a body of 10 MB": [413, [head("/match", [json, "Content-Length: 10000000"]), ...Array(10).fill(megabyte)]],
  "10 MB in chunks": [413, [head("/type", [json, "Transfer-Encoding: chunked"]), ...Array(10).fill(chunk)]],
  "not HTTP": [400, ["\u0016\u0003\u0001 hello\r\n\r\n"]],
  "headers that are too long": [431, [head("/type", [`X-Long: ${"x".repeat(20_000)}`])]],
  "a half-open connection": [408, ["POST /type HTTP/1.1\r\nHost: local", 10_000]],
  "a slow body": [408, [head("/type", [json, "Content-Length: 100"]), ...Array(100).fill(["{", 100]).flat()]],
  "a client that leaves": [0, [head("/type", [json, "Content-Length: 100"]), "{", 20, "leave"]],
};

describe("pearl serve", () => {
  it("answers 1,000 bad requests with their status and keeps serving", async () => {
    const { child, port } = await serve("--request-timeout", "2", "--log", "silent");
    const good = await embedded(port, "Zürich");
    const names = Object.keys(kinds);
    const drawn = Array.from({ length: 1000 }, (_, i) => names[i % names.length]);
    const queue = sampleWithout(drawn, drawn.length, createRandom(1));
    const wrong: Record<string, number[]> = {};
    const worker = async (): Promise<void> => {
      for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
        const [expected, script] = kinds[name];
        const found = await talk(port, script);
        // while a client still sends, the reset of the connection may overtake the answer
        const isCutOff = name.includes("10 MB") && found === 0;
        if (found !== expected && !isCutOff) wrong[name] = [...(wrong[name] ?? []), found];
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));
    expect(wrong).toEqual({});
    expect(await embedded(port, "Zürich")).toBe(good);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain("pearl_queue_phrases 0");
    expect(metrics).not.toContain('status="500"');
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("starts again with its index after kill -9 in the middle of its work", async () => {
    const built = await pearl([
      "index",
      "build",
      "data/companies.csv",
      "-c",
      "name",
      "--key",
      "id",
      "-o",
      index,
    ]);
    expect(built.code).toBe(0);
    const first = await serve(index);
    const lost = Array.from({ length: 8 }, (_, i) =>
      embedded(
        first.port,
        Array.from({ length: 2000 }, (_, row) => `name ${i} ${row}`),
      ),
    );
    const settled = Promise.allSettled(lost);
    await sleep(100);
    first.child.kill("SIGKILL");
    await settled;
    const second = await serve(index, "--port", `${first.port}`);
    const { results } = await ask(second.port, "/match", { rows: { name: "Siemens", city: "Munich" } });
    expect(results[0].matches[0].key).toBe("3");
  });
});
