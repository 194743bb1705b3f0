/** The worker that encodes: tokeniser, graph and pooling of one model; phrases in, vectors out. */
import {
  chooseOutput,
  type Featurizer,
  type ModelFolder,
  TYPE_LOGITS,
} from "../architectures/architecture.js";
import { architectureOf, costliest, openFeaturizers } from "../architectures/registry.js";
import { ModelError } from "../errors.js";
import { loadRuntime } from "../runtime/onnx-runtime.js";
import { createOrtSession, type OrtSession } from "../runtime/ort-session.js";
import type { Feeds, Tensor } from "../runtime/tensor.js";
import { serve } from "../runtime/worker-server.js";
import { batchByLength } from "./batching.js";
import {
  type EncodeReply,
  type EncodeRequest,
  FINISHED,
  type OpenReply,
  type OpenRequest,
  rowWidth,
  STOP,
} from "./encode-protocol.js";
import { explainGraph, graphSource } from "./graph-source.js";
import { finishVector, pool } from "./pooling.js";

/** Tokens of a batch, by device; on a CPU they fit a core's level 2 cache (measured, benchmarks/encode-speed.mjs). */
const TOKENS = { cpu: 512, webgpu: 16_384, cuda: 65_536 } as const;
/** The same for n-grams, each of which costs one addition. */
const NGRAMS = 16_384;

interface OpenModel {
  readonly folder: ModelFolder;
  readonly session: OrtSession;
  readonly featurizers: readonly Featurizer[];
  readonly output: string;
}

let model: OpenModel | undefined;

// The native library is loaded while the thread that started this one still reads the model.
loadRuntime();

serve({
  async open(request: OpenRequest) {
    model = await openModel(request);
    const probe = await encode(model, {
      phrases: ["a"],
      prompt: "",
      parts: [{ output: "embedding", dimension: 0, length: "raw" }],
      batchSize: 1,
      state: new Int32Array(2),
    });
    return { result: { dimension: probe.vectors.length } satisfies OpenReply };
  },
  async encode(request: EncodeRequest) {
    if (model === undefined) throw new Error("encode before open");
    const reply = await encode(model, request);
    return { result: reply, transfer: [reply.vectors.buffer as ArrayBuffer] };
  },
  async close() {
    await model?.session.release();
    return { result: undefined };
  },
});

async function openModel({ folder, device, threads, precision, graph }: OpenRequest): Promise<OpenModel> {
  const source = graph?.bytes ?? (await graphSource(folder, precision));
  const session = await createOrtSession(source, { device, threads, label: folder.graph }).catch(
    async (error) => {
      if (error instanceof ModelError) await explainGraph(source, folder.graph);
      throw error;
    },
  );
  const featurizers = await openFeaturizers(folder, session.inputNames, graph);
  return { folder, session, featurizers, output: chooseOutput(session.outputNames, folder) };
}

async function encode(open: OpenModel, request: EncodeRequest): Promise<EncodeReply> {
  const texts =
    request.prompt === "" ? request.phrases : request.phrases.map((phrase) => request.prompt + phrase);
  const read = open.featurizers.map((featurizer) => featurizer.read(texts));
  // Every feature has its own row lengths; batches follow those of the costliest.
  const eachLengths = read.map(
    ({ rows }, i) =>
      open.featurizers[i].lengths?.(rows) ??
      Int32Array.from(texts, (_, row) => rows.starts[row + 1] - rows.starts[row]),
  );
  const primary = costliest(open.folder.features);
  const lengths = eachLengths[primary];
  const { cost } = architectureOf(open.folder.features[primary]);
  const cells = cost === "transformer" ? TOKENS[open.session.device] : NGRAMS;
  const outputs = request.parts.map(({ output }) => (output === "types" ? TYPE_LOGITS : open.output));
  let rowLength = rowWidth(request.parts);
  let vectors = new Float32Array(texts.length * rowLength);
  for (const batch of batchByLength(lengths, cells, request.batchSize)) {
    if (Atomics.load(request.state, STOP) === 1) break;
    const feeds: Feeds = {};
    read.forEach(({ rows }, index) => {
      const own = eachLengths[index];
      const longest = batch.rows.reduce((most, row) => Math.max(most, own[row]), 1);
      open.featurizers[index].fill(rows, batch.rows, longest, feeds);
    });
    const results = await open.session.run(feeds, [...new Set(outputs)]);
    let offset = 0;
    request.parts.forEach(({ output, dimension, length }, part) => {
      if (output === "tokens") {
        for (const row of batch.rows) vectors[row * rowLength + offset] = lengths[row];
        offset += dimension;
        return;
      }
      const pooled = checkedPool(open, outputs[part], results[outputs[part]], batch.rows, lengths);
      const width = pooled.length / batch.rows.length;
      const kept = dimension || width;
      if (rowLength === 0) {
        rowLength = kept;
        vectors = new Float32Array(texts.length * kept);
      }
      batch.rows.forEach((row, i) => {
        const start = row * rowLength + offset;
        const target = vectors.subarray(start, start + kept);
        finishVector(pooled.subarray(i * width, (i + 1) * width), target, length);
      });
      offset += kept;
    });
    Atomics.add(request.state, FINISHED, batch.rows.length);
  }
  return { vectors, truncated: read.reduce((most, { truncated }) => Math.max(most, truncated), 0) };
}

function checkedPool(
  open: OpenModel,
  name: string,
  output: Tensor,
  rows: Int32Array,
  lengths: Int32Array,
): Float32Array {
  const { dims } = output;
  if (output.type !== "float32" || dims[0] !== rows.length || (dims.length !== 2 && dims.length !== 3)) {
    throw new ModelError(
      `${open.folder.graph}: output ${name} is ${output.type} [${dims.join(", ")}]; ` +
        `expected float32 [${rows.length}, width] or [${rows.length}, tokens, width]`,
    );
  }
  const rowLengths = rows.map((row) => lengths[row]);
  return pool(output, rowLengths, open.folder.pooling);
}
