import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel, readModel, writeModel } from "../../../src/onnx/io/file.js";
import { decodeModelProto, encodeModelProto, type Message } from "../../../src/onnx/io/schema.js";
import type { Model } from "../../../src/onnx/model.js";
import { tensor } from "../../../src/onnx/tensor.js";
import {
  exportNames,
  exportPath,
  golden,
  goldenFeeds,
  largestDifference,
  meanPool,
  runModel,
} from "../oracle.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-onnx-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** y = x · w, with 512 × 3 weights: large enough to be moved beside the model. */
function productModel(): Model {
  const g = new GraphBuilder();
  const w = g.weight(
    "w",
    tensor(
      "float32",
      [512, 3],
      Float32Array.from({ length: 1536 }, (_, i) => Math.sin(i)),
    ),
  );
  g.output("y", g.add("MatMul", [g.input("x", "float32", ["batch", 512]), w]), "float32", ["batch", 3]);
  return g.model();
}

describe("the exported encoders", () => {
  it.each(exportNames)("%s: reading and writing keeps the whole model", (name) => {
    const once = readModel(exportPath(name));
    expect(readModel(encodeModel(once))).toEqual(once);
    expect(once.graph.nodes.length).toBeGreaterThan(200);
    expect(once.producer).toBe("pytorch");
  });

  it.each(exportNames)("%s: the written model computes the same numbers, to the bit", async (name) => {
    const before = await runModel(readFileSync(exportPath(name)), goldenFeeds());
    const after = await runModel(readModel(exportPath(name)), goldenFeeds());
    expect(after.last_hidden_state.data).toEqual(before.last_hidden_state.data);
  });

  it("gives PyTorch's embeddings after a round trip", async () => {
    const feeds = goldenFeeds();
    const { last_hidden_state } = await runModel(readModel(exportPath("folded")), feeds);
    const pooled = meanPool(last_hidden_state, feeds.attention_mask);
    expect(largestDifference(pooled, golden().float64.forward.anchor_embeddings.flat())).toBeLessThan(1e-5);
  });

  it("writes the same bytes of every field as the exporter, unknown ones included", () => {
    const bytes = readFileSync(exportPath("folded"));
    const again = encodeModel(readModel(bytes));
    expect(readModel(again)).toEqual(readModel(bytes));
    expect(encodeModel(readModel(again))).toEqual(again);
    expect(Math.abs(again.length - bytes.length)).toBeLessThan(bytes.length * 0.02);
  });

  it("refuses a file that is cut off anywhere, with its name", () => {
    const bytes = readFileSync(exportPath("folded"));
    const path = join(folder, "cut.onnx");
    for (let i = 0; i < 60; i++) {
      const length = Math.floor(((bytes.length - 20) * i) / 60);
      writeFileSync(path, bytes.subarray(0, length));
      expect(() => readModel(path), `cut at ${length}`).toThrow(ModelError);
      expect(() => readModel(path)).toThrow(/cut\.onnx .*(again|empty)/);
    }
  });

  it("gives a model or a ModelError, never another error, for damaged bytes", () => {
    const bytes = readFileSync(exportPath("folded"));
    let state = 12345;
    const random = (n: number) => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    for (let round = 0; round < 200; round++) {
      const damaged = Buffer.from(bytes);
      for (let i = 0; i < 5; i++) damaged[random(round < 100 ? 40_000 : damaged.length)] = random(256);
      try {
        readModel(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(ModelError);
      }
    }
  });
});

describe("a file that is no model", () => {
  it.each([
    ["empty.onnx", "", /empty\.onnx is empty/],
    ["page.onnx", "<!DOCTYPE html><html></html>", /page\.onnx is text/],
    ["pointer.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", /git lfs pull/],
    ["text.onnx", "these are just some words", /text\.onnx is not a whole ONNX model/],
    ["noise.onnx", "\u0007\u0001\u0002\u0003\u0004\u0005", /noise\.onnx is not a whole ONNX model/],
  ])("%s gives one clear ModelError", (name, content, message) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    expect(() => readModel(path)).toThrow(ModelError);
    expect(() => readModel(path)).toThrow(message);
  });

  it("the error names a missing file or a folder", () => {
    expect(() => readModel(join(folder, "nowhere.onnx"))).toThrow(/nowhere\.onnx cannot be read/);
    expect(() => readModel(folder)).toThrow(ModelError);
  });
});

