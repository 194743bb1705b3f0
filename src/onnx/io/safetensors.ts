/** Safetensors files, read and written: eight bytes of length, a JSON header, and the tensors' bytes. */
import { fstatSync } from "node:fs";
import * as v from "valibot";
import { ModelError, messageOf, PearlError } from "../../errors.js";
import { openFingerprint } from "../../files/checksums/fingerprint.js";
import { parseJson } from "../../files/json.js";
import { arrayOver, byteLength, bytesOf, type DataType, type Tensor } from "../tensor.js";
import { readPart, withFile, writePart } from "./file.js";

/** PyTorch's libraries require it. */
const metadata = { format: "pt" };

const types: Record<string, DataType> = {
  ...{ F64: "float64", F32: "float32", F16: "float16", BF16: "bfloat16" },
  ...{ I64: "int64", I32: "int32", I16: "int16", I8: "int8", U8: "uint8", BOOL: "bool" },
};

/** The format's own limit, which keeps a damaged length from asking for all memory. */
const longestHeader = 1e8;
/** Bytes that are hashed and written in turns, while the processor's cache still holds them. */
const piece = 2 ** 20;

const size = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const headerSchema = v.objectWithRest(
  { __metadata__: v.optional(v.unknown()) },
  v.object({ dtype: v.string(), shape: v.array(size), data_offsets: v.tuple([size, size]) }),
);

/**
 * All tensors of a file by name, each in memory of its own; files over 2 GB too.
 * @throws ModelError naming the file, for anything that is not a whole safetensors file
 */
export function readSafetensors(path: string): Map<string, Tensor> {
  try {
    return withFile(path, "r", (file) => readTensors(file, path));
  } catch (error) {
    if (error instanceof PearlError) throw error;
    throw new ModelError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

const cure = "Download it again; it may be cut off.";

function readTensors(file: number, path: string): Map<string, Tensor> {
  const broken = (why: string) => new ModelError(`${path} is not a whole safetensors file: ${why}. ${cure}`);
  const { size } = fstatSync(file);
  if (size < 8) throw broken("it has no header");
  const head = readPart(file, 0, 8);
  if (Buffer.from(head).toString("latin1") === "version ")
    throw new ModelError(`${path} is a Git LFS pointer, not the weights. Run "git lfs pull".`);
  const length = Number(new DataView(head.buffer).getBigUint64(0, true));
  const start = 8 + length;
  if (start > size || length > longestHeader) throw broken("its header is cut off");
  const json = new TextDecoder().decode(readPart(file, 8, length));
  const trouble = { error: ModelError, cure };
  const { __metadata__: _, ...entries } = parseJson(json, `${path}: header`, headerSchema, trouble);
  return new Map(
    Object.entries(entries).map(([name, { dtype, shape: dims, data_offsets }]) => {
      const [from, to] = data_offsets;
      const type = types[dtype];
      if (!type)
        throw new ModelError(`${path}: tensor ${name} has the type ${dtype}, which pearl does not read`);
      const bytes = Math.max(0, Math.min(start + to, size) - (start + from));
      if (bytes !== byteLength(type, dims)) throw broken(`tensor ${name} has ${bytes} bytes`);
      return [name, { type, dims, data: arrayOver(type, readPart(file, start + from, bytes)) }];
    }),
  );
}

/**
 * Writes tensors in their map's order and syncs the file; write to a temporary name and rename it.
 * @returns SHA-256 of the file, hexadecimal
 */
export function writeSafetensors(path: string, tensors: ReadonlyMap<string, Tensor>): string {
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
  const hash = openFingerprint();
  let offset = 0;
  withFile(path, "w", (file) => {
    for (const bytes of [length, header, ...[...tensors.values()].map(bytesOf)])
      for (let from = 0; from < bytes.length; from += piece) {
        const part = bytes.subarray(from, from + piece);
        hash.add(part);
        writePart(file, offset, part);
        offset += part.length;
      }
  });
  return hash.end(64);
}
