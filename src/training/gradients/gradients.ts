/** Runs a batch through a program: losses, and gradients added up, in one pass or in chunks of bounded memory. */
import { ArgumentError } from "../../errors.js";
import { encodeModel } from "../../onnx/io/file.js";
import type { Model } from "../../onnx/model.js";
import type { Shapes } from "../../onnx/observe-shapes.js";
import {
  createOrtSession,
  type DeviceFeeds,
  type OrtSession,
  type SessionOptions,
} from "../../runtime/ort-session.js";
import { createPackedSession } from "../../runtime/packed-session.js";
import type { Feeds, Tensor } from "../../runtime/tensor.js";
import type { Chunk, TrainingBatch } from "../batch.js";
import {
  type CutProgram,
  cutProgram,
  type GradientGraph,
  observeProgram,
  type Target,
  type TrainingProgram,
  upstream,
  wholeGraph,
} from "../program.js";
import { inRowBlocks } from "./row-blocks.js";

export type Losses = Record<string, number>;

/** Losses in memory as numbers. */
export const numbersOf = (losses: DeviceFeeds): Losses =>
  Object.fromEntries(Object.entries(losses).map(([name, loss]) => [name, Number((loss as Tensor).data[0])]));

/** What takes the gradients of each run; they are its own from then on. */
export interface GradientSink {
  /** @param run feeds and outputs of the graph @param except a value without a wanted gradient */
  collect(
    graph: GradientGraph,
    run: { readonly feeds: DeviceFeeds; readonly outputs: DeviceFeeds },
    except?: string,
  ): void | Promise<void>;
}

export interface GradientOptions extends SessionOptions {
  /** Gradients in "memory" (the default), those of tables by rows, or on the "device", all dense. */
  readonly gradients?: "memory" | "device";
}

/** A program ready to give gradients in the calling thread. Sessions open on first use. */
export class GradientRunner {
  readonly weights: readonly string[];
  readonly #program: TrainingProgram;
  readonly #shapes: Shapes;
  readonly #options: GradientOptions;
  readonly #target: Target;
  readonly #wholeGraph: GradientGraph;
  readonly #sessions = new Map<Model, Promise<OrtSession>>();
  #cut: CutProgram | undefined;

  private constructor(program: TrainingProgram, shapes: Shapes, options: GradientOptions) {
    this.#program = program;
    this.#shapes = shapes;
    this.#options = options;
    this.#target = {
      device: (options.device ?? "cpu") === "cpu" ? "cpu" : "gpu",
      // rows in memory: writing whole tables of zeros would cost more
      tables: options.gradients === "device" ? "dense" : "rows",
    };
    this.#wholeGraph = wholeGraph(program, shapes, this.#target);
    this.weights = this.#wholeGraph.weights;
  }

  /** @throws ModelError if an operator between weights and loss has no derivative */
  static async open(program: TrainingProgram, options: GradientOptions): Promise<GradientRunner> {
    return new GradientRunner(program, await observeProgram(program), options);
  }

  /**
   * Runs a batch; its gradients go to `sink`.
   * @param weights values of {@link weights}, read while this runs
   * @returns the loss and its parts by name, one number each, where the gradients are
   */
  async run(batch: TrainingBatch, weights: DeviceFeeds, sink: GradientSink): Promise<DeviceFeeds> {
    if (batch.chunks) return this.#inChunks(batch.feeds, batch.chunks, weights, sink);
    const graph = this.#wholeGraph;
    const feeds = { ...batch.feeds, ...pick(weights, graph.weights) };
    const outputs = await this.#run(graph.model, feeds);
    await sink.collect(graph, { feeds, outputs });
    return this.#losses(outputs);
  }

  /** Embeds chunk by chunk, computes the loss over all, and sends its gradient back chunk by chunk. */
  async #inChunks(
    feeds: Feeds,
    chunks: readonly Chunk[],
    weights: DeviceFeeds,
    sink: GradientSink,
  ): Promise<DeviceFeeds> {
    this.#cut ??= cutProgram(this.#program, this.#shapes, this.#target);
    const { forward, backward, loss } = this.#cut;
    const cut = this.#program.cut as string;
    const before = pick(weights, backward.weights);
    const parts: Tensor[] = [];
    for (const chunk of chunks) {
      const outputs = await this.#run(forward, { ...chunk.feeds, ...before });
      parts.push(outputs[cut] as Tensor);
    }
    const head = { ...feeds, ...pick(weights, loss.weights), [cut]: gathered(chunks, parts) };
    const outputs = await this.#run(loss.model, head);
    const gradient = outputs[loss.gradients.get(cut) as string] as Tensor;
    await sink.collect(loss, { feeds: head, outputs }, cut);
    for (const chunk of chunks) {
      const inputs = { ...chunk.feeds, ...before, [upstream]: rowsOf(gradient, chunk.rows) };
      const outputs = await this.#run(backward.model, inputs);
      await sink.collect(backward, { feeds: inputs, outputs });
    }
    return this.#losses(outputs);
  }

  #losses(outputs: DeviceFeeds): DeviceFeeds {
    const { loss, parts = [] } = this.#program;
    return pick(outputs, [loss, ...parts]);
  }

  async #run(model: Model, feeds: DeviceFeeds): Promise<DeviceFeeds> {
    const session = this.#sessions.get(model) ?? this.#open(model);
    this.#sessions.set(model, session);
    return (await session).runOnDevice(feeds);
  }

  #open(model: Model): Promise<OrtSession> {
    const { cut = "" } = this.#program;
    const inMemory = new Set([cut, this.#cut?.loss.gradients.get(cut)]);
    const places = model.graph.outputs.map(
      ({ name }) => [name, inMemory.has(name) ? "memory" : "device"] as const,
    );
    const { gradients, ...options } = this.#options;
    const settings: SessionOptions = {
      ...{ ...options, optimization: "basic" },
      ...(gradients === "device" && { outputs: Object.fromEntries(places) }),
    };
    if (this.#target.device === "cpu") return createOrtSession(encodeModel(inRowBlocks(model)), settings);
    const weights = new Set(this.weights);
    const batch = model.graph.inputs.map(({ name }) => name).filter((name) => !weights.has(name));
    return createPackedSession(model, new Set(batch), settings);
  }

  async release(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#sessions.values()))
      if (opened.status === "fulfilled") await opened.value.release();
  }
}

const pick = (values: DeviceFeeds, names: readonly string[]): DeviceFeeds =>
  Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]));

function gathered(chunks: readonly Chunk[], parts: readonly Tensor[]): Tensor {
  const rows = chunks.reduce((count, chunk) => count + chunk.rows.length, 0);
  const width = parts[0].dims[1];
  const data = new Float32Array(rows * width);
  chunks.forEach((chunk, c) => {
    const part = parts[c].data as Float32Array;
    if (part.length !== chunk.rows.length * width)
      throw new ArgumentError(`chunk ${c}: ${chunk.rows.length} rows, but ${part.length / width} embeddings`);
    chunk.rows.forEach((row, i) => {
      data.set(part.subarray(i * width, (i + 1) * width), row * width);
    });
  });
  return { type: "float32", dims: [rows, width], data };
}

function rowsOf({ data, dims: [, width] }: Tensor, rows: Int32Array): Tensor {
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, i) => {
    picked.set((data as Float32Array).subarray(row * width, (row + 1) * width), i * width);
  });
  return { type: "float32", dims: [rows.length, width], data: picked };
}
