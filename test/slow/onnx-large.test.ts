import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { encodeModel, readModel, writeModel } from "../../src/onnx/io/file.js";
import { tensor } from "../../src/onnx/tensor.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-onnx-large-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("writes weights over 2 GB to a separate file, and reads them back (4.5 GB of memory)", () => {
  const size = 2 ** 31 + 5000; // one tensor longer than a signed 32-bit number counts
  const marks = { 0: 1, [2 ** 30]: -5, [2 ** 31 - 1]: 11, [2 ** 31 + 4321]: 77 };
  const data = new Int8Array(size);
  for (const [place, value] of Object.entries(marks)) data[Number(place)] = value;
  const g = new GraphBuilder();
  g.weight("large", tensor("int8", [size], data));
  g.weight("next", tensor("float32", [1024], new Float32Array(1024).fill(3)));
  expect(() => encodeModel(g.model())).toThrow("exceed 2 GB: write it to a path, with external data");

  const path = join(folder, "model.onnx");
  writeModel(g.model(), path);
  expect(statSync(path).size).toBeLessThan(1000);
  const { initializers } = readModel(path).graph;
  const large = initializers.get("large")!.data;
  expect(large.length).toBe(size);
  for (const [place, value] of Object.entries(marks)) expect(large[Number(place)]).toBe(value);
  expect(initializers.get("next")!.data).toEqual(new Float32Array(1024).fill(3));
});
