/** Where a page's model runs, with a browser and a server that are made up; test/slow/web/webgpu.test.ts has real ones. */
import { afterEach, expect, it, vi } from "vitest";
import { DeviceError, ModelError } from "../../src/errors.js";
import { onDevice } from "../../src/web/device.js";

afterEach(() => vi.unstubAllGlobals());

/** A browser with a GPU, and a server with the files of WebGPU. */
function stubBrowser({ isProgram = false, answer = async () => new Response() } = {}) {
  const gpu = { requestAdapter: async () => ({ info: { isFallbackAdapter: isProgram } }) };
  vi.stubGlobal("navigator", { gpu });
  const fetch = vi.fn(answer);
  vi.stubGlobal("fetch", fetch);
  return fetch;
}
const nameOf = async (device: string) => device;

it("the CPU asks neither the browser nor the server", async () => {
  const fetch = stubBrowser();
  expect(await onDevice("cpu", nameOf)).toEqual({ opened: "cpu", notes: [] });
  expect(fetch).not.toHaveBeenCalled();
});

it("a program that poses as a GPU is used by name alone", async () => {
  stubBrowser({ isProgram: true });
  expect((await onDevice("webgpu", nameOf)).opened).toBe("webgpu");
  expect((await onDevice("auto", nameOf)).opened).toBe("cpu");
});

it("auto takes the CPU where the model cannot be opened on the GPU, and says why", async () => {
  stubBrowser();
  const open = async (device: string) => {
    if (device === "webgpu") throw new DeviceError("too little memory");
    return device;
  };
  expect(await onDevice("auto", open)).toEqual({ opened: "cpu", notes: ["too little memory"] });
  await expect(onDevice("webgpu", open)).rejects.toThrow("too little memory");
});

it("a damaged model ends auto, too", async () => {
  stubBrowser();
  const open = vi.fn(async () => {
    throw new ModelError("damaged");
  });
  await expect(onDevice("auto", open)).rejects.toThrow("damaged");
  expect(open).toHaveBeenCalledTimes(1);
});

it.each([
  ["a network that is down", () => Promise.reject(new TypeError("Failed to fetch"))],
  ["a server that knows no HEAD", async () => new Response(null, { status: 405 })],
])("%s does not count as missing files: the browser may have kept them", async (_, answer) => {
  stubBrowser({ answer });
  expect(await onDevice("webgpu", nameOf)).toEqual({ opened: "webgpu", notes: [] });
});
