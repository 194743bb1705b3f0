/** Files of models over HTTP: what failed once may succeed later. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const kept = new Map<string, Response>();
const cache = {
  match: async (address: string) => kept.get(address)?.clone(),
  put: async (address: string, response: Response) => void kept.set(address, response),
  delete: async () => true,
};
const listing = JSON.stringify({ files: { "config.json": [2, "00000000"] } });
const fetched = vi.fn<() => Promise<Response>>();

beforeEach(() => {
  kept.clear();
  vi.resetModules();
  vi.stubGlobal("caches", { open: async () => cache });
  vi.stubGlobal("fetch", fetched);
});
afterEach(() => vi.unstubAllGlobals());
const open = () => import("../../src/files/disk.browser.js");

it("asks again for a listing that could not be fetched, and once for one that was", async () => {
  const { exists, kindOf } = await open();
  fetched.mockRejectedValueOnce(new Error("offline"));
  await expect(exists("m/config.json")).rejects.toThrow("m/checksums.json cannot be fetched: offline");
  fetched.mockResolvedValueOnce(new Response("", { status: 404 }));
  expect(await kindOf("m/onnx/model.onnx")).toBeUndefined();
  fetched.mockResolvedValueOnce(new Response("<!doctype html>"));
  expect(await kindOf("m/onnx/model.onnx")).toBeUndefined();
  expect(kept.size).toBe(0);
  fetched.mockResolvedValueOnce(new Response("", { status: 503 }));
  await expect(exists("m/config.json")).rejects.toThrow("cannot be fetched: the server answered 503");
  fetched.mockResolvedValueOnce(new Response(listing));
  for (const [name, isThere] of [["config.json", true] as const, ["words.txt", false] as const])
    expect(await exists(`m/${name}`)).toBe(isThere);
  expect(fetched).toHaveBeenCalledTimes(5);
});

it("takes the listing that it kept where the server fails", async () => {
  fetched.mockResolvedValueOnce(new Response(listing));
  await (await open()).exists("m/config.json");
  vi.resetModules();
  fetched.mockResolvedValueOnce(new Response("", { status: 503 }));
  expect(await (await open()).exists("m/config.json")).toBe(true);
});

it("works without a cache where the browser refuses it, or keeps nothing", async () => {
  const full = {
    ...cache,
    put: () => Promise.reject(new Error("QuotaExceededError")),
  };
  const refused = () => Promise.reject(new Error("SecurityError"));
  for (const caches of [{ open: async () => full }, { open: refused }]) {
    vi.resetModules();
    vi.stubGlobal("caches", caches);
    fetched.mockResolvedValueOnce(new Response(listing)).mockResolvedValueOnce(new Response("{}"));
    const { fileSize, readText } = await open();
    expect(await readText("m/config.json")).toBe("{}");
    expect(await fileSize("m/config.json")).toBe(2);
  }
});
