/** In a browser: ONNX Runtime's WebAssembly build, and its WebGPU build once a session asks for it. */
import type * as OnnxRuntime from "onnxruntime-common";
import * as runtime from "onnxruntime-web/wasm";
import type { LoadedRuntime } from "./onnx-runtime.js";

/** Where ONNX Runtime's files lie: beside the bundle. */
const folder = new URL("./", import.meta.url).href;
let isLoaded = false;

/** @param threads of all sessions in this worker; only the first call decides, and only pages that share memory have more than 1 */
export function loadRuntime(threads = 1): LoadedRuntime {
  const { wasm, versions } = runtime.env;
  if (!isLoaded) {
    wasm.wasmPaths = folder;
    wasm.numThreads = globalThis.SharedArrayBuffer === undefined ? 1 : threads;
    isLoaded = true;
  }
  // two builds as one: a session takes that of its device
  const both = { ...runtime, InferenceSession: { create: createSession } } as unknown as typeof OnnxRuntime;
  return { runtime: both, name: `onnxruntime-web ${versions.web}`, isNative: false };
}

async function createSession(
  model: Uint8Array,
  options: OnnxRuntime.InferenceSession.SessionOptions,
): Promise<OnnxRuntime.InferenceSession> {
  if (options.executionProviders?.[0] !== "webgpu") return runtime.InferenceSession.create(model, options);
  const onGpu = await import("onnxruntime-web/webgpu");
  Object.assign(onGpu.env.wasm, { wasmPaths: folder, numThreads: 1 });
  return onGpu.InferenceSession.create(model, options);
}
