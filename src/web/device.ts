/** Where a page's model runs: on the CPU, or on WebGPU where the browser and the server have what it needs. */
import { DeviceError } from "../errors.js";
import { type DeviceChoice, parseDevice } from "../runtime/device.js";

interface Adapter {
  /** Newer browsers say so in `info`: the "GPU" is a program on the CPU. */
  readonly info?: { readonly isFallbackAdapter?: boolean };
}
const browser = globalThis as unknown as {
  readonly navigator: { readonly gpu?: { requestAdapter(): Promise<Adapter | null> } };
};

/** Of ONNX Runtime's WebGPU build; the package leaves out these 27 MB. */
const files = ["ort-wasm-simd-threaded.asyncify.mjs", "ort-wasm-simd-threaded.asyncify.wasm"];
/** As docs/web.md has it. */
const copyFiles = "cp node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify.* public/pearl/";

/**
 * Opens a model on the chosen device; "auto" takes the CPU, with a note, where WebGPU is missing or fails.
 * @throws ArgumentError for an unknown device, DeviceError where "webgpu" does not work
 */
export async function onDevice<Opened>(
  name: string,
  open: (device: DeviceChoice) => Promise<Opened>,
): Promise<{ readonly opened: Opened; readonly notes: readonly string[] }> {
  const choice = parseDevice(name);
  if (choice !== "auto" && choice !== "webgpu") return { opened: await open(choice), notes: [] };
  try {
    const missing = (await missingAdapter(choice)) ?? (await missingFiles());
    if (missing !== undefined) throw new DeviceError(`device webgpu does not work here: ${missing}`);
    return { opened: await open("webgpu"), notes: [] };
  } catch (error) {
    if (choice === "webgpu" || !(error instanceof DeviceError)) throw error;
    return { opened: await open("cpu"), notes: [error.message] };
  }
}

async function missingAdapter(choice: DeviceChoice): Promise<string | undefined> {
  const { gpu } = browser.navigator;
  const cure = 'Use device "auto" or "cpu".';
  if (gpu === undefined)
    return `the browser has no WebGPU, or hides it because the page came without HTTPS. ${cure}`;
  const adapter = await gpu.requestAdapter();
  if (adapter === null) return `the browser has WebGPU, but no adapter (GPU) for it. ${cure}`;
  // slower than the CPU device, so it must be named
  return choice === "auto" && adapter.info?.isFallbackAdapter ? "its adapter is not a GPU" : undefined;
}

async function missingFiles(): Promise<string | undefined> {
  for (const name of files) {
    const address = new URL(name, import.meta.url);
    // without a network the browser may still have kept them
    const answer = await fetch(address, { method: "HEAD" }).catch(() => undefined);
    // servers of one-page sites answer with their page
    if (answer?.status === 404 || answer?.headers.get("content-type")?.startsWith("text/html"))
      return `${address} is missing. Copy ONNX Runtime's WebGPU build beside pearl's index.js: ${copyFiles}`;
  }
  return undefined;
}
