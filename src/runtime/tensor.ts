/** Tensors as plain data: what crosses a thread, enters a session and comes out of it. */
import type { Tensor as OrtTensor } from "onnxruntime-common";
import { DeviceError } from "../errors.js";
import type { Device } from "./device.js";

/** The element types that pearl's graphs use at their inputs and outputs. */
interface TensorArrays {
  float32: Float32Array;
  float64: Float64Array;
  int64: BigInt64Array;
  int32: Int32Array;
  int8: Int8Array;
  uint8: Uint8Array;
  bool: Uint8Array;
}
type TensorType = keyof TensorArrays;

/** A dense tensor in row-major order; `data.length` is the product of `dims`. */
export interface Tensor<T extends TensorType = TensorType> {
  readonly type: T;
  readonly dims: readonly number[];
  readonly data: TensorArrays[T];
}

/** Named tensors: the inputs or the outputs of one run. */
export type Feeds = Record<string, Tensor>;

/** Numbers along one axis. */
const vector = <T extends TensorType>(type: T, data: TensorArrays[T]): Tensor<T> => ({
  ...{ type, dims: [data.length], data },
});
export const int32 = (values: ArrayLike<number>) => vector("int32", Int32Array.from(values));
export const int64 = (values: readonly number[]) => vector("int64", BigInt64Array.from(values, BigInt));
export const float32 = (values: ArrayLike<number>) => vector("float32", Float32Array.from(values));

/**
 * A tensor that stays in a device's memory between runs of sessions. Only a session on that device may take it:
 * elsewhere ONNX Runtime silently computes wrong numbers, and reading its elements ends the process.
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

  dispose(): void {
    this.#tensor.dispose();
  }
}

/** An ONNX Runtime tensor in main memory as plain data, without a copy. */
export function fromOrt(tensor: OrtTensor): Tensor {
  // reading a tensor in GPU memory aborts the process
  if (tensor.location !== "cpu" && tensor.location !== "cpu-pinned") {
    throw new TypeError(`a tensor in ${tensor.location} memory must be downloaded before it is read`);
  }
  return { type: tensor.type as TensorType, dims: tensor.dims, data: tensor.data as Float32Array };
}
