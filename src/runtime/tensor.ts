/** Tensors as plain data: what crosses a thread, enters a session and comes out of it. */
import type { Tensor as OrtTensor } from "onnxruntime-common";
import { DeviceError } from "../errors.js";
import type { Device } from "./device.js";

/** The element types that pearl's graphs use at their inputs and outputs. */
export interface TensorArrays {
  float32: Float32Array;
  float64: Float64Array;
  int64: BigInt64Array;
  int32: Int32Array;
  int8: Int8Array;
  uint8: Uint8Array;
  bool: Uint8Array;
}

export type TensorType = keyof TensorArrays;

/** A dense tensor in row-major order; `data.length` is the product of `dims`. */
export interface Tensor<T extends TensorType = TensorType> {
  readonly type: T;
  readonly dims: readonly number[];
  readonly data: TensorArrays[T];
}

/** Named tensors: the inputs or the outputs of one run. */
export type Feeds = Record<string, Tensor>;

/**
 * A tensor that stays in a device's memory between runs of sessions. Only a session on that device may take it:
 * elsewhere ONNX Runtime computes wrong numbers without a word, and reading its elements ends the process.
 */
export class DeviceTensor {
  readonly device: Device;
  readonly dims: readonly number[];
  readonly #tensor: OrtTensor;

  constructor(tensor: OrtTensor, device: Device) {
    this.#tensor = tensor;
    this.device = device;
    this.dims = tensor.dims;
  }

  /** The tensor for a session on `device`. @throws DeviceError for any other */
  on(device: Device): OrtTensor {
    if (device !== this.device)
      throw new DeviceError(`a tensor in the memory of ${this.device} was fed to a session on ${device}`);
    return this.#tensor;
  }

  /** Frees the memory. */
  dispose(): void {
    this.#tensor.dispose();
  }
}

const tensorTypes: ReadonlySet<string> = new Set<TensorType>([
  "float32",
  "float64",
  "int64",
  "int32",
  "int8",
  "uint8",
  "bool",
]);

/** Takes an ONNX Runtime tensor that lies in main memory over as plain data (no copy). */
export function fromOrt(tensor: OrtTensor): Tensor {
  // getData() on a tensor in GPU memory aborts the whole process, so the place is checked first.
  if (tensor.location !== "cpu" && tensor.location !== "cpu-pinned") {
    throw new TypeError(`a tensor in ${tensor.location} memory must be downloaded before it is read`);
  }
  if (!tensorTypes.has(tensor.type)) throw new TypeError(`unsupported tensor type ${tensor.type}`);
  return { type: tensor.type as TensorType, dims: tensor.dims, data: tensor.data as Float32Array };
}
