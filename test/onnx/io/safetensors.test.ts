import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { readSafetensors, writeSafetensors } from "../../../src/onnx/io/safetensors.js";
import type { Tensor } from "../../../src/onnx/tensor.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-safetensors-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file with a header, followed by bytes. */
function file(header: unknown, data: Uint8Array, cut = 0): string {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  const path = join(folder, "model.safetensors");
  writeFileSync(path, Buffer.concat([length, text, data]).subarray(0, 8 + text.length + data.length - cut));
  return path;
}

describe("readSafetensors", () => {
  it("reads tensors of every type by name, at any offset", () => {
    const numbers = new Uint8Array([
      ...new Uint8Array(Float32Array.of(1, -2).buffer),
      7,
      ...new Uint8Array(BigInt64Array.of(-3n).buffer),
    ]);
    const path = file(
      {
        __metadata__: { format: "pt" },
        b: { dtype: "U8", shape: [1], data_offsets: [8, 9] },
        "layer.weight": { dtype: "F32", shape: [2, 1], data_offsets: [0, 8] },
        ids: { dtype: "I64", shape: [], data_offsets: [9, 17] },
      },
      numbers,
    );
    expect([...readSafetensors(path)]).toEqual([
      ["b", { type: "uint8", dims: [1], data: Uint8Array.of(7) }],
      ["layer.weight", { type: "float32", dims: [2, 1], data: Float32Array.of(1, -2) }],
      ["ids", { type: "int64", dims: [], data: BigInt64Array.of(-3n) }],
    ]);
  });

  it("names the file and the problem", () => {
    const entry = { w: { dtype: "F32", shape: [2], data_offsets: [0, 8] } };
    const reading = (path: string) => () => readSafetensors(path);
    expect(reading(file(entry, new Uint8Array(8), 3))).toThrow(
      /model.safetensors is not a whole.*tensor w has 5 bytes/,
    );
    expect(reading(file(entry, new Uint8Array(8), 30))).toThrow(/its header is cut off/);
    expect(reading(file("{no json", new Uint8Array(8)))).toThrow(/safetensors: header: not valid JSON/);
    expect(reading(file({ w: { ...entry.w, dtype: "F8_E4M3" } }, new Uint8Array(8)))).toThrow(
      /tensor w has the type F8_E4M3/,
    );
    for (const damage of [
      { shape: [-2] },
      { shape: "2" },
      { data_offsets: [0] },
      { data_offsets: null },
      { dtype: 3 },
    ])
      expect(reading(file({ w: { ...entry.w, ...damage } }, new Uint8Array(8)))).toThrow(
        /safetensors: header: field "w\..*Download it again/,
      );
    expect(reading(file({ w: null }, new Uint8Array(8)))).toThrow(/header: field "w"/);
    writeFileSync(join(folder, "pointer"), "version https://git-lfs.github.com/spec/v1\n");
    expect(reading(join(folder, "pointer"))).toThrow(/Git LFS pointer.*git lfs pull/);
    writeFileSync(join(folder, "empty"), "");
    expect(reading(join(folder, "empty"))).toThrow(/it has no header/);
    expect(reading(join(folder, "missing"))).toThrow(ModelError);
  });
});

describe("writeSafetensors", () => {
  it("writes tensors of every type that read back equal, at a multiple of 8 bytes", () => {
    const path = join(folder, "written.safetensors");
    const tensors = new Map<string, Tensor>([
      ["weight", { type: "float32", dims: [2, 2], data: Float32Array.of(1, -0, 3e38, 1e-40) }],
      ["é", { type: "float16", dims: [3], data: Uint16Array.of(1, 0x3c00, 0x8000) }],
      ["ids", { type: "int64", dims: [1], data: BigInt64Array.of(-(2n ** 60n)) }],
      ["none", { type: "float64", dims: [0, 4], data: new Float64Array(0) }],
    ]);
    writeSafetensors(path, tensors);
    expect([...readSafetensors(path)]).toEqual([...tensors]);
    const bytes = readFileSync(path);
    const length = Number(bytes.readBigUInt64LE(0));
    expect(length % 8).toBe(0);
    expect(JSON.parse(bytes.subarray(8, 8 + length).toString())).toMatchObject({
      __metadata__: { format: "pt" },
      weight: { dtype: "F32", shape: [2, 2], data_offsets: [0, 16] },
    });
  });

  it("refuses types that the format does not have", () => {
    const strings = new Map<string, Tensor>([["s", { type: "uint32", dims: [1], data: Uint32Array.of(1) }]]);
    expect(() => writeSafetensors(join(folder, "no.safetensors"), strings)).toThrow(
      /cannot hold s of uint32/,
    );
  });
});
