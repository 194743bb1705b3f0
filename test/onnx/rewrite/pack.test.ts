/** Graphs whose batch comes in one vector, computed on the CPU beside the plain graph; test/slow/webgpu runs them there. */
import { describe, expect, it } from "vitest";
import { withOpening } from "../../../src/encoder/graph/device-session.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel, readModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { packInputs } from "../../../src/onnx/rewrite/pack.js";
import { typeCode } from "../../../src/onnx/tensor.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import { createPackedSession } from "../../../src/runtime/packed-session.js";
import { type Feeds, float32, int32, int64 } from "../../../src/runtime/tensor.js";
import { feedsOf, golden } from "../../autodiff/oracle.js";
import { oracleExports, oracleFolder } from "../../encoder/oracle-model.js";
import { oracleProgram } from "../../training/oracle-task.js";

const inputsOf = ({ graph }: Model) => graph.inputs.map(({ name }) => name);

/** The outputs of a graph, and those of the packed one. */
async function bothWays(model: Model, feeds: Feeds) {
  const plain = await createOrtSession(encodeModel(model));
  const packed = await createPackedSession(model, new Set(Object.keys(feeds)), {});
  const found = [await plain.run(feeds), await packed.run(feeds)] as const;
  await Promise.all([plain.release(), packed.release()]);
  return found;
}

const batch = feedsOf(golden().batches[0]);

describe("a batch in one vector", () => {
  it.each(oracleExports)("gives the same numbers and is all that a device reads: %s", async (file) => {
    const model = readModel(`${oracleFolder}/${file}`);
    const names = inputsOf(model);
    const feeds = Object.fromEntries(names.map((name) => [name, batch[name]]));
    const [plain, packed] = await bothWays(model, feeds);
    expect(packed).toEqual(plain);
    const { device, values } = packInputs(model, new Set(names));
    expect(device.graph.inputs.map(({ type }) => type).filter((type) => type === "float32")).toHaveLength(1);
    expect(values.size).toBeGreaterThan(1);
    // ids are left for their shape alone
    const readers = device.graph.nodes.filter(({ inputs }) => inputs.some((name) => names.includes(name)));
    expect([...new Set(readers.map(({ op }) => op))].filter((op) => op !== "Shape")).toEqual([]);
  });

  it("gives the same loss with labels, weights and masks of a training", async () => {
    const { model, loss, parts = [] } = oracleProgram();
    const [plain, packed] = await bothWays(model, batch);
    for (const name of [loss, ...parts]) expect(packed[name]).toEqual(plain[name]);
  });

  it("cuts integers by the shape of what the device computes, and compares them there", async () => {
    const g = new GraphBuilder();
    const groups = g.input("groups", "int32", ["rows"]);
    const labels = g.input("labels", "int64", ["rows"]);
    const x = g.input("x", "float32", ["few"]);
    const few = g.add("Shape", [g.add("Exp", [x])]);
    const own = g.add("Slice", [groups, g.ints(0), few]);
    const equal = g.add("Equal", [g.add("Unsqueeze", [own, g.ints(1)]), groups]);
    g.output("equal", g.add("Cast", [equal], { to: typeCode("float32") }));
    const isKnown = g.add("GreaterOrEqual", [labels, g.scalar("int64", 1)]);
    g.output("known", g.add("Cast", [isKnown], { to: typeCode("float32") }));
    const feeds = { groups: int32([7, 8, 7]), labels: int64([0, 1, -1]), x: float32([1, 2]) };
    const [plain, packed] = await bothWays(g.model(), feeds);
    expect(packed).toEqual(plain);
    expect(Array.from(packed.equal.data as Float32Array)).toEqual([1, 0, 1, 0, 1, 0]);
    const { device, values } = packInputs(g.model(), new Set(Object.keys(feeds)));
    expect([...values.keys()].sort()).toEqual(["groups", "labels", "x"]);
    expect(inputsOf(device)).not.toContain("groups");
  });

  it("refuses integers that float32 does not hold", async () => {
    const g = new GraphBuilder();
    const ids = g.input("ids", "int32", ["rows"]);
    g.output("y", g.add("Cast", [ids], { to: typeCode("float32") }));
    const session = await createPackedSession(g.model(), new Set(["ids"]), {});
    const { y } = await session.run({ ids: int32([2 ** 24, -(2 ** 24)]) });
    expect(Array.from(y.data as Float32Array)).toEqual([2 ** 24, -(2 ** 24)]);
    await expect(session.run({ ids: int32([2 ** 24 + 2]) })).rejects.toThrow(
      "ids has integers above 16777216",
    );
    await session.release();
  });

  it.each(oracleExports)("puts ids that all rows begin with before their own: %s", async (file) => {
    const model = readModel(`${oracleFolder}/${file}`);
    const feeds = Object.fromEntries(inputsOf(model).map((name) => [name, batch[name]]));
    const plain = await createOrtSession(encodeModel(model));
    const pinned = withOpening(model) as Model;
    const names = new Set([...Object.keys(feeds), "opening_length"]);
    const session = await createPackedSession(pinned, names, {});
    const expected = await plain.run(feeds);
    // every row begins with [CLS], 101
    const kept = { opening_ids: int32([101]), opening_length: int64([1]) };
    expect(await session.run({ ...feeds, ...kept })).toEqual(expected);
    // the ids come from there, not from the batch
    const others = await session.run({ ...feeds, ...kept, opening_ids: int32([102]) });
    expect(others).not.toEqual(expected);
    await Promise.all([plain.release(), session.release()]);
  });
});
