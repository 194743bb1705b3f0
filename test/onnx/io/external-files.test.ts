/** The files that hold a graph's weights, found by its fields alone. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { externalFiles } from "../../../src/onnx/io/external-files.js";
import { writeModel } from "../../../src/onnx/io/file.js";
import { decodeModelProto, encodeModelProto, type Message } from "../../../src/onnx/io/schema.js";
import { tensor } from "../../../src/onnx/tensor.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-external-"));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, "model.onnx");

/** y = x · w + b; w takes 1.2 MB. */
function write(externalData: "always" | "auto"): void {
  const g = new GraphBuilder();
  const w = g.weight("w", tensor("float32", [1000, 300], new Float32Array(300_000)));
  const b = g.weight("b", tensor("float32", [300], new Float32Array(300)));
  g.output("y", g.add("Add", [g.add("MatMul", [g.input("x", "float32", [1, 1000]), w]), b]), "float32");
  writeModel(g.model(), path, { externalData });
}

/** Changes the message of the graph. */
function edit(change: (proto: Message<"ModelProto">) => void): void {
  const proto = decodeModelProto(readFileSync(path));
  change(proto);
  writeFileSync(path, encodeModelProto(proto));
}
const at = (location: string) => [
  { key: "offset", value: "-1" },
  { key: "location", value: location },
];

it("names each once, also those of attributes, whatever their names", () => {
  write("always");
  expect(externalFiles(path)).toEqual(["model.onnx_data"]);
  edit(({ graph }) => {
    graph!.initializers![0].externalData = at("./weights/part 1.bin");
    const constant = { dims: [2 ** 40], dataLocation: 1, externalData: at("model.onnx.data") };
    const inner = { nodes: [{ op: "Constant", attributes: [{ name: "value", type: 5, tensor: constant }] }] };
    graph!.nodes!.push({ op: "If", attributes: [{ name: "then_branch", type: 6, graph: inner }] });
  });
  expect(externalFiles(path).sort()).toEqual(["model.onnx.data", "model.onnx_data", "weights/part 1.bin"]);
});

it("finds none in a graph that holds its weights", () => {
  write("auto");
  expect(externalFiles(path)).toEqual([]);
});

it.each(["../secret", "a/../../secret", "/etc/hostname", "C:\\secret", ""])(
  "leaves out %j, which readModel refuses",
  (location) => {
    write("always");
    edit(({ graph }) => {
      for (const weights of graph!.initializers!) weights.externalData = at(location);
    });
    expect(externalFiles(path)).toEqual([]);
  },
);

it("of a file that is cut off or no graph finds what it can", () => {
  write("always");
  const whole = readFileSync(path);
  for (let size = 0; size < whole.length; size++) {
    writeFileSync(path, whole.subarray(0, size));
    expect([[], ["model.onnx_data"]]).toContainEqual(externalFiles(path));
  }
  writeFileSync(path, "version https://git-lfs.github.com/spec/v1");
  expect(externalFiles(path)).toEqual([]);
  expect(externalFiles(folder)).toEqual([]);
});
