/** pearl-embeddings/web on WebGPU: in Debian's Chromium on SwiftShader, from a folder made as docs/web.md says. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { embeddedNames } from "../../../src/architectures/embedded.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import type { DeviceChoice } from "../../../src/web/index.js";
import { hasChromium, startChromium, swiftShader } from "../chromium.js";
import { emptyPage, type Site, withPearl } from "./pages.js";

const script = new URL("../../../examples/playground/serve.mjs", import.meta.url).href;
const { folderServer } = (await import(script)) as { folderServer: (folder: string) => Server };

const phrases = ["The New York Times", "NYTimes", "Zürich", "東京", "", "O'Brien & Söhne GmbH", "😀 café", "3M"];

const copyLine = /^cp .*asyncify.*$/m.exec(readFileSync("docs/web.md", "utf8"))![0];

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
  if (files === "with files") execFileSync("bash", ["-ec", copyLine], { cwd: project });
  symlinkSync("../pearl", join(project, "public/dist/web"));
  symlinkSync(resolve("models"), join(project, "public/models"));
  const server = folderServer(join(project, "public"));
  server.on("close", () => rmSync(project, { recursive: true }));
  const asked: string[] = [];
  server.prependListener("request", ({ url }) => asked.push(url ?? ""));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

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
    // another runtime's files, not the WebAssembly build's, are what computed them
    expect(site.asked.filter((path) => path.includes("asyncify.wasm"))).not.toEqual([]);
    expect(site.asked.filter((path) => path.endsWith("threaded.wasm"))).toEqual([]);
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
});
