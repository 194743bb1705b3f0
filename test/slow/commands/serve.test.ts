/** `pearl serve` as a process of its own: it starts, answers, and ends in order; bad input gives one clear line. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { type Outcome, pearl as spawned } from "../../cli/run-cli.js";
import { pearl } from "../../cli/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-serve-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `pearl serve` with a free port, lets `use` talk to it, and ends it by SIGTERM. */
async function serving(
  parameters: readonly string[],
  use: (url: string, child: ChildProcess) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  let used: Promise<void> | undefined;
  const outcome = await spawned(["serve", "--port", "0", ...parameters], {
    cwd: folder,
    environment,
    onStart: (child) => {
      child.stdout!.on("data", (text: Buffer) => {
        const url = /listening on (\S+)/.exec(text.toString())?.[1];
        if (url !== undefined) used ??= use(url, child).finally(() => child.killed || child.kill("SIGTERM"));
      });
    },
  });
  await used;
  return outcome;
}

const question = (count: number): string =>
  JSON.stringify({ model: "pearl-mini", input: Array.from({ length: count }, (_, i) => `secret name ${i}`) });

const ask = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: question(1),
  });

describe("pearl serve", () => {
  it("answers what was asked before a signal, and ends with code 0", async () => {
    let status: number | undefined;
    const outcome = await serving([], async (url, child) => {
      const headers = { "content-type": "application/json", expect: "100-continue" };
      const begun = request(`${url}/v1/embeddings`, { method: "POST", headers });
      begun.flushHeaders();
      await once(begun, "continue");
      child.kill("SIGTERM");
      await once(child.stderr!, "data");
      begun.end(question(2));
      const [answer] = (await once(begun, "response")) as [IncomingMessage];
      answer.resume();
      status = answer.statusCode;
    });
    expect(status).toBe(200);
    expect(outcome).toMatchObject({ code: 0, signal: null });
    expect(outcome.stderr).toContain("requests in progress are answered first");
  });

  it("asks for the key of a file or the environment, and logs neither keys nor phrases", async () => {
    writeFileSync(join(folder, "key.txt"), "s3cret-key\n");
    for (const [parameters, environment] of [
      [["--api-key-file", "key.txt"], {}],
      [[], { PEARL_API_KEY: " s3cret-key " }],
    ] as const) {
      const outcome = await serving(
        [...parameters, "--log", "info"],
        async (url) => {
          expect((await ask(url, { authorization: "Bearer wrong-key" })).status).toBe(401);
          expect((await ask(url, { authorization: "Bearer s3cret-key" })).status).toBe(200);
        },
        environment,
      );
      expect(outcome.stderr).toContain('"route":"/v1/embeddings","status":401');
      expect(outcome.stderr).not.toMatch(/s3cret|wrong-key|secret name/);
    }
  });

  it("keeps running after the reader of its log has gone", async () => {
    const outcome = await serving(["--log", "info"], async (url, child) => {
      child.stderr!.destroy();
      expect((await ask(url)).status).toBe(200);
      await sleep(1_500);
      expect((await ask(url)).status).toBe(200);
    });
    expect(outcome).toMatchObject({ code: 0, signal: null });
  });

  it("warns when other machines can reach it without a key", async () => {
    const open = await serving(["--host", "0.0.0.0"], async () => {});
    expect(open.stderr).toContain("warning: 0.0.0.0 can be reached from other machines");
    const local = await serving([], async () => {});
    expect(local.stderr).not.toContain("warning");
  });
});

describe("wrong input of pearl serve", () => {
  writeFileSync(join(folder, "empty.txt"), "\n");
  writeFileSync(join(folder, "umlaut.txt"), "schlüssel\n");
  it.each([
    [["missing.index"], 1, /missing\.index is not an index/],
    [["--api-key-file", "none.txt"], 1, /none\.txt: the API key cannot be read/],
    [["--api-key-file", "empty.txt"], 1, /empty\.txt is empty\. Write a key into it/],
    [["--api-key-file", "umlaut.txt"], 1, /umlaut\.txt: an API key is one line of ASCII characters/],
    [["--host", "203.0.113.7"], 1, /cannot listen on 203\.0\.113\.7/],
    [["--cors", "example.org"], 2, /must be an origin, such as https:\/\/example\.org/],
    [["--port", "70000"], 2, /between 0 and 65535/],
    [["a/names.index", "b/names.index"], 2, /two indexes have the name names/],
    [[".", folder], 2, /two indexes have the name pearl-serve-/],
  ])("%j ends with one line", async (parameters, code, message) => {
    const outcome = await pearl(["serve", ...parameters], { cwd: folder });
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.stderr).toMatch(message);
    expect(
      outcome.stderr
        .trim()
        .split("\n")
        .filter((line) => line.startsWith("pearl:")),
    ).toHaveLength(1);
  });

  it("names a port that is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const outcome = await pearl(["serve", "--port", `${port}`]);
    expect(outcome).toMatchObject({ code: 1 });
    expect(outcome.stderr).toContain(`port ${port} of 127.0.0.1 is in use. Choose another with --port`);
    other.close();
  });
});
