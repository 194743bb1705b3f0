/** What a training starts from. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import { ArgumentError } from "../../src/errors.js";
import { averagedWithBase, createModel, describeBase, startOfBase } from "../../src/methods/start-model.js";
import { tensor } from "../../src/onnx/tensor.js";
import { makeOracleModel } from "../encoder/oracle-model.js";
import { newFolder } from "../setup/new-folder.js";

const oracle = () => readModelFolder(makeOracleModel("encoder.folded.onnx"));
const embedded = () => readModelFolder("models/pearl-mini");

describe("startOfBase", () => {
  it("gives a transformer a type head for the types that are asked for", async () => {
    const start = await startOfBase(await oracle(), { types: ["even", "odd"], seed: 1 });
    expect(start.labels).toEqual(["even", "odd"]);
    expect(start.assembled.model.graph.initializers.get("type_head.weight")?.dims).toEqual([2, 32]);
    const without = await startOfBase(await oracle(), { types: [], seed: 1 });
    expect(without.assembled.types).toEqual([]);
  });

  it("names a type that an architecture with types of its own does not have", async () => {
    const start = startOfBase(await embedded(), { types: ["NP-ORG", "even"], seed: 1 });
    await expect(start).rejects.toThrow(/"even" is not one of the \d+ types of pearl-mini/);
  });
});

describe("describeBase", () => {
  it("keeps a hub's name, and only the last part of a path", async () => {
    const base = await oracle();
    expect((await describeBase("someone/model", base)).name).toBe("someone/model");
    const record = await describeBase(base.path, base);
    expect(record.name).toBe(base.name);
    expect(record.fingerprint).toMatch(/^[0-9a-f]{16,}$/);
  });
});

describe("averagedWithBase", () => {
  it("moves trained weights towards the base's, but not the type head", async () => {
    const base = await oracle();
    const { assembled } = await startOfBase(base, { types: ["even", "odd"], seed: 1 });
    const before = assembled.model.graph.initializers;
    const names = ["embeddings.LayerNorm.bias", "type_head.bias"];
    const trained = new Map(
      names.map((name) => {
        const data = before.get(name)?.data as Float32Array;
        const higher = Array.from(data, (value) => value + 1);
        return [name, tensor("float32", [data.length], higher)];
      }),
    );
    const averaged = averagedWithBase(trained, base, { share: 0.25 });
    const moved = names.map((name) => {
      const [first] = averaged.get(name)?.data ?? [];
      return Number(first) - Number(before.get(name)?.data[0]);
    });
    expect(moved[0]).toBeCloseTo(0.25, 5);
    expect(moved[1]).toBeCloseTo(1, 5);
    expect(averagedWithBase(trained, base, {})).toBe(trained);
  });
});

describe("createModel", () => {
  it("writes an untrained model that opens, the same for the same seed", async () => {
    const parent = newFolder();
    const create = async (name: string, seed: number) => {
      const settings = { from: "ngrams", width: 8, buckets: 64 };
      await createModel(join(parent, name), settings, { phrases: ["red wine"], seed });
      return readFileSync(join(parent, name, "onnx", "model.onnx"));
    };
    const first = await create("first", 1);
    expect(await create("second", 1)).toEqual(first);
    expect(await create("third", 2)).not.toEqual(first);
    const model = await readModelFolder(join(parent, "first"));
    expect(model.features.map(({ kind }) => kind)).toEqual(["hashed-ngrams"]);
    expect(model.dimension).toBe(8);
  });

  it("refuses a part that no architecture has, and writes nothing", async () => {
    const parent = newFolder();
    const creating = createModel(join(parent, "new"), { from: "runes" }, { phrases: [] });
    await expect(creating).rejects.toThrow(ArgumentError);
    await expect(creating).rejects.toThrow(/no architecture has a part "runes"/);
    expect(readdirSync(parent)).toEqual([]);
  });
});
