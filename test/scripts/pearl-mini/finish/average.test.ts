import { cpSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readModel, writeModel } from "../../../../src/onnx/io/file.js";
import { smallWordModel } from "./small-word-model.js";

const script = new URL("../../../../scripts/pearl-mini/finish/average.mjs", import.meta.url).href;
const { averageModels } = (await import(script)) as {
  averageModels: (folders: string[], output: string, options?: { spellingOf?: number }) => void;
};

let folder: string;
const model = (name: string, seed: number, meaning?: number) =>
  smallWordModel(join(folder, name), seed, { meaning });
const numbers = (path: string, name: string) =>
  Array.from(readModel(join(path, "onnx/model.onnx")).graph.initializers.get(name)?.data ?? [], Number);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-average-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the average of several trainings", () => {
  it("has the mean of each weight and lists every training", async () => {
    const models = [await model("a", 1), await model("b", 2), await model("c", 3)];
    const output = join(folder, "mean");
    averageModels(models, output);
    for (const name of ["vectors.weight", "block0.query.weight", "share.weight"]) {
      const [a, b, c] = models.map((path) => numbers(path, name));
      const mean = numbers(output, name);
      expect(mean.length).toBeGreaterThan(20);
      mean.forEach((value, i) => {
        expect(value).toBeCloseTo((a[i] + b[i] + c[i]) / 3, 5);
      });
    }
    const { seed, averaged } = JSON.parse(readFileSync(join(output, "training.json"), "utf8"));
    expect(seed).toBe(1);
    expect(averaged).toEqual([
      { name: "a", seed: 1 },
      { name: "b", seed: 2 },
      { name: "c", seed: 3 },
    ]);
  });

  it("averages the spelling weights of the first models and the other weights of all", async () => {
    const models = [await model("first", 1), await model("second", 2), await model("third", 3)];
    const output = join(folder, "spelling-of-two");
    averageModels(models, output, { spellingOf: 2 });
    const expected = (name: string, count: number) => {
      const all = models.slice(0, count).map((path) => numbers(path, name));
      return all[0].map((_, i) => all.reduce((sum, own) => sum + own[i], 0) / count);
    };
    for (const [name, count] of [
      ["ngrams.weight", 2],
      ["char_weight_rare.weight", 2],
      ["from_characters.weight", 3],
      ["vectors.weight", 3],
    ] as const) {
      const wanted = expected(name, count);
      expect(wanted.length).toBeGreaterThan(7);
      numbers(output, name).forEach((value, i) => {
        expect(value).toBeCloseTo(wanted[i], 5);
      });
    }
  });

  it("follows a link to a training and does not change the files behind it", async () => {
    const [a, b] = [await model("whole", 11), await model("other", 12)];
    const link = join(folder, "link");
    symlinkSync(a, link);
    const before = readFileSync(join(a, "onnx/model.onnx"));
    const output = join(folder, "of-a-link");
    averageModels([link, b], output);
    expect(readFileSync(join(a, "onnx/model.onnx")).equals(before)).toBe(true);
    expect(JSON.parse(readFileSync(join(a, "training.json"), "utf8"))).toEqual({ seed: 11 });
    expect(lstatSync(output).isSymbolicLink()).toBe(false);
    expect(numbers(output, "vectors.weight")).not.toEqual(numbers(a, "vectors.weight"));
  });

  it("rejects different architectures and quantised tables", async () => {
    const [a, wide] = [await model("plain", 1), await model("wide", 1, 24)];
    expect(() => averageModels([a, wide], join(folder, "none"))).toThrow("different architectures");
    const rounded = join(folder, "rounded");
    cpSync(a, rounded, { recursive: true });
    const path = join(rounded, "onnx/model.onnx");
    const model8 = readModel(path);
    const table = model8.graph.initializers.get("ngrams.weight");
    model8.graph.initializers.set("rounded", {
      ...table,
      type: "int8",
      data: new Int8Array(8),
      dims: [8],
    } as never);
    writeModel(model8, path);
    expect(() => averageModels([a, rounded], join(folder, "none"))).toThrow(
      "Average models before quantisation",
    );
  });
});
