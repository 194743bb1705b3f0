/** pearl-embeddings/web on WebGPU: in Debian's Chromium on SwiftShader, from a folder made as docs/web.md says. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page, Route } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { embeddedNames } from "../../../src/architectures/embedded.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import type { DeviceChoice } from "../../../src/web/index.js";
import { hasChromium, startChromium, swiftShader } from "../chromium.js";
import { emptyPage, type Site, withPearl } from "./pages.js";

const script = new URL("../../../examples/playground/serve.mjs", import.meta.url).href;
const { folderServer } = (await import(script)) as { folderServer: (folder: string) => Server };

const phrases = [
  "The New York Times",
  "NYTimes",
  "Zürich",
  "東京",
  "",
  "O'Brien & Söhne GmbH",
  "😀 café",
  "3M",
];

const copyLine = /^cp .*asyncify.*$/m.exec(readFileSync("docs/web.md", "utf8"))![0];

/** For a worker: asks the server for a path of this name when work is given to the adapter. */
const reportWork = `const { submit } = GPUQueue.prototype;
  GPUQueue.prototype.submit = function (...work) {
    fetch("/work-for-the-gpu");
    return submit.apply(this, work);
  };`;

/** A project whose public/ holds pearl's bundle, and its server. @param files ONNX Runtime's of WebGPU */
async function startProject(files: "with files" | "without files"): Promise<Site> {
  const project = mkdtempSync(join(tmpdir(), "pearl-webgpu-"));
  mkdirSync(join(project, "node_modules"));
  for (const [name, target] of [
    ["pearl-embeddings", "."],
    ["onnxruntime-web", "node_modules/onnxruntime-web"],
  ])
    symlinkSync(resolve(target), join(project, "node_modules", name));
  const copyBundle = "mkdir -p public/dist && cp -r node_modules/pearl-embeddings/dist/web public/pearl";
  execFileSync("bash", ["-ec", copyBundle], { cwd: project });
  if (files === "with files") {
    execFileSync("bash", ["-ec", copyLine], { cwd: project });
    const encodeWorker = join(project, "public/pearl/encode-worker.js");
    writeFileSync(encodeWorker, `${reportWork}\n${readFileSync(encodeWorker, "utf8")}`);
  }
  symlinkSync("../pearl", join(project, "public/dist/web"));
  symlinkSync(resolve("models"), join(project, "public/models"));
  const server = folderServer(join(project, "public"));
  server.on("close", () => rmSync(project, { recursive: true }));
  const asked: string[] = [];
  server.prependListener("request", ({ url }) => asked.push(url ?? ""));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

/** Answers with a script that first runs `code`. */
const prefixed = (code: string) => async (route: Route) => {
  const response = await route.fetch();
  await route.fulfill({ response, body: `${code}\n${await response.text()}` });
};

/** A model's vectors in the page and where they come from, or why there are none. */
const encodeIn = (page: Page, device: DeviceChoice | undefined, model: string = embeddedNames[0]) =>
  withPearl(
    page,
    async ({ PhraseEncoder }, { device, model, phrases }) => {
      const encoder = await PhraseEncoder.load(model, { models: "/models/", device });
      const vectors = (await encoder.encode(phrases)).map((vector) => Array.from(vector));
      await encoder.dispose();
      return { vectors, device: encoder.device, notes: encoder.notes };
    },
    { device, model, phrases },
  );
const troubleIn = (page: Page, device: DeviceChoice) =>
  encodeIn(page, device).then(
    () => "none",
    ({ message }: Error) => message,
  );

/** Every number of two lists of vectors differs by less than 1e-4. */
function expectEqual(found: readonly number[][], expected: readonly ArrayLike<number>[]): void {
  const differences = found.flatMap((row, i) => row.map((value, j) => Math.abs(value - expected[i][j])));
  expect(found.length).toBe(expected.length);
  expect(Math.max(...differences)).toBeLessThan(1e-4);
}

async function hasAdapter(): Promise<boolean> {
  if (!hasChromium) return false;
  const browser = await startChromium(...swiftShader);
  const site = await startProject("without files");
  const page = await emptyPage(browser, site);
  const found = await page.evaluate("navigator.gpu?.requestAdapter().then((adapter) => adapter !== null)");
  await browser.close();
  site.server.close();
  if (found !== true) console.log(`skipped: Chromium gives no WebGPU adapter with ${swiftShader.join(" ")}`);
  return found === true;
}

describe.skipIf(!(await hasAdapter()))("on an adapter", () => {
  let [browser, site, page] = [] as unknown as [Browser, Site, Page];
  beforeAll(async () => {
    [browser, site] = [await startChromium(...swiftShader), await startProject("with files")];
  });
  beforeEach(async () => {
    page = await emptyPage(browser, site);
    site.asked.length = 0;
  });
  afterAll(async () => {
    await browser.close();
    site.server.close();
  });

  it.each(embeddedNames)("%s has its vectors of the CPU, to 1e-4", async (model) => {
    const own = await PhraseEncoder.load(model);
    const { vectors, device } = await encodeIn(page, "webgpu", model);
    expect(device).toBe("webgpu");
    expectEqual(vectors, await own.encode(phrases));
    expect(site.asked).toContain("/work-for-the-gpu");
    site.asked.length = 0;
    expectEqual((await encodeIn(page, "cpu", model)).vectors, vectors);
    expect(site.asked).not.toContain("/work-for-the-gpu");
    await own.dispose();
  });

  it("nothing of WebGPU's is downloaded unless a page asks for it", async () => {
    const { device, notes } = await encodeIn(page, undefined);
    expect([device, notes]).toEqual(["cpu", []]);
    const byDefault = new Set(site.asked);
    site.asked.length = 0;
    await encodeIn(page, "webgpu");
    const more = site.asked.filter((path) => !byDefault.has(path));
    expect(more.some((path) => path.endsWith("asyncify.wasm"))).toBe(true);
    // its scripts are in a chunk that only this page fetched
    const chunks = more.filter((path) => path.includes("chunk-"));
    expect(chunks.length).toBe(1);
    expect(readFileSync(join("dist/web", chunks[0].split("/").at(-1)!), "utf8")).toContain("asyncify");
  });

  it("auto takes a GPU, but not a program on the CPU that poses as one", async () => {
    const onProgram = await encodeIn(page, "auto");
    expect(onProgram.device).toBe("cpu");
    expect(onProgram.notes).toEqual([expect.stringContaining("its adapter is not a GPU")]);
    await page.close();
    page = await browser.newPage();
    // the same adapter, as a GPU would describe itself
    const posing =
      'Object.defineProperty(GPUAdapterInfo.prototype, "isFallbackAdapter", { get: () => false });';
    await page.route("**/worker.js", prefixed(posing));
    await page.goto(`${site.address}/models/pearl-mini/config.json`);
    const onGpu = await encodeIn(page, "auto");
    expect([onGpu.device, onGpu.notes]).toEqual(["webgpu", []]);
    expectEqual(onGpu.vectors, onProgram.vectors);
  });

  it("a broken file of the runtime ends webgpu with the reason", async () => {
    const body = { body: "not wasm", contentType: "application/wasm" };
    await page.route("**/*.asyncify.wasm", (route) => route.fulfill(body));
    const reason = /DeviceError: device webgpu does not work here: .*magic word.* Use --device auto or cpu\./;
    expect(await troubleIn(page, "webgpu")).toMatch(reason);
  });

  it.each([
    ["with 404", undefined],
    ["with its own page, as one-page sites do", "<!doctype html><title>Home</title>"],
  ])("a server that answers %s for the missing files leads to the line that copies them", async (_, home) => {
    const bare = await startProject("without files");
    page = await emptyPage(browser, bare);
    if (home !== undefined)
      await page.route("**/*asyncify*", (route) => route.fulfill({ body: home, contentType: "text/html" }));
    const message = await troubleIn(page, "webgpu");
    expect(message).toContain(`DeviceError: device webgpu does not work here: ${bare.address}/dist/web/ort-`);
    expect(message).toContain(
      `asyncify.mjs is missing. Copy ONNX Runtime's WebGPU build beside pearl's index.js: ${copyLine}`,
    );
    bare.server.close();
  });
});

describe.skipIf(!hasChromium)("without an adapter", () => {
  let [browser, site] = [] as unknown as [Browser, Site];
  beforeAll(async () => {
    [browser, site] = [await startChromium("--disable-gpu"), await startProject("without files")];
  });
  afterAll(async () => {
    await browser.close();
    site.server.close();
  });

  it.each([
    ["no adapter", "", "the browser has WebGPU, but no adapter (GPU) for it"],
    [
      "no WebGPU at all",
      'Object.defineProperty(navigator, "gpu", { value: undefined });',
      "the browser has no WebGPU, or hides it because the page came without HTTPS",
    ],
  ])("%s ends webgpu with the cure, which works", async (_, before, reason) => {
    const page = await browser.newPage();
    await page.route("**/worker.js", prefixed(before));
    await page.goto(`${site.address}/models/pearl-mini/config.json`);
    expect(await page.evaluate("navigator.gpu.requestAdapter()")).toBe(null);
    const message = await troubleIn(page, "webgpu");
    const cure = 'Use device "auto" or "cpu".';
    expect(message).toContain(`DeviceError: device webgpu does not work here: ${reason}. ${cure}`);
    const [auto, cpu] = [await encodeIn(page, "auto"), await encodeIn(page, "cpu")];
    expect([auto.device, cpu.device, cpu.notes]).toEqual(["cpu", "cpu", []]);
    expect(auto.notes).toEqual([expect.stringContaining(reason)]);
    expect(auto.vectors).toEqual(cpu.vectors);
    expect(site.asked.filter((path) => path.includes("asyncify"))).toEqual([]);
    await page.close();
  });

  it("devices that browsers do not have are refused", async () => {
    const page = await emptyPage(browser, site);
    const troubleWith = (device: string) => troubleIn(page, device as DeviceChoice);
    expect(await troubleWith("gpu")).toContain(
      'ArgumentError: unknown device "gpu": choose auto, cpu, webgpu',
    );
    expect(await troubleWith("cuda")).toContain("DeviceError: device cuda does not work here");
  });
});
