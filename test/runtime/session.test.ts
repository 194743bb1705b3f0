import { describe, expect, it } from "vitest";
import { DeviceError, ModelError } from "../../src/errors.js";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel } from "../../src/onnx/io/file.js";
import { parseDevice } from "../../src/runtime/device.js";
import { candidates } from "../../src/runtime/devices/choose-device.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";

/** y = x · xᵀ */
function gramGraph(): Uint8Array {
  const g = new GraphBuilder();
  const x = g.input("x", "float32", ["rows", "width"]);
  const y = g.add("MatMul", [x, g.add("Transpose", [x], { perm: [1, 0] })]);
  g.output("y", y, "float32", ["rows", "rows"]);
  return encodeModel(g.model());
}

const feeds = { x: { type: "float32", dims: [2, 2], data: Float32Array.of(1, 2, 3, 4) } } as const;

describe("createOrtSession", () => {
  it("runs a graph, several times at once", async () => {
    const session = await createOrtSession(gramGraph());
    expect(session).toMatchObject({ device: "cpu", inputNames: ["x"], outputNames: ["y"] });
    const runs = await Promise.all([session.run(feeds), session.run(feeds, ["y"])]);
    for (const { y } of runs) expect([...y.data]).toEqual([5, 11, 11, 25]);
    await session.release();
    await expect(session.run(feeds)).rejects.toThrow();
  });

  it.each(["off", "brief", "on"] as const)(
    "gives the same numbers with idle threads' spinning %s",
    async (spinning) => {
      const session = await createOrtSession(gramGraph(), { threads: 2, spinning });
      const { y } = await session.run(feeds);
      expect([...y.data]).toEqual([5, 11, 11, 25]);
      await session.release();
    },
  );

  it("rejects bytes that are no model, and a run without its input", async () => {
    await expect(createOrtSession(Uint8Array.of(1, 2, 3), { label: "three bytes" })).rejects.toThrow(
      ModelError,
    );
    const session = await createOrtSession(gramGraph());
    await expect(session.run({})).rejects.toThrow(/x/);
    await session.release();
  });

  it("says why a device does not work", async () => {
    if (candidates().find(({ device }) => device === "cuda")?.missing !== undefined)
      await expect(createOrtSession(gramGraph(), { device: "cuda" })).rejects.toThrow(DeviceError);
    expect(() => parseDevice("gpu")).toThrow(/auto, cpu, webgpu, cuda/);
  });
});
