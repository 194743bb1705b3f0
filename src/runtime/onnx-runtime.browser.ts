/** In a browser: ONNX Runtime's WebAssembly build, whose files lie beside the bundle. */
import type * as OnnxRuntime from "onnxruntime-common";
import * as runtime from "onnxruntime-web/wasm";
import type { LoadedRuntime } from "./onnx-runtime.js";

let isLoaded = false;

/** @param threads of all sessions in this worker; only the first call decides, and only pages that share memory have more than 1 */
export function loadRuntime(threads = 1): LoadedRuntime {
  const { wasm, versions } = runtime.env;
  if (!isLoaded) {
    wasm.wasmPaths = new URL("./", import.meta.url).href;
    wasm.numThreads = globalThis.SharedArrayBuffer === undefined ? 1 : threads;
    isLoaded = true;
  }
  return { runtime: runtime as typeof OnnxRuntime, name: `onnxruntime-web ${versions.web}`, isNative: false };
}
