/** Hub ids become model folders. A local server redirects, breaks connections, sends wrong bytes and refuses. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArgumentError, ModelError } from "../../src/errors.js";
import { listCachedModels } from "../../src/hub/cache.js";
import { type DownloadOptions, downloadModel, isHubId } from "../../src/hub/download.js";
import { hubSettings } from "../../src/hub/settings.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { writeModel } from "../../src/onnx/io/file.js";
import { tensor } from "../../src/onnx/tensor.js";
import type { HubServer } from "../encoder/hub-server.js";
import { breakAfter, gitChecksum, sendBody, sha256, startHubServer } from "../encoder/hub-server.js";
import { newFolder } from "../setup/new-folder.js";

const commit = "614241f622f53c4eeff9890bdc4f31cfecc418b3";
const graph = randomBytes(300_000);
const id = "someone/small-model";

let folder: string;
let server: HubServer;

beforeEach(async () => {
  folder = newFolder();
  server = await startHubServer({
    [id]: {
      commit,
      files: {
        "config.json": '{"model_type":"bert"}',
        "tokenizer.json": '{"version":"1.0"}',
        "1_Pooling/config.json": '{"pooling_mode_mean_tokens":true}',
        "onnx/model.onnx": graph,
        "onnx/model_quantized.onnx": graph.subarray(0, 1000),
      },
    },
  });
});

afterEach(() => server.close());

function download(options: DownloadOptions & { environment?: NodeJS.ProcessEnv; name?: string } = {}) {
  const settings = hubSettings({
    HF_HOME: folder,
    HF_ENDPOINT: `${server.endpoint}/`,
    ...options.environment,
  });
  return downloadModel(options.name ?? id, { settings, retryDelayMs: 5, ...options });
}

/** The error of a download that must fail, with its one-line message checked for shape. */
async function failure(options: Parameters<typeof download>[0] = {}): Promise<Error> {
  const error = await download(options).then(
    () => undefined,
    (reason: unknown) => reason as Error,
  );
  if (!error) throw new Error("the download was expected to fail");
  expect(error.message).not.toContain("\n");
  return error;
}

const repository = () => join(folder, "hub", "models--someone--small-model");
const leftovers = () =>
  readdirSync(join(repository(), "blobs")).filter((name) => name.endsWith(".incomplete"));

