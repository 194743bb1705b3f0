/** Large tensors to a safetensors file and back, piece by piece, with a checksum over every byte. */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { bytesOf, readSafetensors, type Tensor } from "../onnx/index.js";

/** Written at once: checksum and file take turns over what the processor's cache still holds. */
const piece = 2 ** 20;

/**
 * Writes float32 tensors and syncs them to the disk.
 * @returns SHA-256 of the file, hexadecimal
 */
export function writeTensorFile(path: string, tensors: ReadonlyMap<string, Tensor>): string {
  let end = 0;
  const entries = [...tensors].map(([name, { dims, data }]) => {
    const start = end;
    end += (data as Float32Array).byteLength;
    return [name, { dtype: "F32", shape: dims, data_offsets: [start, end] }] as const;
  });
  const json = JSON.stringify(Object.fromEntries(entries));
  // the tensors begin at a multiple of 8, so that they can be read as views
  const header = Buffer.from(json.padEnd(Math.ceil(Buffer.byteLength(json) / 8) * 8), "utf8");
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const hash = createHash("sha256");
  const file = openSync(path, "w");
  try {
    for (const bytes of [length, header, ...[...tensors.values()].map(bytesOf)])
      for (let from = 0; from < bytes.length; from += piece) {
        const part = bytes.subarray(from, from + piece);
        hash.update(part);
        for (let done = 0; done < part.length; ) done += writeSync(file, part, done);
      }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/** The tensors of a file, or undefined where it is not the one of this checksum. */
export function readTensorFile(path: string, checksum: string): Map<string, Tensor> | undefined {
  const hash = createHash("sha256");
  // readSafetensors maps the whole file too; files beyond 2 GB fit neither
  hash.update(readFileSync(path));
  return hash.digest("hex") === checksum ? readSafetensors(path) : undefined;
}
