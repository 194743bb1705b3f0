/** One open model: tokeniser, graph and pooling; phrases in, vectors out. */
import type { Featurizer, ModelFolder, ReadRows } from "../architectures/architecture.js";
import { chooseOutput, TYPE_LOGITS } from "../architectures/architecture.js";
import { architectureOf, costliest, openFeaturizers } from "../architectures/registry.js";
import { refuseModule } from "../architectures/sentence-modules.js";
import { ModelError } from "../errors.js";
import { batchByCost } from "../longest-first.js";
import type { Feeds, Tensor } from "../runtime/tensor.js";
import { batchByLength, finishVector, pool } from "./batching.js";
import type { EncodeReply, EncodeRequest, GraphSession, OpenRequest } from "./encode-protocol.js";
import { FINISHED, rowWidth, STOP } from "./encode-protocol.js";
import { openGraph } from "./graph/graph-source.js";

/** Tokens of a batch, by device; on a CPU they fit a core's level 2 cache (measured, benchmarks/encode-speed.mjs). */
const TOKENS = { cpu: 512, webgpu: 16_384, cuda: 65_536 } as const;
/** The same for n-grams, each of which costs one addition. */
const NGRAMS = 16_384;
/**
 * Tokens that take a GPU as long as what every run takes: about 3 ms for 150 kernels that a few tokens do not fill, at
 * 2 µs a token (ONNX Runtime's profiles of E5-small's shape on an NVIDIA H200).
 */
const RUN_ON_GPU = 1500;
/** What a row costs in attention alone, in tokens: its copies by length, its products by the square. */
const paddingCost = (length: number) => 0.15 * length + length ** 2 / 600;
/** Batches that a GPU may be given before its outputs are waited for: a copy back waits for all that were started. */
const STARTED_ON_GPU = 8;
/** Phrases that are read before a GPU gets the first of them; more where a batch may hold more. */
const READ_ON_GPU = 1024;

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

/**
 * A GPU gets the next batches while it computes, and its vectors come back after some of them.
 * @throws ModelError where the output is not float32 vectors
 */
export async function encode(open: OpenModel, request: EncodeRequest): Promise<EncodeReply> {
  const outputs = [...new Set(outputsOf(open, request))];
  const reply = collector(open, request);
  const started: { batch: ReadBatch; finish: () => Promise<Feeds> }[] = [];
  const finishAll = async () => {
    for (const { batch, finish } of started.splice(0)) reply.take(batch, await finish());
  };
  for await (const batch of readBatches(open, request)) {
    if (Atomics.load(request.state, STOP) === 1) break;
    started.push({ batch, finish: await start(open.session, batch.feeds, outputs) });
    if (started.length >= (open.session.start ? STARTED_ON_GPU : 1)) await finishAll();
  }
  await finishAll();
  return reply.result();
}

/** Vectors of phrases, not scaled: [phrases, width], flat. */
export async function rawVectors(open: OpenModel, phrases: readonly string[]): Promise<Float32Array> {
  const parts = [{ output: "embedding", dimension: 0, length: "raw" }] as const;
  const request = { phrases, parts, prompt: "", batchSize: undefined, state: new Int32Array(2) };
  return (await encode(open, request)).vectors;
}

async function start(session: GraphSession, feeds: Feeds, outputs: string[]): Promise<() => Promise<Feeds>> {
  if (session.start) return session.start(feeds, outputs);
  const results = await session.run(feeds, outputs);
  return async () => results;
}

/** Phrases as the graph reads them. */
interface ReadBatch {
  /** Places in the request. */
  readonly rows: Int32Array;
  /** What the model reads of each phrase, in the units of its costliest feature. */
  readonly lengths: Int32Array;
  readonly feeds: Feeds;
  /** Phrases that were cut, counted once for all batches that were read together. */
  readonly truncated: number;
}

