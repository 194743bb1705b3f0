import { cpSync, lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readModel, writeModel } from "../../src/onnx/index.js";
import { smallWordModel } from "./small-word-model.js";

const script = new URL("../../scripts/pearl-mini/average.mjs", import.meta.url).href;
const { averageModels } = (await import(script)) as {
  averageModels: (models: { folder: string; share: number }[], output: string, typeHead?: string) => void;
};

let folder: string;
const model = (name: string, seed: number, meaning = 16, kinds = 5) =>
  smallWordModel(join(folder, name), seed, { meaning, kinds });
const equal = (...folders: string[]) => folders.map((one) => ({ folder: one, share: 1 }));
const numbers = (path: string, name: string) =>
  Array.from(readModel(join(path, "onnx/model.onnx")).graph.initializers.get(name)?.data ?? [], Number);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-average-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the average of several trainings", () => {
  it("has the weighted mean of each weight, and tells of every training", async () => {
    const models = [await model("a", 1), await model("b", 2), await model("c", 3)];
    const output = join(folder, "mean");
    averageModels(
      models.map((one, i) => ({ folder: one, share: i + 1 })),
      output,
    );
    for (const name of ["vectors.weight", "block0.query.weight", "share.weight"]) {
      const [a, b, c] = models.map((path) => numbers(path, name));
      const mean = numbers(output, name);
      expect(mean.length).toBeGreaterThan(20);
      mean.forEach((value, i) => {
        expect(value).toBeCloseTo((a[i] + 2 * b[i] + 3 * c[i]) / 6, 5);
      });
    }
    const { seed, averaged } = JSON.parse(readFileSync(join(output, "training.json"), "utf8"));
    expect(seed).toBe(1);
    expect(averaged).toEqual([
      { name: "a", share: 1, seed: 1 },
      { name: "b", share: 2, seed: 2 },
      { name: "c", share: 3, seed: 3 },
    ]);
  });

  it("leaves a training alone that is a link, and the files in it", async () => {
    const [a, b] = [await model("whole", 11), await model("other", 12)];
    const link = join(folder, "link");
    symlinkSync(a, link);
    const before = readFileSync(join(a, "onnx/model.onnx"));
    const output = join(folder, "of-a-link");
    averageModels(equal(link, b), output);
    expect(readFileSync(join(a, "onnx/model.onnx")).equals(before)).toBe(true);
    expect(JSON.parse(readFileSync(join(a, "training.json"), "utf8"))).toEqual({ seed: 11 });
    expect(lstatSync(output).isSymbolicLink()).toBe(false);
    expect(numbers(output, "vectors.weight")).not.toEqual(numbers(a, "vectors.weight"));
  });

  it("takes the layers of types from one of them where that is asked for", async () => {
    const [a, b] = [await model("first", 8), await model("second", 9)];
    const output = join(folder, "headed");
    averageModels(equal(a, b), output, b);
    expect(numbers(output, "type_hidden.weight")).toEqual(numbers(b, "type_hidden.weight"));
    expect(numbers(output, "class_out.bias")).toEqual(numbers(b, "class_out.bias"));
    const [first] = numbers(output, "vectors.weight");
    expect(first).toBeCloseTo((numbers(a, "vectors.weight")[0] + numbers(b, "vectors.weight")[0]) / 2, 6);
    expect(() => averageModels(equal(a, b), output, "elsewhere")).toThrow("not among");
  });

  it("gives kinds of OTHER to a model that knows none, which together weigh as OTHER did", async () => {
    const [knowing, plain] = [await model("knowing", 5), await model("no-kinds", 6, 16, 0)];
    const output = join(folder, "grown");
    averageModels(
      [
        { folder: knowing, share: 1e-6 },
        { folder: plain, share: 1 },
      ],
      output,
    );
    const logits = (weights: readonly number[]) => {
      const row = Array.from({ length: 128 }, (_, i) => Math.sin(i));
      const at = weights.length / 128;
      return Array.from({ length: at }, (_, type) =>
        row.reduce((sum, x, i) => sum + x * weights[type * 128 + i], 0),
      );
    };
    const of = (path: string) => {
      const bias = numbers(path, "type_out.bias");
      return logits(numbers(path, "type_out.weight")).map((logit, type) => logit + bias[type]);
    };
    const [before, after] = [of(plain), of(output)];
    expect([before.length, after.length]).toEqual([19, 24]);
    before.slice(0, 18).forEach((logit, type) => {
      expect(after[type]).toBeCloseTo(logit, 3);
    });
    const together = Math.log(after.slice(18).reduce((sum, logit) => sum + Math.exp(logit), 0));
    expect(together).toBeCloseTo(before[18], 3);
    expect(() =>
      averageModels(
        [plain, knowing].map((one) => ({ folder: one, share: 1 })),
        join(folder, "none"),
      ),
    ).toThrow("type_out");
  });

  it("refuses other architectures, and tables that are rounded already", async () => {
    const [a, wide] = [await model("plain", 1), await model("wide", 1, 24)];
    expect(() => averageModels(equal(a, wide), join(folder, "none"))).toThrow(/\[.*24.*\]|architectures/);
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
    expect(() => averageModels(equal(a, rounded), join(folder, "none"))).toThrow(
      "average before they are rounded",
    );
  });
});