describe("weights beside the model", () => {
  const x = { x: [...Array(512).keys()].map((i) => Math.cos(i)) };
  const run = async (model: Model) => {
    const { ort } = await import("../oracle.js");
    return (await runModel(model, { x: new ort.Tensor("float32", x.x, [1, 512]) })).y.data as Float32Array;
  };

  it("are written, read back equal, and also load in ONNX Runtime", async () => {
    const path = join(folder, "split.onnx");
    const model = productModel();
    writeModel(model, path, { externalData: "always" });
    expect(statSync(path).size).toBeLessThan(1000);
    expect(statSync(`${path}_data`).size).toBe(512 * 3 * 4);
    expect(readModel(path)).toEqual(model);
    const { ort } = await import("../oracle.js");
    const session = await ort.InferenceSession.create(path);
    const { y } = await session.run({ x: new ort.Tensor("float32", x.x, [1, 512]) });
    expect(y.data).toEqual(await run(model));
  });

  it("leave no partial file behind", () => {
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
    expect(() => writeModel(productModel(), join(folder, "no", "such", "folder.onnx"))).toThrow(ModelError);
  });

  it("missing or cut off: the error names the file", () => {
    const path = join(folder, "lost.onnx");
    writeModel(productModel(), path, { externalData: "always" });
    writeFileSync(`${path}_data`, new Uint8Array(100));
    expect(() => readModel(path)).toThrow(/lost\.onnx_data ends before byte/);
    rmSync(`${path}_data`);
    expect(() => readModel(path)).toThrow(/lost\.onnx_data is missing/);
    expect(() => readModel(readFileSync(path))).toThrow(/give the model's path/);
  });

  it.each(["../secret", "/etc/hostname", "a/../../secret", ""])(
    "outside the folder (%j) are refused",
    (location) => {
      const inner = join(folder, "inner");
      mkdirSync(inner, { recursive: true });
      const path = join(inner, "escape.onnx");
      writeModel(productModel(), path, { externalData: "always" });
      copyFileSync(`${path}_data`, join(folder, "secret"));
      const proto = decodeModelProto(readFileSync(path));
      proto.graph!.initializers![0].externalData!.find(({ key }) => key === "location")!.value = location;
      writeFileSync(path, encodeModelProto(proto));
      expect(() => readModel(path)).toThrow(/outside the model's folder/);
    },
  );
});

describe("tensors in every encoding of the format", () => {
  const read = (proto: Message<"TensorProto">) => {
    const message = decodeModelProto(encodeModel(productModel()));
    message.graph!.initializers = [{ name: "t", ...proto }];
    return readModel(encodeModelProto(message)).graph.initializers.get("t")!;
  };

  it.each<[string, Message<"TensorProto">, unknown]>([
    ["float_data", { dims: [2], dataType: 1, floatData: [1.5, -2] }, Float32Array.of(1.5, -2)],
    ["double_data", { dims: [1], dataType: 11, doubleData: [0.1] }, Float64Array.of(0.1)],
    ["int64_data", { dims: [2], dataType: 7, int64Data: [-1, 2 ** 40] }, BigInt64Array.of(-1n, 2n ** 40n)],
    ["int32_data", { dims: [2], dataType: 6, int32Data: [-7, 7] }, Int32Array.of(-7, 7)],
    ["int32_data as int8", { dims: [2], dataType: 3, int32Data: [-7, 7] }, Int8Array.of(-7, 7)],
    ["int32_data as float16 bits", { dims: [1], dataType: 10, int32Data: [0x3c00] }, Uint16Array.of(0x3c00)],
    ["int32_data as bool", { dims: [2], dataType: 9, int32Data: [1, 0] }, Uint8Array.of(1, 0)],
    [
      "uint64_data as uint32",
      { dims: [1], dataType: 12, uint64Data: [2 ** 32 - 1] },
      Uint32Array.of(2 ** 32 - 1),
    ],
    ["string_data", { dims: [2], dataType: 8, stringData: [Buffer.from("é"), Buffer.from("")] }, ["é", ""]],
    [
      "raw_data",
      { dims: [2], dataType: 16, rawData: Uint8Array.of(1, 2, 3, 4) },
      Uint16Array.of(0x201, 0x403),
    ],
    ["an empty tensor", { dims: [0, 4], dataType: 1 }, new Float32Array()],
    [
      "two 4-bit numbers per byte",
      { dims: [3], dataType: 22, rawData: Uint8Array.of(0x21, 3) },
      Uint8Array.of(0x21, 3),
    ],
  ])("%s", (_, proto, expected) => {
    expect(read(proto).data).toEqual(expected);
  });

  it("with too few or too many bytes are refused", () => {
    expect(() => read({ dims: [3], dataType: 1, floatData: [1] })).toThrow(/"t" of float32 \[3\]/);
    expect(() => read({ dims: [1], dataType: 7, rawData: new Uint8Array(9) })).toThrow(ModelError);
    expect(() => read({ dims: [1], dataType: 99 })).toThrow(/unknown element type 99/);
  });
});

it("keeps what it does not understand: doc strings, functions, sequence types, byte strings, big integers", () => {
  const g = new GraphBuilder({ opset: 20 });
  g.add("Custom", [g.input("x", "float32")], {
    blob: { type: "bytes", value: Uint8Array.of(0xff, 0xfe, 0) },
    ends: [2 ** 63, -1],
    strange: { type: "other", value: 13, rest: [Uint8Array.of(0x72, 1, 0x41)] },
  });
  const model = g.model();
  model.rest = [Uint8Array.of(0x32, 3, 0x64, 0x6f, 0x63)]; // doc_string "doc"
  model.graph.nodes[0].rest = [Uint8Array.of(0x32, 1, 0x6e)];
  model.graph.outputs.push({ name: "Custom", typeRest: [Uint8Array.of(0x22, 0)] }); // an empty sequence type
  expect(readModel(encodeModel(model))).toEqual(model);
});