/** Batches of similar lengths. A GPU need not wait until all phrases are read: batches of the first ones go ahead. */
async function* readBatches(open: OpenModel, request: EncodeRequest): AsyncGenerator<ReadBatch> {
  const { phrases, batchSize } = request;
  const atOnce =
    open.session.device === "cpu"
      ? phrases.length
      : Math.max(READ_ON_GPU, Math.min(batchSize ?? 0, TOKENS.webgpu));
  for (let first = 0; first < phrases.length; first += atOnce)
    yield* readSome(open, { ...request, phrases: phrases.slice(first, first + atOnce) }, first);
}

async function* readSome(open: OpenModel, request: EncodeRequest, first: number): AsyncGenerator<ReadBatch> {
  const { phrases, batchSize } = request;
  const read = await readFeatures(open, request);
  // Every feature has its own row lengths; batches follow those of the costliest.
  const eachLengths = read.map(
    ({ rows }, i) =>
      open.featurizers[i].lengths?.(rows) ??
      Int32Array.from(phrases, (_, row) => rows.starts[row + 1] - rows.starts[row]),
  );
  const { features } = open.folder;
  const { device } = open.session;
  const primary = costliest(features);
  const lengths = eachLengths[primary];
  const isTransformer = architectureOf(features[primary]).padsRows === true;
  const cells = isTransformer ? TOKENS[device] : NGRAMS;
  const batches =
    device === "cpu" || !isTransformer
      ? batchByLength(lengths, cells, batchSize)
      : batchByCost(lengths, {
          ...{ cells, most: batchSize, run: RUN_ON_GPU },
          ...(open.session.isUnpadded && { row: paddingCost }),
        });
  let truncated = read.reduce((most, one) => Math.max(most, one.truncated), 0);
  for (const { rows } of batches) {
    const feeds: Feeds = {};
    read.forEach(({ rows: values }, index) => {
      const own = eachLengths[index];
      const longest = rows.reduce((most, row) => Math.max(most, own[row]), 1);
      open.featurizers[index].fill(values, rows, longest, feeds);
    });
    const [places, lengthsOf] = [rows.map((row) => first + row), rows.map((row) => lengths[row])];
    yield { rows: places, lengths: lengthsOf, feeds, truncated };
    truncated = 0;
  }
}

const outputsOf = (open: OpenModel, { parts }: EncodeRequest): string[] =>
  parts.map(({ output }) => (output === "types" ? TYPE_LOGITS : open.output));

/** Puts the parts of each batch's phrases where the reply has them. */
function collector(open: OpenModel, request: EncodeRequest) {
  const { phrases, parts, state } = request;
  const outputs = outputsOf(open, request);
  let rowLength = rowWidth(parts);
  let vectors = new Float32Array(phrases.length * rowLength);
  let truncated = 0;
  return {
    take(batch: ReadBatch, results: Feeds): void {
      let offset = 0;
      parts.forEach(({ output, dimension, length }, part) => {
        if (output === "tokens") {
          batch.rows.forEach((row, i) => {
            vectors[row * rowLength + offset] = batch.lengths[i];
          });
          offset += dimension;
          return;
        }
        const pooled = checkedPool(open, outputs[part], results[outputs[part]], batch);
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
      truncated += batch.truncated;
      Atomics.add(state, FINISHED, batch.rows.length);
    },
    result: (): EncodeReply => ({ vectors, truncated }),
  };
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
  { rows, lengths }: ReadBatch,
): Float32Array {
  const { dims } = output;
  if (output.type !== "float32" || dims[0] !== rows.length || (dims.length !== 2 && dims.length !== 3)) {
    throw new ModelError(
      `${open.folder.graph}: output ${name} is ${output.type} [${dims.join(", ")}]; ` +
        `expected float32 [${rows.length}, width] or [${rows.length}, tokens, width]`,
    );
  }
  if (dims.length === 3) refuseModule(open.folder);
  return pool(output, lengths, open.folder.pooling);
}
