/** The page's side of pearl in a browser, with workers that are made up; test/slow/web/library.test.ts has real ones. */
import { beforeEach, expect, it, vi } from "vitest";
import { PhraseEncoder } from "../../src/web/index.js";

/** A worker that answers calls, until it fails. */
class MadeUpWorker {
  ended = false;
  readonly calls: { method: string; payload: { id: number; index?: number } }[] = [];
  readonly terminate = vi.fn(async () => {});

  async call(method: string, payload: { id: number; index?: number }) {
    if (this.ended) throw new Error("the worker failed");
    this.calls.push({ method, payload });
    return method === "load" ? { dimension: 2, device: "cpu", notes: [] } : undefined;
  }
}

const workers = vi.hoisted((): unknown[] => []) as MadeUpWorker[];
vi.mock("../../src/runtime/worker-client.js", () => ({
  startWorker: () => workers[workers.push(new MadeUpWorker()) - 1],
}));
beforeEach(() => void vi.stubGlobal("document", { baseURI: "http://localhost/" }));

it("a worker that failed is replaced, and what it held is no other's", async () => {
  const lost = await PhraseEncoder.load();
  await lost.index(["a"]);
  workers[0].ended = true;
  const encoder = await PhraseEncoder.load();
  await encoder.index(["b"]);
  await encoder.encode([]).catch(() => {});
  expect(workers).toHaveLength(2);
  expect(workers[0].terminate).toHaveBeenCalledTimes(1);
  const loaded = workers.map(({ calls }) => calls[0].payload.id);
  const indexed = workers.map(({ calls }) => calls[1].payload.index);
  expect(new Set([...loaded, ...indexed]).size).toBe(4);
  await lost.fingerprint();
  expect(workers[1].calls.at(-1)?.payload.id).toBe(loaded[0]);
});
