/** One open model: tokeniser, graph and pooling; phrases in, vectors out. */
import {
  chooseOutput,
  type Featurizer,
  type ModelFolder,
  type ReadRows,
  TYPE_LOGITS,
} from "../architectures/architecture.js";
import { architectureOf, costliest, openFeaturizers } from "../architectures/registry.js";
import { ModelError } from "../errors.js";
import type { Feeds, Tensor } from "../runtime/tensor.js";
import { batchByLength, paddedLength } from "./batching.js";
import {
  type EncodeReply,
  type EncodeRequest,
  FINISHED,
  type GraphSession,
  type OpenRequest,
  rowWidth,
  STOP,
} from "./encode-protocol.js";
import { openGraph } from "./graph/graph-source.js";
import { finishVector, pool } from "./pooling.js";

/** Tokens of a batch, by device; on a CPU they fit a core's level 2 cache (measured, benchmarks/encode-speed.mjs). */
const TOKENS = { cpu: 512, webgpu: 16_384, cuda: 65_536 } as const;
/** The same for n-grams, each of which costs one addition. */
const NGRAMS = 16_384;

export interface OpenModel {
  readonly folder: ModelFolder;
  readonly session: GraphSession;
  readonly featurizers: readonly Featurizer[];
  readonly output: string;
}

/** Opens a model in the calling thread. @throws ModelError, DeviceError */
export async function openModel(request: OpenRequest): Promise<OpenModel> {
  const { folder, graph } = request;
  const session = await openGraph(request);
  const featurizers = await openFeaturizers(folder, session.inputNames, graph);
  return { folder, session, featurizers, output: chooseOutput(session.outputNames, folder) };
}

/** @throws ModelError where the output is not float32 vectors */
export async function encode(open: OpenModel, request: EncodeRequest): Promise<EncodeReply> {
  const { phrases } = request;
  const read = await readFeatures(open, request);
  // Every feature has its own row lengths; batches follow those of the costliest.
  const eachLengths = read.map(
    ({ rows }, i) =>
      open.featurizers[i].lengths?.(rows) ??
      Int32Array.from(phrases, (_, row) => rows.starts[row + 1] - rows.starts[row]),
  );
  const { features } = open.folder;
  const { device } = open.session;
  const isTransformer = (feature: number) => architectureOf(features[feature]).cost === "transformer";
  const eachPadded = eachLengths.map((own, i) =>
    device === "cpu" || !isTransformer(i)
      ? own
      : own.map((length) => paddedLength(length, features[i].maximumLength)),
  );
  const primary = costliest(features);
  const lengths = eachLengths[primary];
  const cells = isTransformer(primary) ? TOKENS[device] : NGRAMS;
  const outputs = request.parts.map(({ output }) => (output === "types" ? TYPE_LOGITS : open.output));
  let rowLength = rowWidth(request.parts);
  let vectors = new Float32Array(phrases.length * rowLength);
  for (const batch of batchByLength(eachPadded[primary], cells, request.batchSize)) {
    if (Atomics.load(request.state, STOP) === 1) break;
    const feeds: Feeds = {};
    read.forEach(({ rows }, index) => {
      const own = eachPadded[index];
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
        vectors = new Float32Array(phrases.length * kept);
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

/** Reads the phrases with their prompt; on WebGPU, ids that all begin with stay there for all batches. */
async function readFeatures(
  { featurizers, session }: OpenModel,
  { phrases, prompt }: EncodeRequest,
): Promise<ReadRows[]> {
  const texts = prompt === "" ? phrases : phrases.map((phrase) => prompt + phrase);
  const read = featurizers.map(
    (featurizer) => featurizer.readPrompted?.(phrases, prompt) ?? featurizer.read(texts),
  );
  await session.pin?.(read.find(({ opening }) => opening)?.opening ?? new Int32Array());
  return read;
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
