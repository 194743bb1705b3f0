/** Downloads go through the proxy that the environment names, against a proxy and a hub on this machine. */
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { proxyFor } from "../../src/files/proxy.js";
import { downloadModel } from "../../src/hub/download.js";
import { hubSettings } from "../../src/hub/settings.js";
import { startHubServer } from "../encoder/hub-server.js";
import { newFolder } from "../setup/new-folder.js";

const files = { "config.json": "{}", "tokenizer.json": "{}", "onnx/model.onnx": "graph" };
const hub = await startHubServer({ "someone/model": { commit: "a".repeat(40), files } });

/** What the proxy was asked for. */
const asked: string[] = [];
const proxy: Server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
  const target = new URL(request.url ?? "");
  const answer = connect(Number(target.port), target.hostname, () => {
    const headers = Object.entries({ ...request.headers, connection: "close" });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    answer.write(`GET ${target.pathname}${target.search} HTTP/1.1\r\n${lines}\r\n`);
  });
  answer.pipe(response.socket as NodeJS.WritableStream);
});
proxy.on("connect", (request, socket) => {
  asked.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
  socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
});
await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
const address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;

const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
beforeEach(() => {
  for (const name of names) vi.stubEnv(name, undefined);
  asked.length = 0;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  proxy.closeAllConnections();
  proxy.close();
  await hub.close();
});

const download = (endpoint: string): Promise<string> =>
  downloadModel("someone/model", {
    settings: hubSettings({ HF_HOME: newFolder(), HF_ENDPOINT: endpoint }),
    retryDelayMs: 1,
  });

describe("a download", () => {
  it("goes through HTTP_PROXY for http, redirects included", async () => {
    vi.stubEnv("HTTP_PROXY", `http://${address}`);
    await download(hub.endpoint);
    expect(asked).toContain(`GET ${hub.endpoint}/someone/model/resolve/main/config.json`);
    expect(asked.filter((line) => line.startsWith("GET http://"))).toHaveLength(asked.length);
    expect(asked.some((line) => !line.includes(hub.endpoint))).toBe(true);
  });

  it("asks HTTPS_PROXY for a tunnel with the user's name, and names the proxy where it refuses", async () => {
    vi.stubEnv("https_proxy", `ann:pass@${address}`);
    const error = await download("https://hub.example").catch((reason: Error) => reason);
    expect(String(error)).toMatch(
      /Proxy response \(407\).*Check the network and the proxy \(HTTPS_PROXY, NO_PROXY\)/,
    );
    expect(String(error)).not.toContain("pass");
    // a refusal is not asked for again
    expect(asked).toEqual([`CONNECT hub.example:443 Basic ${Buffer.from("ann:pass").toString("base64")}`]);
  });

  it("goes straight to hosts in NO_PROXY", async () => {
    vi.stubEnv("HTTP_PROXY", address);
    vi.stubEnv("no_proxy", "localhost,127.0.0.1");
    await download(hub.endpoint);
    expect(asked).toEqual([]);
  });

  it("refuses a proxy that is not one for HTTP, without its password", async () => {
    vi.stubEnv("HTTP_PROXY", "socks5://ann:pass@127.0.0.1:1080");
    await expect(download(hub.endpoint)).rejects.toThrow(
      /^HTTP_PROXY is not the address of an HTTP proxy\. Set it to http:\/\/HOST:PORT, or unset it\.$/,
    );
  });
});

describe("the proxy for a host", () => {
  const proxied = (url: string, NO_PROXY: string): boolean =>
    proxyFor(new URL(url), { HTTPS_PROXY: "proxy:3128", HTTP_PROXY: "", NO_PROXY }) !== undefined;

  it.each([
    ["https://hub.example/x", "", true],
    ["http://hub.example/x", "", false],
    ["https://hub.example/x", "example", false],
    ["https://hub.example/x", " other.org, .example", false],
    ["https://hub.example/x", "*.Example", false],
    ["https://hub.example/x", "hub.example:443", false],
    ["https://hub.example/x", "hub.example:8443", true],
    ["https://hub.example/x", "b.example", true],
    ["https://hub.example/x", "*", false],
  ])("%s with NO_PROXY=%s: %s", (url, list, expected) => {
    expect(proxied(url, list)).toBe(expected);
  });

  it("is the lower-case variable's where both are set", () => {
    const both = { https_proxy: "http://one:1", HTTPS_PROXY: "http://two:2" };
    expect(proxyFor(new URL("https://hub.example"), both)).toBe("http://one:1");
  });
});
