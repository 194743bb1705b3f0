/** Loads ONNX Runtime: its native library, or its WebAssembly build where the native one is not installed. */
import { createRequire } from "node:module";
import type * as OnnxRuntime from "onnxruntime-common";
import { DeviceError, messageOf } from "../errors.js";

export interface LoadedRuntime {
  readonly runtime: typeof OnnxRuntime;
  /** The package and its version, as records name it: "onnxruntime-node 1.30.0". */
  readonly name: string;
  readonly isNative: boolean;
}

let loaded: LoadedRuntime | undefined;

/**
 * Loads the runtime at the first call, so that the command line's help does not wait for it. The native package is
 * optional, because its install script needs a host besides the npm registry. `PEARL_RUNTIME=web` skips it.
 * @param _threads of a session; only the browser's edition fixes them when it is loaded
 * @throws DeviceError where neither package loads.
 */
export function loadRuntime(_threads?: number): LoadedRuntime {
  silenceTelemetry();
  loaded ??= loadNative() ?? loadWeb();
  return loaded;
}

const require = createRequire(import.meta.url);
let nativeTrouble = "PEARL_RUNTIME=web";

function loadNative(): LoadedRuntime | undefined {
  if (process.env.PEARL_RUNTIME === "web") return undefined;
  try {
    const runtime = require("onnxruntime-node") as typeof OnnxRuntime;
    return { runtime, name: `onnxruntime-node ${runtime.env.versions.node}`, isNative: true };
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND";
    nativeTrouble = isAbsent ? "onnxruntime-node is not installed" : messageOf(error).split("\n", 1)[0];
    return undefined;
  }
}

function loadWeb(): LoadedRuntime {
  try {
    const runtime = require("onnxruntime-web") as typeof OnnxRuntime;
    // One thread to a session, as natively: pearl runs a session per core.
    runtime.env.wasm.numThreads = 1;
    return { runtime, name: `onnxruntime-web ${runtime.env.versions.web}`, isNative: false };
  } catch (error) {
    throw new DeviceError(
      `ONNX Runtime does not load (${nativeTrouble}; ${messageOf(error).split("\n", 1)[0]}). Uninstall pearl and install it again.`,
      { cause: error },
    );
  }
}

/**
 * Keeps ONNX Runtime's telemetry off. Its Linux build collects usage data by default, keeps a device id in the temporary
 * folder and sends events to its makers. A user's own setting of the variable holds. Threads have a copy of the
 * environment that native code does not see, so this must run in the main thread before the first thread starts.
 */
export function silenceTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY ??= "1";
}
