/** One ONNX Runtime session in the calling thread: options, device, plain tensors in and out. */
import type * as OnnxRuntime from "onnxruntime-common";
import { DeviceError, ModelError } from "../errors.js";
import { type Device, failureReason } from "./device.js";
import { missingPart } from "./devices/native-devices.js";
import { loadRuntime } from "./onnx-runtime.js";
import { DeviceTensor, type Feeds, fromOrt, type Tensor } from "./tensor.js";

export interface SessionOptions {
  /** Default "cpu". */
  device?: Device;
  /** Threads inside one operator; default 1. The WebAssembly runtime always takes 1. */
  threads?: number;
  /** Whether idle threads spin; "brief": for at most 0.1 ms, which spans most gaps between operators. Default "off". */
  spinning?: "on" | "brief" | "off";
  /** How far ONNX Runtime rewrites the graph; default "all", which crashes (1.30) where inner values are outputs. */
  optimization?: "disabled" | "basic" | "all";
  /** Where each output stays: on webgpu, "device" makes `runOnDevice` return {@link DeviceTensor}s. Default memory. */
  outputs?: Readonly<Record<string, "memory" | "device">>;
  /**
   * How WebGPU keeps the buffers of values that are no longer needed: "few", some of each size, the default; or "all",
   * where shapes recur and many values live at once, as in training. The first session of a process decides for all.
   */
  buffers?: "few" | "all";
  /** What the model is called in error messages; default its path. */
  label?: string;
}

export type DeviceFeeds = Record<string, Tensor | DeviceTensor>;

export interface SessionFacts {
  readonly device: Device;
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
}

export interface OrtSession extends SessionFacts {
  run(feeds: Feeds, fetches?: readonly string[]): Promise<Feeds>;
  /** Runs the graph with tensors that lie in the device's memory, and leaves outputs there where asked to. */
  runOnDevice(feeds: DeviceFeeds, fetches?: readonly string[]): Promise<DeviceFeeds>;
  release(): Promise<void>;
}

/** @param model a file's path, or bytes @throws ModelError for a broken model, DeviceError for a device that fails */
export async function createOrtSession(
  model: string | Uint8Array,
  options: SessionOptions = {},
): Promise<OrtSession> {
  const { runtime } = loadRuntime(options.threads);
  const { device = "cpu", label = typeof model === "string" ? model : "the model" } = options;
  let [reason, cause]: [string | undefined, unknown] = [missingPart(device, "named"), undefined];
  if (reason === undefined)
    try {
      return wrap(await openOn(runtime, model, device, options), { runtime, device });
    } catch (error) {
      [reason, cause] = [failureReason(error), error];
    }
  if (device === "cpu") throw new ModelError(`${label}: ONNX Runtime cannot load it (${reason})`, { cause });
  throw new DeviceError(`device ${device} does not work here: ${reason}. Use --device auto or cpu.`, {
    cause,
  });
}

function openOn(
  runtime: typeof OnnxRuntime,
  model: string | Uint8Array,
  device: Device,
  options: SessionOptions,
): Promise<OnnxRuntime.InferenceSession> {
  const { spinning = "off" } = options;
  const waiting = {
    allow_spinning: spinning === "off" ? "0" : "1",
    ...(spinning === "brief" && { spin_duration_us: "100" }),
  };
  const keepsAll = device === "webgpu" && options.buffers === "all";
  const provider = keepsAll ? ({ name: "webgpu", storageBufferCacheMode: "simple" } as const) : device;
  const sessionOptions: OnnxRuntime.InferenceSession.SessionOptions = {
    executionProviders: device === "cpu" ? ["cpu"] : [provider, "cpu"],
    intraOpNumThreads: options.threads ?? 1,
    interOpNumThreads: 1,
    executionMode: "sequential",
    graphOptimizationLevel: options.optimization ?? "all",
    // Batches come in many shapes: a plan kept for each would only grow (measured: 1.7 times the memory).
    enableMemPattern: false,
    logSeverityLevel: 3,
    ...(options.outputs && device === "webgpu" && { preferredOutputLocation: locations(options.outputs) }),
    extra: { session: { intra_op: waiting } },
  };
  // the declarations have an overload for each type of model and none for both
  return runtime.InferenceSession.create(model as string, sessionOptions);
}

const locations = (outputs: Readonly<Record<string, "memory" | "device">>) =>
  mapped(outputs, (place) => (place === "device" ? ("gpu-buffer" as const) : ("cpu" as const)));

function wrap(
  inner: OnnxRuntime.InferenceSession,
  { runtime, device }: { runtime: typeof OnnxRuntime; device: Device },
): OrtSession {
  const toOrt = (value: Tensor | DeviceTensor): OnnxRuntime.Tensor =>
    value instanceof DeviceTensor ? value.on(device) : new runtime.Tensor(value.type, value.data, value.dims);
  const run = async (feeds: DeviceFeeds, fetches?: readonly string[]) => {
    const tensors = mapped(feeds, toOrt);
    return fetches === undefined ? inner.run(tensors) : inner.run(tensors, [...fetches]);
  };
  return {
    ...{ device, inputNames: inner.inputNames, outputNames: inner.outputNames },
    run: async (feeds, fetches) => mapped(await run(feeds, fetches), fromOrt),
    runOnDevice: async (feeds, fetches) =>
      mapped(await run(feeds, fetches), (tensor) =>
        tensor.location === "gpu-buffer" ? new DeviceTensor(tensor, device) : fromOrt(tensor),
      ),
    release: () => inner.release(),
  };
}

const mapped = <From, To>(values: Readonly<Record<string, From>>, to: (value: From) => To) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
