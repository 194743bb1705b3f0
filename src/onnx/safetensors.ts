/** Reading safetensors files: eight bytes of length, a JSON header, and the tensors' bytes. */
import { readFileSync } from "node:fs";
import { ModelError, messageOf } from "../errors.js";
import { arrayOver, byteLength, type DataType, type Tensor } from "./tensor.js";

const types: Record<string, DataType> = {
  ...{ F64: "float64", F32: "float32", F16: "float16", BF16: "bfloat16" },
  ...{ I64: "int64", I32: "int32", I16: "int16", I8: "int8", U8: "uint8", BOOL: "bool" },
};

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/**
 * All tensors of a file by name, as views of its bytes where the alignment allows it.
 * @throws ModelError naming the file, for anything that is not a whole safetensors file
 */
export function readSafetensors(path: string): Map<string, Tensor> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new ModelError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const broken = (why: string) =>
    new ModelError(`${path} is not a whole safetensors file: ${why}. Download it again; it may be cut off.`);
  if (bytes.length < 8) throw broken("it has no header");
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (start > bytes.length) throw broken("its header is cut off");
  const { __metadata__: _, ...entries } = parseHeader(bytes.subarray(8, start), broken);
  return new Map(
    Object.entries(entries).map(([name, { dtype, shape, data_offsets }]) => {
      const type = types[dtype];
      if (!type)
        throw new ModelError(`${path}: tensor ${name} has the type ${dtype}, which pearl does not read`);
      const [from, to] = data_offsets;
      const data = bytes.subarray(start + from, start + to);
      if (data.length !== byteLength(type, shape)) throw broken(`tensor ${name} has ${data.length} bytes`);
      return [name, { type, dims: shape, data: arrayOver(type, data) }];
    }),
  );
}

function parseHeader(bytes: Uint8Array, broken: (why: string) => ModelError): Record<string, Entry> {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw broken("its header is not JSON");
  }
}
