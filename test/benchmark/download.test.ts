/** The download of AutoFJ's tables, against a local server that behaves and misbehaves. */
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { autofjSets, downloadAutofj } from "../../src/benchmark/data-folder.js";
import { withEnvironment } from "../setup/environment.js";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let endpoint: string;
let requests: string[];
let handler: Handler;
let dataFolder: string;

/** Answers every request with its path, so that files differ. */
const wellBehaved: Handler = (request, response) => response.end(`content of ${request.url}`);

beforeEach(async () => {
  requests = [];
  handler = wellBehaved;
  server = createServer((request, response) => {
    requests.push(request.url ?? "");
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  dataFolder = mkdtempSync(join(tmpdir(), "pearl-data-"));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const sets = ["Drug", "Song"];

function filesOf(set: string): string[] {
  const folder = join(dataFolder, "autofj", set);
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

describe("downloadAutofj", () => {
  it("fetches three files per set at a fixed commit of the public repository", async () => {
    const progress: number[] = [];
    const outcome = await downloadAutofj(dataFolder, {
      endpoint: `${endpoint}/`,
      sets,
      onProgress: (done) => progress.push(done),
    });
    expect(outcome).toEqual({ folder: join(dataFolder, "autofj"), downloaded: 6, kept: 0 });
    expect(progress).toEqual([1, 2, 3, 4, 5, 6]);
    expect(requests[0]).toMatch(
      /^\/chu-data-lab\/AutomaticFuzzyJoin\/[0-9a-f]{40}\/src\/autofj\/benchmark\/Drug\/left\.csv$/,
    );
    expect(filesOf("Song")).toEqual(["gt.csv", "left.csv", "right.csv"]);
    const text = readFileSync(join(dataFolder, "autofj/Song/gt.csv"), "utf8");
    expect(text).toContain("/benchmark/Song/gt.csv");
  });

  it("knows the 50 sets", () => {
    expect(new Set(autofjSets()).size).toBe(50);
  });

  it("takes the mirror from PEARL_DATA_ENDPOINT", async () => {
    await withEnvironment({ PEARL_DATA_ENDPOINT: endpoint }, async () => {
      expect((await downloadAutofj(dataFolder, { sets: ["Drug"] })).downloaded).toBe(3);
    });
  });

  it("continues where an earlier run stopped", async () => {
    handler = (request, response) => {
      if (request.url?.endsWith("gt.csv")) response.writeHead(503).end();
      else wellBehaved(request, response);
    };
    await expect(downloadAutofj(dataFolder, { endpoint, sets })).rejects.toThrow("answered 503");
    expect(filesOf("Drug")).toEqual(["left.csv", "right.csv"]);
    handler = wellBehaved;
    requests = [];
    expect(await downloadAutofj(dataFolder, { endpoint, sets })).toMatchObject({ downloaded: 4, kept: 2 });
    expect(requests).toHaveLength(4);
  });

  it("leaves no part of an incomplete file", async () => {
    handler = (_, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("only a part");
      setTimeout(() => response.destroy(), 20);
    };
    await expect(downloadAutofj(dataFolder, { endpoint, sets })).rejects.toThrow(
      /download failed|is incomplete/,
    );
    expect(filesOf("Drug")).toEqual([]);
  });

  it("says what a 404 means", async () => {
    handler = (_, response) => response.writeHead(404).end("not here");
    await expect(downloadAutofj(dataFolder, { endpoint, sets })).rejects.toThrow(
      /answered 404\. .*PEARL_DATA_ENDPOINT/,
    );
  });

  it("says what to do without a network", async () => {
    await expect(downloadAutofj(dataFolder, { endpoint: "http://127.0.0.1:9", sets })).rejects.toThrow(
      /download failed .*Check the network, or name a mirror/,
    );
  });

  it("stops when asked to", async () => {
    const controller = new AbortController();
    handler = () => controller.abort();
    await expect(
      downloadAutofj(dataFolder, { endpoint, sets, signal: controller.signal }),
    ).rejects.toHaveProperty("name", "AbortError");
    expect(filesOf("Drug")).toEqual([]);
  });
});