describe("a model by hub id", () => {
  it("is stored in the layout of huggingface_hub: blobs by checksum, snapshots by commit, refs by branch", async () => {
    const path = await download();
    expect(path).toBe(join(repository(), "snapshots", commit));
    expect(readFileSync(join(path, "onnx/model.onnx")).equals(graph)).toBe(true);
    expect(readFileSync(join(path, "1_Pooling/config.json"), "utf8")).toContain("mean_tokens");
    expect(readFileSync(join(repository(), "refs/main"), "utf8")).toBe(commit);
    expect(readFileSync(join(repository(), "blobs", sha256(graph))).equals(graph)).toBe(true);
    expect(existsSync(join(repository(), "blobs", gitChecksum('{"model_type":"bert"}')))).toBe(true);
    expect(lstatSync(join(path, "config.json")).isSymbolicLink()).toBe(true);
    expect(existsSync(join(repository(), ".no_exist", commit, "README.md"))).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it("needs no network the second time", async () => {
    const path = await download();
    await server.close();
    expect(await download()).toBe(path);
    expect(await download({ environment: { HF_HUB_OFFLINE: "1" } })).toBe(path);
  });

  it("uses files that Python's tools have cached", async () => {
    const snapshot = join(repository(), "snapshots", commit);
    mkdirSync(join(snapshot, "onnx"), { recursive: true });
    mkdirSync(join(repository(), "refs"), { recursive: true });
    writeFileSync(join(repository(), "refs/main"), commit);
    for (const file of ["config.json", "tokenizer.json", "onnx/model.onnx"]) {
      writeFileSync(join(snapshot, file), "x");
    }
    await server.close();
    expect(await download()).toBe(snapshot);
  });

  it("is complete without the optional files, whatever becomes of them", async () => {
    const path = await download();
    rmSync(join(repository(), ".no_exist"), { recursive: true });
    // as on a read-only disk, which a test that runs as root cannot make by permissions
    writeFileSync(join(repository(), ".no_exist"), "");
    expect(await download()).toBe(path);
    rmSync(join(path, "1_Pooling/config.json"));
    rmSync(join(repository(), "blobs"), { recursive: true });
    writeFileSync(join(repository(), "blobs"), "");
    for (const file of ["config.json", "tokenizer.json", "onnx/model.onnx"]) {
      rmSync(join(path, file));
      writeFileSync(join(path, file), "x");
    }
    expect(await download()).toBe(path);
  });

  it("fetches another graph of the same repository into the same snapshot", async () => {
    const path = await download();
    server.requests.length = 0;
    expect(await download({ graphFile: "onnx/model_quantized.onnx" })).toBe(path);
    expect(readFileSync(join(path, "onnx/model_quantized.onnx")).equals(graph.subarray(0, 1000))).toBe(true);
    expect(server.requests.some(({ path }) => path.includes("onnx/model.onnx"))).toBe(false);
  });

  it("asks for every file at the commit that the first one named", async () => {
    await download();
    const asked = server.requests.filter(({ path }) => path.includes("/resolve/")).map(({ path }) => path);
    expect(asked[0]).toBe(`/${id}/resolve/main/config.json`);
    expect(asked.slice(1).every((path) => path.startsWith(`/${id}/resolve/${commit}/`))).toBe(true);
  });

  it("reports bytes of each file up to the announced total", async () => {
    const seen: { file: string; done: number; total?: number }[] = [];
    await download({ onProgress: (progress) => seen.push(progress) });
    const ofGraph = seen.filter(({ file }) => file === "onnx/model.onnx");
    expect(ofGraph.at(-1)).toEqual({ file: "onnx/model.onnx", done: graph.length, total: graph.length });
    expect(ofGraph.map(({ done }) => done)).toEqual(ofGraph.map(({ done }) => done).sort((a, b) => a - b));
  });

  it("accepts a mirror that sends none of the hub's headers", async () => {
    server.sendsHubHeaders = false;
    const path = await download();
    expect(path).toBe(join(repository(), "snapshots", "main"));
    expect(readFileSync(join(path, "onnx/model.onnx")).equals(graph)).toBe(true);
    await server.close();
    expect(await download()).toBe(path);
  });

  it("asks such a mirror after an hour for what it lacked, and never twice at a named commit", async () => {
    server.sendsHubHeaders = false;
    const { files } = server.repositories.get(id)!;
    const { "1_Pooling/config.json": pooling, "tokenizer.json": tokenizer } = files;
    delete files["tokenizer.json"];
    await failure();
    files["tokenizer.json"] = tokenizer;
    delete files["1_Pooling/config.json"];
    const named = await download({ revision: commit });
    server.requests.length = 0;
    expect(await download({ revision: commit })).toBe(named);
    expect(server.requests).toEqual([]);
    const path = await download();
    files["1_Pooling/config.json"] = pooling;
    server.requests.length = 0;
    expect(await download()).toBe(path);
    expect(server.requests).toEqual([]);
    const lately = new Date(Date.now() - 3_600_000);
    utimesSync(join(repository(), ".pearl.absent/main/1_Pooling/config.json"), lately, lately);
    expect(await download()).toBe(path);
    expect(existsSync(join(path, "1_Pooling/config.json"))).toBe(true);
    expect(existsSync(join(named, "1_Pooling/config.json"))).toBe(false);
  });

  it("is listed afterwards with its graphs and branch", async () => {
    const path = await download();
    const models = await listCachedModels(join(folder, "hub"));
    expect(models).toEqual([{ id, commit, revisions: ["main"], path, graphs: ["onnx/model.onnx"] }]);
  });
});

describe("a graph with its weights beside it", () => {
  beforeEach(() => {
    const source = join(folder, "weights.onnx");
    const g = new GraphBuilder();
    const w = g.weight("w", tensor("float32", [512, 3], new Float32Array(1536)));
    g.output("y", g.add("MatMul", [g.input("x", "float32", [1, 512]), w]), "float32", [1, 3]);
    writeModel(g.model(), source, { externalData: "always" });
    const { files } = server.repositories.get(id)!;
    files["onnx/model.onnx"] = readFileSync(source);
    files[beside] = readFileSync(`${source}_data`);
  });
  const beside = "onnx/weights.onnx_data";

  it("has them, whatever their name", async () => {
    expect(statSync(join(await download(), beside)).size).toBe(512 * 3 * 4);
  });

  it("is not complete without them: the next download reports what keeps them away, and continues", async () => {
    server.interceptHub = (request, response) =>
      Boolean(
        request.url?.includes("weights.onnx_data") && response.writeHead(503, { "retry-after": "0" }).end(),
      );
    for (const _ of [1, 2])
      expect((await failure()).message).toContain(`answered ${beside} with status 503, also after retries`);
    server.interceptHub = undefined;
    expect(existsSync(join(await download(), beside))).toBe(true);
  });

  it("names the one that the repository lacks", async () => {
    delete server.repositories.get(id)!.files[beside];
    expect((await failure()).message).toContain(`the repository has no ${beside} (404).`);
  });
});

describe("the token", () => {
  it("is sent to the hub and never to the host that stores the files", async () => {
    await download({ environment: { HF_TOKEN: "hf_secret" } });
    const hub = server.requests.filter(({ host }) => host === "hub");
    const storage = server.requests.filter(({ host }) => host === "storage");
    expect(hub.every(({ authorization }) => authorization === "Bearer hf_secret")).toBe(true);
    expect(storage.length).toBeGreaterThan(0);
    expect(storage.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  it("is read from the file that `hf auth login` writes", async () => {
    writeFileSync(join(folder, "token"), "hf_from_file\n");
    await download();
    expect(server.requests[0].authorization).toBe("Bearer hf_from_file");
  });

  it("never appears in a message", async () => {
    server.interceptHub = (_request, response) => Boolean(response.writeHead(401).end());
    const error = await failure({ environment: { HF_TOKEN: "hf_secret" } });
    expect(error.message).toContain("HF_TOKEN");
    expect(error.message).not.toContain("hf_secret");
  });
});

describe("a broken download", () => {
  it("continues where the connection was cut", async () => {
    let cuts = 0;
    server.interceptStorage = (request, response, body) => {
      if (cuts++ > 0 || !body) return false;
      expect(request.headers.range).toBeUndefined();
      breakAfter(100_000, response, body);
      return true;
    };
    const path = await download();
    expect(readFileSync(join(path, "onnx/model.onnx")).equals(graph)).toBe(true);
    const ranges = server.requests.filter(({ host }) => host === "storage").map(({ range }) => range);
    expect(ranges).toEqual([undefined, expect.stringMatching(/^bytes=[1-9]\d*-$/)]);
  });

  it("starts over where the server does not support ranges", async () => {
    let tries = 0;
    server.interceptStorage = (_request, response, body) => {
      if (!body) return false;
      if (tries++ === 0) breakAfter(100_000, response, body);
      else response.writeHead(200, { "content-length": body.length }).end(body);
      return true;
    };
    expect(readFileSync(join(await download(), "onnx/model.onnx")).equals(graph)).toBe(true);
  });

  it("reports it after four attempts, keeps its part, and continues from there in the next call", async () => {
    server.interceptStorage = (_request, response, body) => {
      if (!body) return false;
      response.writeHead(206, { "content-length": body.length, "content-range": "bytes 0-0/0" });
      response.write(body.subarray(0, 120_000), () => setTimeout(() => response.destroy(), 20));
      return true;
    };
    const error = await failure();
    expect(error).toBeInstanceOf(ModelError);
    expect(error.message).toMatch(/connection to 127\.0\.0\.1:\d+ broke during onnx\/model\.onnx/);
    expect(server.requests.filter(({ host }) => host === "storage")).toHaveLength(4);
    expect(existsSync(join(repository(), "snapshots", commit, "onnx/model.onnx"))).toBe(false);
    expect(leftovers()).toHaveLength(1);

    server.interceptStorage = undefined;
    server.requests.length = 0;
    expect(readFileSync(join(await download(), "onnx/model.onnx")).equals(graph)).toBe(true);
    expect(server.requests.filter(({ host }) => host === "storage").at(-1)?.range).toMatch(/^bytes=\d+-$/);
    expect(leftovers()).toEqual([]);
  });

  it("removes a file whose sha256 differs, and names both", async () => {
    server.interceptStorage = (request, response, body) => {
      if (body) sendBody(request, response, Buffer.alloc(body.length));
      return Boolean(body);
    };
    const error = await failure();
    expect(error).toBeInstanceOf(ModelError);
    expect(error.message).toContain(`${id}: onnx/model.onnx`);
    expect(error.message).toContain(
      `expected sha256 ${sha256(graph)}, got ${sha256(Buffer.alloc(graph.length))}`,
    );
    expect(readdirSync(join(repository(), "blobs")).some((name) => name.includes(sha256(graph)))).toBe(false);
  });

  it("removes a file whose size differs from the announced one", async () => {
    server.interceptStorage = (request, response, body) => {
      if (body) sendBody(request, response, body.subarray(0, 1234));
      return Boolean(body);
    };
    expect((await failure()).message).toContain(`expected ${graph.length} bytes, got 1234`);
  });

  it("checks small files by their git checksum", async () => {
    server.interceptHub = (request, response, body) => {
      if (!body || !request.url?.includes("/resolve-cache/")) return false;
      response.setHeader("etag", `"${gitChecksum("something else")}"`);
      sendBody(request, response, body);
      return true;
    };
    expect((await failure()).message).toContain(`expected git checksum ${gitChecksum("something else")}`);
  });
});

describe("a part of an earlier download", () => {
  /** Leaves a part of the graph, with the lock of the process that writes it. */
  function leavePart(content: Buffer | string, holder?: { pid: number; host: string }): string {
    const place = join(repository(), "blobs", `${sha256(graph)}.pearl.incomplete`);
    mkdirSync(place, { recursive: true });
    if (holder) writeFileSync(join(place, "lock"), JSON.stringify({ ...holder, started: null, token: "x" }));
    writeFileSync(join(place, "part"), content);
    return join(place, "part");
  }
  const rangeOfLast = () => server.requests.filter(({ host }) => host === "storage").at(-1)?.range;

  it("drops a kept part that does not fit and fetches the whole", async () => {
    leavePart(randomBytes(1000));
    expect(readFileSync(join(await download(), "onnx/model.onnx")).equals(graph)).toBe(true);
    expect(rangeOfLast()).toBeUndefined();
    expect(leftovers()).toEqual([]);
  });

  it("continues at once from the part left by a killed process", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    leavePart(graph.subarray(0, 250_000), { pid, host: hostname() });
    expect(readFileSync(join(await download(), "onnx/model.onnx")).equals(graph)).toBe(true);
    expect(rangeOfLast()).toBe("bytes=250000-");
    expect(leftovers()).toEqual([]);
  });

  it("does not touch a part that another process is writing", async () => {
    const part = leavePart("being written", { pid: 1, host: "elsewhere" });
    expect(readFileSync(join(await download(), "onnx/model.onnx")).equals(graph)).toBe(true);
    expect(readFileSync(part, "utf8")).toBe("being written");
    expect(readdirSync(join(repository(), "blobs")).some((name) => name.endsWith(".partial"))).toBe(false);
  });
});

describe("servers that refuse", () => {
  const answer = (status: number, headers: Record<string, string> = {}) => {
    server.interceptHub = (_request, response) => Boolean(response.writeHead(status, headers).end());
  };

  it("401 without a token: says that HF_TOKEN may be needed", async () => {
    answer(401, { "x-error-code": "GatedRepo" });
    expect((await failure()).message).toMatch(/private or gated.*HF_TOKEN/);
  });

  it("404 for a repository: says that the id is not found", async () => {
    expect((await failure({ name: "nobody/nothing" })).message).toMatch(
      /nobody\/nothing: not found.*spelling/,
    );
  });

  it("404 for a revision: names it", async () => {
    expect((await failure({ revision: "v9" })).message).toContain('no revision "v9"');
  });

  it("a repository without an ONNX graph: names the file and models that have one", async () => {
    server.repositories.set(id, { commit, files: { "config.json": "{}", "tokenizer.json": "{}" } });
    expect((await failure()).message).toMatch(/no onnx\/model\.onnx \(404\).*intfloat\/e5-small-v2/);
  });

  it("a repository without tokenizer.json: names the file", async () => {
    server.repositories.set(id, { commit, files: { "config.json": "{}", "onnx/model.onnx": graph } });
    expect((await failure()).message).toContain("no tokenizer.json (404)");
  });

  it("503 twice and then an answer: waits and continues", async () => {
    let refusals = 0;
    server.interceptHub = (_request, response) =>
      refusals++ < 2 && Boolean(response.writeHead(503, { "retry-after": "0" }).end());
    await download();
    expect(refusals).toBeGreaterThan(2);
  });

  it("429 throughout: gives up after four attempts and reports it", async () => {
    answer(429);
    expect((await failure()).message).toMatch(/status 429, also after retries/);
    expect(server.requests).toHaveLength(4);
  });

  it("429 with an hour to wait: does not wait", async () => {
    answer(429, { "retry-after": "3600" });
    await failure();
    expect(server.requests).toHaveLength(1);
  });

  it("redirects in a circle: gives up", async () => {
    answer(302, { location: "/again" });
    expect((await failure()).message).toContain("too many redirects");
  });
});

describe("no network", () => {
  it("says what to do instead, at once", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const endpoint = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await new Promise((resolve) => closed.close(resolve));
    const error = await failure({ environment: { HF_ENDPOINT: endpoint }, retryDelayMs: 60_000 });
    expect(error).toBeInstanceOf(ModelError);
    expect(error.message).toMatch(
      /cannot be reached .*ECONNREFUSED.*HF_ENDPOINT.*copy the model's folder.*embedded/,
    );
  });

  it("is not suspected where HF_ENDPOINT lacks https://, which a cached model does not need", async () => {
    const environment = { HF_ENDPOINT: "hub.example" };
    expect((await failure({ environment })).message).toContain(
      'HF_ENDPOINT "hub.example" is not a web address',
    );
    expect(await download()).toBe(await download({ environment }));
  });

  it("is assumed where HF_HUB_OFFLINE is set", async () => {
    const error = await failure({ environment: { HF_HUB_OFFLINE: "1" } });
    expect(error.message).toMatch(/not in the cache .*HF_HUB_OFFLINE/);
    expect(server.requests).toEqual([]);
  });
});

describe("ids, revisions and file names", () => {
  it.each(["../x", "a/..", "./b", "a/b/c", "a", "", "a/b c", "a\\b/c", "-a/b", "a/b--c", "/etc/passwd"])(
    "refuses %j, so that no path is ever built from it",
    async (name) => {
      expect(isHubId(name)).toBe(false);
      await expect(download({ name })).rejects.toBeInstanceOf(ArgumentError);
      expect(server.requests).toEqual([]);
    },
  );

  it.each(["intfloat/e5-small-v2", "Xenova/bge_small.en-v1.5"])("accepts %s", (name) => {
    expect(isHubId(name)).toBe(true);
  });

  it("refuses a graph file outside the repository", async () => {
    await expect(download({ graphFile: "../../secret.onnx" })).rejects.toBeInstanceOf(ArgumentError);
    await expect(download({ revision: "../main" })).rejects.toBeInstanceOf(ArgumentError);
  });

  it("ignores a commit and checksum from the server that are not plain names", async () => {
    server.interceptHub = (request, response, body) => {
      if (!body) return false;
      response.setHeader("x-repo-commit", "../../../outside");
      response.setHeader("x-linked-etag", '"../../outside"');
      sendBody(request, response, body);
      return true;
    };
    expect(await download()).toBe(join(repository(), "snapshots", "main"));
    expect(readdirSync(folder)).toEqual(["hub"]);
  });
});

describe("several at once", () => {
  it("gives four concurrent downloads the same complete files", async () => {
    const paths = await Promise.all([1, 2, 3, 4].map(() => download()));
    expect(new Set(paths).size).toBe(1);
    expect(readFileSync(join(paths[0], "onnx/model.onnx")).equals(graph)).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it("rejects with the reason when aborted, and keeps what it received", async () => {
    const controller = new AbortController();
    server.interceptStorage = (_request, response, body) => {
      if (!body) return false;
      response.writeHead(200, { "content-length": body.length });
      response.write(body.subarray(0, 50_000));
      const look = setInterval(() => {
        // a part without bytes is not kept; a folder has a size of its own
        const partOf = (name: string): string => join(repository(), "blobs", name, "part");
        const received = leftovers().some(
          (name) => (statSync(partOf(name), { throwIfNoEntry: false })?.size ?? 0) > 0,
        );
        if (!received) return;
        clearInterval(look);
        controller.abort();
      }, 10);
      return true;
    };
    expect(await failure({ signal: controller.signal })).toBe(controller.signal.reason);
    expect(leftovers()).toHaveLength(1);
  });
});
