/** Safetensors files, read and written: eight bytes of length, a JSON header, and the tensors' bytes. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from "node:fs";
import { ModelError, messageOf, PearlError } from "../../errors.js";
import { arrayOver, byteLength, bytesOf, type DataType, type Tensor } from "../tensor.js";

const types: Record<string, DataType> = {
  ...{ F64: "float64", F32: "float32", F16: "float16", BF16: "bfloat16" },
  ...{ I64: "int64", I32: "int32", I16: "int16", I8: "int8", U8: "uint8", BOOL: "bool" },
};

/** The format's own limit, which keeps a damaged length from asking for all memory. */
const longestHeader = 1e8;
const gibibyte = 2 ** 30;
/** Written at once: checksum and file take turns over what the processor's cache still holds. */
const piece = 2 ** 20;

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

type Broken = (why: string) => ModelError;

/**
 * All tensors of a file by name, each in memory of its own; files over 2 GB too.
 * @throws ModelError naming the file, for anything that is not a whole safetensors file
 */
export function readSafetensors(path: string): Map<string, Tensor> {
  const broken = (why: string) =>
    new ModelError(`${path} is not a whole safetensors file: ${why}. Download it again; it may be cut off.`);
  try {
    const file = openSync(path, "r");
    try {
      return readTensors(file, path, broken);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof PearlError) throw error;
    throw new ModelError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function readTensors(file: number, path: string, broken: Broken): Map<string, Tensor> {
  const { size } = fstatSync(file);
  if (size < 8) throw broken("it has no header");
  const head = readPart(file, 0, 8);
  if (Buffer.from(head).toString("latin1") === "version ")
    throw new ModelError(`${path} is a Git LFS pointer, not the weights. Run "git lfs pull".`);
  const length = Number(new DataView(head.buffer).getBigUint64(0, true));
  const start = 8 + length;
  if (start > size || length > longestHeader) throw broken("its header is cut off");
  const { __metadata__: _, ...entries } = parseHeader(readPart(file, 8, length), broken);
  return new Map(
    Object.entries(entries).map(([name, entry]) => {
      const { dtype, shape, data_offsets } = checkedEntry(name, entry, broken);
      const type = types[dtype];
      if (!type)
        throw new ModelError(`${path}: tensor ${name} has the type ${dtype}, which pearl does not read`);
      const [from, to] = data_offsets;
      const bytes = Math.max(0, Math.min(start + to, size) - (start + from));
      if (bytes !== byteLength(type, shape)) throw broken(`tensor ${name} has ${bytes} bytes`);
      return [name, { type, dims: shape, data: arrayOver(type, readPart(file, start + from, bytes)) }];
    }),
  );
}

function readPart(file: number, offset: number, bytes: number): Uint8Array {
  const part = new Uint8Array(bytes);
  for (let done = 0; done < bytes; ) {
    const read = readSync(file, part, done, Math.min(gibibyte, bytes - done), offset + done);
    if (read === 0) throw new ModelError("the file became shorter while it was read");
    done += read;
  }
  return part;
}

function parseHeader(bytes: Uint8Array, broken: Broken): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw broken("its header is not JSON");
  }
  if (typeof header !== "object" || header === null || Array.isArray(header))
    throw broken("its header is not a JSON object");
  return header as Record<string, unknown>;
}

function checkedEntry(name: string, value: unknown, broken: Broken): Entry {
  const { dtype, shape, data_offsets } = (value ?? {}) as Partial<Entry>;
  const whole = (list: unknown): list is number[] =>
    Array.isArray(list) && list.every((size) => Number.isSafeInteger(size) && size >= 0);
  if (typeof dtype !== "string" || !whole(shape) || !whole(data_offsets) || data_offsets.length !== 2)
    throw broken(`its header describes tensor ${name} wrongly`);
  return { dtype, shape, data_offsets: data_offsets as [number, number] };
}

/**
 * Writes tensors in their map's order and syncs the file; write to a temporary name and rename it.
 * @param metadata what other programs look for; PyTorch's libraries want `format: "pt"`, the default
 * @returns SHA-256 of the file, hexadecimal
 */
export function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, Tensor>,
  metadata: Readonly<Record<string, string>> = { format: "pt" },
): string {
  const names = Object.fromEntries(Object.entries(types).map(([name, type]) => [type, name]));
  let end = 0;
  const entries = [...tensors].map(([name, tensor]) => {
    const dtype = names[tensor.type];
    if (!dtype) throw new ModelError(`${path}: a safetensors file cannot hold ${name} of ${tensor.type}`);
    const start = end;
    end += bytesOf(tensor).length;
    return [name, { dtype, shape: tensor.dims, data_offsets: [start, end] }] as const;
  });
  const json = JSON.stringify(Object.fromEntries([["__metadata__", metadata], ...entries]));
  // The tensors begin at a multiple of 8, so that readers can map them into memory.
  const header = Buffer.from(json + " ".repeat(-Buffer.byteLength(json) & 7));
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
