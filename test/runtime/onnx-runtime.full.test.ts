/** The WebAssembly runtime, which stands in where onnxruntime-node is not installed; test/slow/runtimes trains with it. */
import { describe, expect, it } from "vitest";
import { pearl } from "../cli/run-cli.js";
import { differenceInWebAssembly, web } from "./in-webassembly.js";

describe("without onnxruntime-node", () => {
  it("gives native vectors", async () => {
    expect(await differenceInWebAssembly({ threads: 1 })).toBeLessThan(1e-6);
  });

  it("refuses a device that only the native runtime has", async () => {
    const { code, stderr } = await pearl(["encode", "data/phrases.txt", "-o", "-", "--device", "webgpu"], {
      environment: web,
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain("device webgpu does not work here: it needs onnxruntime-node");
  });
});
