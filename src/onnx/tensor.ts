/** Tensors as plain data: an element type, dimensions, and the typed array that holds the numbers. */
import { ArgumentError } from "../errors.js";

/** Holds the elements. 16-bit floats stay as their bits; types narrower than a byte stay packed. */
export type TensorData =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | string[];

/** A tensor of an ONNX file: its numbers row by row, with one array type for each data type. */
export interface Tensor {
  readonly type: DataType;
  /** Row-major dimensions; `[]` is a scalar. */
  readonly dims: readonly number[];
  readonly data: TensorData;
}

/** ONNX's TensorProto.DataType: the name used here, the number in files, bits per element, the array. */
const kinds = {
  float32: { code: 1, bits: 32, array: Float32Array },
  uint8: { code: 2, bits: 8, array: Uint8Array },
  int8: { code: 3, bits: 8, array: Int8Array },
  uint16: { code: 4, bits: 16, array: Uint16Array },
  int16: { code: 5, bits: 16, array: Int16Array },
  int32: { code: 6, bits: 32, array: Int32Array },
  int64: { code: 7, bits: 64, array: BigInt64Array },
  string: { code: 8, bits: 0, array: Uint8Array },
  bool: { code: 9, bits: 8, array: Uint8Array },
  float16: { code: 10, bits: 16, array: Uint16Array },
  float64: { code: 11, bits: 64, array: Float64Array },
  uint32: { code: 12, bits: 32, array: Uint32Array },
  uint64: { code: 13, bits: 64, array: BigUint64Array },
  complex64: { code: 14, bits: 64, array: Float32Array },
  complex128: { code: 15, bits: 128, array: Float64Array },
  bfloat16: { code: 16, bits: 16, array: Uint16Array },
  float8e4m3fn: { code: 17, bits: 8, array: Uint8Array },
  float8e4m3fnuz: { code: 18, bits: 8, array: Uint8Array },
  float8e5m2: { code: 19, bits: 8, array: Uint8Array },
  float8e5m2fnuz: { code: 20, bits: 8, array: Uint8Array },
  uint4: { code: 21, bits: 4, array: Uint8Array },
  int4: { code: 22, bits: 4, array: Uint8Array },
  float4e2m1: { code: 23, bits: 4, array: Uint8Array },
} as const;

export type DataType = keyof typeof kinds;

const byCode = new Map(Object.entries(kinds).map(([name, kind]) => [kind.code as number, name as DataType]));

/** The number of a type in ONNX files and in the `to` attribute of Cast. */
export const typeCode = (type: DataType): number => kinds[type].code;

export const typeOfCode = (code: number): DataType | undefined => byCode.get(code);

export const elementCount = (dims: readonly number[]): number => dims.reduce((product, d) => product * d, 1);

/** Bytes that the elements take in a file's raw data (strings have none). */
export const byteLength = (type: DataType, dims: readonly number[]): number =>
  Math.ceil((elementCount(dims) * kinds[type].bits) / 8);

/**
 * Little-endian bytes as the array of a type: a view where the alignment allows it, else a copy.
 * The bytes must be a whole number of array elements.
 */
export function arrayOver(type: DataType, bytes: Uint8Array): Exclude<TensorData, string[]> {
  const { array } = kinds[type];
  const size = array.BYTES_PER_ELEMENT;
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  return new array(aligned.buffer as ArrayBuffer, aligned.byteOffset, aligned.byteLength / size);
}

export function bytesOf({ data }: Tensor): Uint8Array {
  if (Array.isArray(data)) throw new ArgumentError("a string tensor has no raw bytes");
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** Makes a tensor; plain numbers are put into the type's array. */
export function tensor(type: DataType, dims: readonly number[], data: TensorData | number[]): Tensor {
  const plain = Array.isArray(data) && typeof data[0] !== "string";
  const elements = plain && type !== "string" ? fromNumbers(type, data as number[]) : (data as TensorData);
  if (type !== "string" && bytesOf({ type, dims, data: elements }).length !== byteLength(type, dims))
    throw new ArgumentError(`a ${type} tensor of [${dims}] cannot hold ${elements.length} elements`);
  return { type, dims, data: elements };
}

function fromNumbers(type: DataType, numbers: number[]): TensorData {
  if (type === "int64") return BigInt64Array.from(numbers, toInt64);
  if (type === "uint64") return BigUint64Array.from(numbers, BigInt);
  return kinds[type].array.from(numbers) as TensorData;
}

/** A number as int64; ONNX writes "to the end" as 2^63 - 1, which a double rounds up: it is clamped back. */
export function toInt64(value: number): bigint {
  if (value >= 2 ** 63) return 2n ** 63n - 1n;
  return value <= -(2 ** 63) ? -(2n ** 63n) : BigInt(value);
}

/** The elements of an integer or float tensor as plain numbers: for axes, shapes and scalars. */
export function numbersOf(tensor: Tensor): number[] {
  return Array.from(tensor.data as ArrayLike<number | bigint>, Number);
}

export function transposed({ type, dims: [rows, columns], data }: Tensor): Tensor {
  const from = data as Float32Array;
  const to = from.slice();
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) to[column * rows + row] = from[row * columns + column];
  return { type, dims: [columns, rows], data: to };
}
